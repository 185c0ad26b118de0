import type { HookType } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { isAnalysing, isResting } from '../api/step.ts';
import { oncePerObject } from '../base/once.ts';
import type { Facts } from './facts.ts';
import { occasionOf } from './hook-occasion.ts';
import { withLeftRoutes } from './left-routes.ts';
import { withListedRoutes } from './listed-routes.ts';
import { having, type Passage, releasing, type Stage } from './passage.ts';
import { hasMoved, seenAgain, seenAtZero } from './pin.ts';
import type { Question } from './questions.ts';
import { withRecentWeight } from './recent.ts';
import { isSamePlace, pathOf, phaseOf, resolve } from './snapshot.ts';
import { weightOf } from './strategy.ts';
import { answersAwaitedUntilMs, earliest, nextWakeOf, wakeOf } from './wakes.ts';

/** Compares the snapshots before and after the event: changes are recorded first, then the questions of the new state are put. */
export const recordingStages: readonly Stage[] = [
  { name: 'withStep', apply: withStep },
  { name: 'withScaler', apply: (passage) => releasing(passage, withScaler(passage.now.context.release, passage.event.facts)) },
  { name: 'withLeftRoutes', apply: withRoutesLeft },
  { name: 'withListedRoutes', apply: withRoutesListed },
  { name: 'seenAgain', apply: (passage) => ({ ...passage, current: seenAgain(passage.event.facts.target, currentOf(passage)) }) },
  { name: 'seenAtZero', apply: (passage) => ({ ...passage, current: seenAtZero(passage.event.facts.target, currentOf(passage)) }) },
  { name: 'news', apply: news },
  { name: 'withRecentWeight', apply: withWeightOfNow },
  { name: 'putRecord', apply: putRecord },
  { name: 'putQuestions', apply: putQuestions },
  { name: 'wake', apply: wake },
  { name: 'settle', apply: settle },
];

const currentOf = ({ current, now }: Passage): Release => current ?? now.context.release;

const idOf = ({ run, revision }: Release, attempt: number): string => `${run}/${revision}/${attempt}`;

function withStep(passage: Passage): Passage {
  const [, step = ''] = pathOf(passage.now.value);
  return releasing(passage, { ...passage.now.context.release, step });
}

function withRoutesLeft(passage: Passage): Passage {
  const { release, recorded } = passage.now.context;
  return releasing(passage, withLeftRoutes(release, recorded?.release, passage.event.facts));
}

function withRoutesListed(passage: Passage): Passage {
  const { release, recorded } = passage.now.context;
  return releasing(passage, withListedRoutes(release, recorded?.release, passage.event.facts));
}

/**
 * Once the primary's scaler exists and the previous one is gone, it is the next to be replaced. A scaler that the spec still names keeps its copy for
 * the primary, also if the scaler itself is deleted.
 */
function withScaler({ scaler, ...release }: Release, facts: Facts): Release {
  const { autoscalerRef } = facts.canary.spec;
  const isNamed = autoscalerRef !== undefined && scaler === `${autoscalerRef.kind}/${autoscalerRef.name}`;
  const name = facts.converged ? (facts.scaler?.name ?? (isNamed ? scaler : undefined)) : scaler;
  return name === undefined ? release : { ...release, scaler: name };
}

/** Decides that a change needs a record. Changes of the target are written together with others, and once more while resting: they are rare then. */
function news(passage: Passage): Passage {
  const { now, event } = passage;
  const { release, recorded } = now.context;
  const current = currentOf(passage);
  const { target, converged, nowMs } = event.facts;
  // A target that was created again is recorded at once; if an older version's status has no uid, together with other changes.
  const isReplaced = release.scaledDownUid !== undefined && current.scaledDownUid !== release.scaledDownUid;
  const isMoved =
    target !== undefined && current !== release && (hasMoved(target, release) || isReplaced) && isResting(release) && converged;
  // The messages of the end are usually answered soon, so that one write covers both.
  const heldUntilMs = isMoved && !isReplaced ? answersAwaitedUntilMs(release, nowMs) : undefined;
  const phase = phaseOf(now);
  const isOther = () => recorded?.phase !== phase || memoryOnce(recorded.release) !== memory(release);
  return { ...passage, heldUntilMs, isNews: phase !== '' && ((isMoved && heldUntilMs === undefined) || isOther()) };
}

