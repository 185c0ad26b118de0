import * as z from 'zod';
import { BlockedObject, NewBlocker } from '../../api/blocker.ts';
import { Analysis, Canary, HookType } from '../../api/canary.ts';
import { Release, SeenConfig, Verdict } from '../../api/canary-status.ts';
import { causes } from '../../api/codes/codes.ts';
import { Phase } from '../../api/phase.ts';
import { PodFailing, type PodFailings } from '../../api/pod-failing.ts';
import type { Readiness } from '../../api/readiness.ts';
import { Routes } from '../../api/routes.ts';
import { VerbRequest } from '../../api/verb-request.ts';
import type { Compared } from '../../judge/compared.ts';
import type { Facts, RefusedEdit, SideFacts, TargetRevision } from '../facts.ts';
import { NotedCompared } from './noted-counts.ts';
import { NotedPoll } from './noted-polls.ts';

/** Version of the format. A reader refuses other versions. */
export const journalVersion = 1;

/** Maximum number of entries of one part; a recorder then ends the part, which is stored. A kill loses at most these, and the polls between them. */
export const MOST_JOURNAL_ENTRIES = 200;
/** Maximum number of polls of one part that a reader accepts: more than a recorder can fit into a part. */
const MOST_POLLS = 5_000;
/** Maximum number of characters of one part before it is compressed. */
export const LARGEST_PART = 96 * 1024;
/** Duration of the first part; each further part can last twice as long as the previous part. */
export const FIRST_PART_MS = 15 * 60_000;

const Text = z.string().max(2_000);
const Name = z.string().max(300);
const QuestionId = z.string().max(200);
const Count = z.number();

const calls = z
  .array(z.object({ webhook: Name, status: z.int().exactOptional() }))
  .max(1_000)
  .exactOptional();
const Hooks = z.object({ kind: z.literal('runHooks'), type: HookType, calls });
const Refused = z.object({ outcome: z.literal('refused'), reason: Text });
const Done = z.object({ outcome: z.literal('written') });

/** A schema for each field of a type: a fact that the schema lacks is lost to a replay. `Shown`: fields on which no decision depends. */
type Shape<T, Shown extends keyof T = never> = Readonly<Record<Exclude<keyof T, Shown>, z.ZodType>>;

const CompareAnswers = z.array(NotedCompared).max(200);

/** An answer without the id of its question: an entry only has an answer that was awaited. Counts are written in short form. */
const NotedAnswer = z.union([
  Hooks.extend({ outcome: z.literal('passed'), webhooks: z.array(Name).max(200) }),
  Hooks.extend({ outcome: z.literal('refused'), webhook: Name, reason: Text, isUnanswered: z.literal(true).optional() }),
  z.object({
    kind: z.literal('measure'),
    verdicts: z.array(Verdict).max(500),
    queries: z.array(Text).max(100).exactOptional(),
    compared: CompareAnswers.exactOptional(),
  }),
  z.object({ kind: z.literal('compare'), compared: CompareAnswers, queries: z.array(Text).max(100).exactOptional() }),
  Refused.extend({ kind: z.literal('promote'), blocker: NewBlocker.exactOptional() }),
  z.object({ kind: z.literal('promote'), outcome: z.enum(['written', 'mismatch']) }),
  Refused.extend({ kind: z.literal('restorePrimary'), blocker: NewBlocker.exactOptional() }),
  Done.extend({ kind: z.literal('restorePrimary') }),
  Refused.extend({ kind: z.enum(['undo', 'restart']) }),
  Done.extend({ kind: z.enum(['undo', 'restart']) }),
]);
export type NotedAnswer = z.infer<typeof NotedAnswer>;
/** The same with counts in the engine's form. */
export type JournalAnswer =
  | Exclude<NotedAnswer, { kind: 'measure' | 'compare' }>
  | (Omit<Extract<NotedAnswer, { kind: 'measure' }>, 'compared'> & { compared?: readonly Compared[] })
  | (Omit<Extract<NotedAnswer, { kind: 'compare' }>, 'compared'> & { compared: readonly Compared[] });

/** A blocker as data; older journals have only its sentence. */
const NotedBlocker = z.union([NewBlocker, Text.transform((detail): NewBlocker => ({ code: 'Other', detail }))]);

const unroutableOf = ({ message, sinceMs }: { message: string; sinceMs: number }) => ({
  code: 'Other' as const,
  detail: message,
  sinceMs,
});

const NotedReadiness = z.object({
  state: z.enum(['ready', 'waiting', 'stalled']),
  ready: Count,
  wanted: Count,
  reason: Text.exactOptional(),
  cause: z.enum(causes).optional().catch(undefined),
  field: Text.exactOptional(),
} satisfies Shape<Readiness>);
const NotedWorkload = z.object({
  readiness: NotedReadiness,
  serving: z.boolean(),
  replicas: Count,
  progress: z.object({ lastMs: Count, updated: Count }).exactOptional(),
  problem: PodFailing.exactOptional(),
} satisfies Shape<SideFacts, 'images'>);
const NotedFailings = z.object({
  crashes: Count,
  lost: Count,
  unready: Count,
  last: PodFailing.exactOptional(),
  problem: PodFailing.exactOptional(),
  ends: z.record(Name, Count),
  containers: z.record(Name, z.record(Name, Count)).exactOptional(),
} satisfies Shape<PodFailings>);
const ScalerLimits = z.object({ min: Count, max: Count });

