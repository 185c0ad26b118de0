import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { Release } from '../../api/canary-status.ts';
import { mergeJson } from '../../base/json-merge.ts';
import type { Facts } from '../facts.ts';
import { handleEvent, releaseOf, restored, type Snapshot } from '../machine.ts';
import type { Answer, EngineEvent, Question } from '../questions.ts';
import { type JournalAnswer, type JournalEntry, JournalFacts, type JournalPart, type JournalSegment } from './journal-part.ts';
import { CountsNotes } from './noted-counts.ts';
import { stepsOf } from './noted-polls.ts';
import { type StepSummary, stepSummary } from './step-summary.ts';

/** An entry with its counts read; each poll becomes two entries. */
export type NotedEntry = Omit<JournalEntry, 'answer' | 'polls'> & { answer?: JournalAnswer };

/** One entry of a journal with its facts merged; `begins` marks the first entry after the release was read from its status. */
export interface Noted {
  part: JournalPart;
  segment: JournalSegment;
  entry: NotedEntry;
  facts: Facts;
  begins: boolean;
}

/** Reason for which a journal cannot be followed further. */
export interface Unfit {
  unfit: string;
}

/** One step of a journal, beside the engine's present decision for the same input. */
export interface Replayed extends Noted {
  recorded: StepSummary;
  decided: StepSummary;
  /** Memory of the release after the step. */
  release: Release;
}

/** The entries in order; ends at the first entry that cannot be read. */
export function* journalEntries(parts: readonly JournalPart[]): Generator<Noted | Unfit, void> {
  for (const part of parts) {
    const notes = new CountsNotes();
    let known: unknown = {};
    let canary: ParsedFacts['canary'] | undefined;
    for (const segment of part.segments) {
      for (const [index, { polls = [], ...stored }] of segment.entries.entries()) {
        known = mergeJson(known, stored.facts ?? {});
        const parsed = parsedFacts(known, stored.facts !== undefined && 'canary' in stored.facts ? undefined : canary);
        canary = parsed.data?.canary;
        if (!parsed.success) return yield { unfit: `the facts of a step cannot be read at ${parsed.error.issues[0]?.path.join('.')}` };
        let facts = factsOf(parsed.data);
        yield { part, segment, entry: entryOf(stored, notes), facts, begins: index === 0 };
        for (const poll of polls) {
          const { question, answer } = stepsOf(poll, facts.nowMs, stored.decided, notes);
          const { compared } = answer;
          facts = { ...facts, nowMs: question.nowMs };
          yield { part, segment, entry: { event: 'WAKE', decided: question.decided }, facts, begins: false };
          facts = { ...facts, nowMs: answer.nowMs };
          const entry = { event: 'ANSWER', answer: { kind: 'compare', compared }, decided: answer.decided } as const;
          yield { part, segment, entry, facts, begins: false };
        }
        known = mergeJson(known, { nowMs: facts.nowMs });
      }
    }
  }
}

function entryOf({ answer, ...entry }: Omit<JournalEntry, 'polls'>, notes: CountsNotes): NotedEntry {
  if (answer === undefined) return entry;
  if (answer.kind !== 'measure' && answer.kind !== 'compare') return { ...entry, answer };
  const { compared, ...rest } = answer;
  return { ...entry, answer: { ...rest, ...(compared && { compared: compared.map((one) => notes.read(one)) }) } as JournalAnswer };
}

/** The blocker under its present name. */
function factsOf({ obstacle, ...facts }: ParsedFacts): Facts {
  return (obstacle === undefined ? facts : { blocker: { code: 'Other', detail: obstacle }, ...facts }) as unknown as Facts;
}

type ParsedFacts = z.infer<typeof JournalFacts>;
const WithoutCanary = JournalFacts.omit({ canary: true });

/** Reuses the given Canary: most of the facts are its spec, which rarely changes. */
function parsedFacts(known: unknown, canary: ParsedFacts['canary'] | undefined): z.ZodSafeParseResult<ParsedFacts> {
  if (canary === undefined) return JournalFacts.safeParse(known);
  const parsed = WithoutCanary.safeParse(known);
  return parsed.success ? { success: true, data: { ...parsed.data, canary } } : (parsed as z.ZodSafeParseError<never>);
}

/** Runs the journal through the engine of this process, step by step; ends at the first step that cannot be followed. */
export function* replay(parts: readonly JournalPart[]): Generator<Replayed | Unfit, void> {
  let now: Snapshot | undefined;
  for (const noted of journalEntries(parts)) {
    if ('unfit' in noted) return yield noted;
    const { entry, facts, segment, begins } = noted;
    const before: Snapshot | Unfit | undefined = begins ? begun(segment) : now;
    if (before === undefined || 'unfit' in before) return yield before ?? { unfit: 'its first step is missing' };
    const event = eventOf(entry, facts, before);
    const done = 'unfit' in event ? event : tried(before, event);
    if ('unfit' in done) return yield done;
    now = done.next;
    yield { ...noted, recorded: entry.decided, decided: stepSummary(done.next, done.questions, facts.nowMs), release: releaseOf(now) };
  }
}

export const isSame = ({ recorded, decided }: Pick<Replayed, 'recorded' | 'decided'>): boolean =>
  isDeepStrictEqual({ ...recorded }, { ...decided });

export function begun({ from }: JournalSegment): Snapshot | Unfit {
  const found = restored(from as { value: unknown; context: object });
  return 'unknown' in found ? { unfit: `this Serin has no state "${found.unknown}" in its statechart` } : found;
}

/** Ids are not stored, and only an awaited answer is. */
export function openFor(answer: JournalAnswer, { context }: Snapshot): string | undefined {
  if (answer.kind === 'compare') return context.comparing?.open;
  return answer.kind === 'runHooks' && answer.type === 'rollback' ? context.rollback?.open : context.open;
}

function eventOf({ event, answer, key }: NotedEntry, facts: Facts, now: Snapshot): EngineEvent | Unfit {
  if (event === 'DELIVERED') return { type: event, facts, key: key ?? '' };
  if (event !== 'ANSWER') return { type: event, facts };
  if (answer === undefined) return { unfit: 'an answer is missing' };
  const id = openFor(answer, now);
  return id === undefined
    ? { unfit: `this Serin does not request ${answer.kind} at this step` }
    : { type: event, facts, answer: { ...answer, id } as Answer };
}

/** Runs one step; a journal that Serin did not write can contain anything. */
export function tried(now: Snapshot, event: EngineEvent): { next: Snapshot; questions: readonly Question[] } | Unfit {
  try {
    return handleEvent(now, event);
  } catch (error) {
    return { unfit: `the engine cannot run a step of it: ${error instanceof Error ? error.message : String(error)}` };
  }
}