function withWeightOfNow(passage: Passage): Passage {
  if (!passage.isNews) return passage;
  const current = currentOf(passage);
  return releasing(passage, withRecentWeight(current, weightOf(current.routes), passage.event.facts.nowMs));
}

function putRecord(passage: Passage): Passage {
  if (!passage.isNews) return passage;
  const { context } = passage.now;
  const wakeAtMs = wakeOf(context);
  const { wakeAtMs: _, ...asleep } = context.release;
  const release = wakeAtMs === undefined ? asleep : { ...context.release, wakeAtMs };
  const attempt = context.attempt + 1;
  const written: Question = { kind: 'record', id: idOf(release, attempt), phase: phaseOf(passage.now), release };
  return { ...having(passage, { release, attempt }), questions: [...passage.questions, written] };
}

function putQuestions(passage: Passage): Passage {
  const { context } = passage.now;
  const { facts } = passage.event;
  const phase = phaseOf(passage.now);
  const asked = context.asks.map((one) =>
    one.kind === 'runHooks' ? { ...one, ...payloadOf(one.type, phase, context.release), key: occasionOf(one.type, context, facts) } : one,
  );
  return { ...passage, questions: [...passage.questions, ...asked] };
}

function wake(passage: Passage): Passage {
  const { now, before, event, heldUntilMs } = passage;
  const { context } = now;
  const atMs = earliest([nextWakeOf(context, before.context, event, !isSamePlace(now, before)), heldUntilMs]);
  const isDue = atMs !== undefined && (atMs !== context.askedWakeMs || event.type === 'RESUME' || event.type === 'WAKE');
  const woken = { ...passage, askedWakeMs: atMs };
  if (!isDue) return woken;
  const attempt = context.attempt + 1;
  const question: Question = { kind: 'wakeAt', id: idOf(context.release, attempt), atMs };
  return { ...having(woken, { attempt }), questions: [...woken.questions, question] };
}

/** Snapshot for the next event. */
function settle(passage: Passage): Passage {
  const { now, askedWakeMs, isNews } = passage;
  const { context, value } = now;
  const recorded = isNews ? { recorded: { phase: phaseOf(now), release: context.release } } : {};
  return { ...passage, now: resolve(value, { ...context, asks: [], askedWakeMs, ...recorded }) };
}

/**
 * Text of all fields that are worth a status write. A changed wake by itself is not, since RESUME puts the questions again, and neither are counts, since they
 * can be read again. Failures are recorded when they count.
 */
function memory({ comparison: _, failing: _failing, ...release }: Release): string {
  const kept = { ...release, wakeAtMs: isAnalysing(release) ? release.wakeAtMs : 0 };
  return JSON.stringify(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Cached for recorded releases, which are never changed. */
const memoryOnce = oncePerObject(memory);

/** Types whose payload has the real phase; Flagger sends Progressing to all others, also while a promotion waits (E84). */
const TOLD_THE_PHASE: ReadonlySet<HookType> = new Set<HookType>(['confirm-rollout', 'rollback']);

/** Fields of a webhook's payload that describe the release. */
function payloadOf(type: HookType, phase: Phase, release: Release): { phase: Phase; checksum: string } {
  return { phase: TOLD_THE_PHASE.has(type) ? phase : 'Progressing', checksum: checksumOf(type, phase, release) };
}

/**
 * The last applied revision, as in Flagger: before the start is confirmed that is the previous one, except after a failure, when Flagger has already recorded
 * the new one.
 */
function checksumOf(type: HookType, phase: Phase, { revision, promotedRevision = revision }: Release): string {
  return type === 'confirm-rollout' && phase !== 'Failed' ? promotedRevision : revision;
}