/** The facts of one step, with all previous patches merged. */
export const JournalFacts = z.object({
  nowMs: Count,
  writerBehindMs: Count.exactOptional(),
  canary: Canary.extend({
    spec: z.looseObject({ analysis: Analysis, targetRef: z.looseObject({ kind: Name, name: Name }), service: z.looseObject({}) }),
  }),
  refused: z
    .object({
      reason: Name,
      message: Text,
      field: Text.exactOptional(),
      object: BlockedObject.exactOptional(),
      uncheckedUntilMs: Count.exactOptional(),
    } satisfies Shape<RefusedEdit>)
    .exactOptional(),
  provider: Name,
  supports: z.object({ weights: z.boolean(), mirroring: z.boolean(), headerMatch: z.boolean(), sessionAffinity: z.boolean() }),
  intervalMs: Count,
  scaleDownDelayMs: Count,
  target: NotedWorkload.extend({
    uid: Name,
    generation: Count,
    rollout: Name.exactOptional(),
    revision: Name,
    template: Name.exactOptional(),
    configs: z.record(Name, SeenConfig).exactOptional(),
    undetermined: NotedBlocker.exactOptional(),
    pods: Count.exactOptional(),
    failing: NotedFailings.exactOptional(),
  } satisfies Shape<TargetRevision>).exactOptional(),
  primary: NotedWorkload.extend({ carries: Name.exactOptional() }).exactOptional(),
  adoption: z.object({ target: Name, equals: z.boolean(), primaryRevision: Name, pushed: z.boolean() }).exactOptional(),
  scaler: z.object({ name: Name, target: ScalerLimits, primary: ScalerLimits }).exactOptional(),
  liveRoutes: z.union([Routes, z.object({ unreadable: Text })]).exactOptional(),
  converged: z.boolean(),
  unconfirmed: NotedBlocker.exactOptional(),
  blocker: NotedBlocker.exactOptional(),
  /** The same in older journals. */
  obstacle: Text.exactOptional(),
  unroutable: z
    .union([NewBlocker.extend({ sinceMs: Count }), z.object({ message: Text, sinceMs: Count }).transform(unroutableOf)])
    .exactOptional(),
  request: z.union([VerbRequest, z.object({ id: Name, problem: Text })]).exactOptional(),
  globalAlerts: z.boolean().exactOptional(),
  globalEvents: z.boolean().exactOptional(),
  cookieWord: Name,
} satisfies Shape<Facts & { obstacle: string }>);

const Poll = z.object({ run: Count, open: QuestionId.exactOptional(), answeredMs: Count.exactOptional(), dueMs: Count.exactOptional() });

const JournalContext = z.object({
  release: Release,
  recorded: z.object({ phase: Phase, release: Release }).exactOptional(),
  attempt: Count,
  open: QuestionId.exactOptional(),
  rollback: Poll.exactOptional(),
  comparing: Poll.exactOptional(),
  wakeAtMs: Count.exactOptional(),
  askedWakeMs: Count.exactOptional(),
  asks: z.array(z.never()),
  frozen: z.boolean(),
  blocked: z.boolean(),
});

const Decision = z.object({
  state: Name,
  routes: z.enum(['weighted', 'matched', 'mirrored']),
  weight: Count,
  failedChecks: Count,
  iterations: Count,
  asks: z.array(Name).max(2_000),
});

export const JournalEntry = z.object({
  event: z.enum(['RESUME', 'FACTS', 'WAKE', 'ANSWER', 'DELIVERED']),
  /** JSON merge patch from the facts of the previous entry; for the first entry of a part, from no facts. */
  facts: z.record(z.string(), z.unknown()).exactOptional(),
  answer: NotedAnswer.exactOptional(),
  /** Set for a delivery. */
  key: z.string().max(1_000).exactOptional(),
  decided: Decision,
  /** Writes to the cluster until the next entry, in words. */
  writes: z.array(Name).max(50).exactOptional(),
  /** Polls after this entry, each with the same decision. */
  polls: z.array(NotedPoll).max(MOST_POLLS).exactOptional(),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/** Consecutive steps. A new segment begins when the release was read from its status again. */
export const JournalSegment = z.object({
  from: z.object({ value: z.unknown(), context: JournalContext }),
  entries: z.array(JournalEntry).max(MOST_JOURNAL_ENTRIES),
});
export type JournalSegment = z.infer<typeof JournalSegment>;

/** All input of the decisions of a release, or of a part of it. Stored where tenants write: parse it with this schema. */
export const JournalPart = z.object({
  version: z.literal(journalVersion),
  /** Version of Serin. */
  engine: z.string().max(100),
  /** The process that recorded the part. */
  writer: Name,
  canary: z.object({ namespace: Name, name: Name, uid: Name }),
  run: z.int(),
  /** Number of the part among those of this process and release, from 1; a missing number was not stored. */
  number: z.int().min(1),
  revision: Name,
  beganMs: Count,
  endedMs: Count,
  /** The phase with which the release ended in this part; absent if it continued or was suspended. */
  ended: z.enum(['Initialized', 'Succeeded', 'Failed']).exactOptional(),
  /** The process stopped, and has stored all its notes. */
  stopped: z.literal(true).exactOptional(),
  segments: z
    .array(JournalSegment)
    .max(MOST_JOURNAL_ENTRIES)
    .refine((segments) => pollsIn(segments) <= MOST_POLLS, 'too many polls'),
});
export type JournalPart = z.infer<typeof JournalPart>;

const pollsIn = (segments: readonly JournalSegment[]): number =>
  segments.reduce((sum, { entries }) => entries.reduce((all, { polls = [] }) => all + polls.length, sum), 0);
