import { isDeepStrictEqual } from 'node:util';
import { mergeJson } from '../../api/json-merge.ts';
import type { Facts } from '../facts.ts';
import { restored, type Snapshot, step } from '../machine.ts';
import type { Answer, EngineEvent, Question } from '../questions.ts';
import { type Decision, decisionOf } from './decision.ts';
import { type JournalEntry, JournalFacts, type JournalPart } from './journal-part.ts';

/** One step of a journal, beside what the engine does with the same input now. */
export interface Replayed {
  part: JournalPart;
  entry: JournalEntry;
  facts: Facts;
  /** With `what.facts` as they were changed. */
  seen: Facts;
  recorded: Decision;
  decided: Decision;
  questions: readonly Question[];
  next: Snapshot;
}

/** A journal that cannot be followed further, and why. */
export interface Unfit {
  unfit: string;
}

/** What is supposed instead of what was. */
export interface Supposition {
  facts(facts: Facts): Facts;
  /** The answer under these facts, or why the recorded one does not tell it. */
  answer(answer: Answer, facts: { was: Facts; is: Facts }): Answer | Unfit;
}

/** Runs the journal through the engine of this process, step by step; ends with the first thing that cannot be followed. */
export function* replay(parts: readonly JournalPart[], supposed?: Supposition): Generator<Replayed | Unfit, void> {
  for (const part of parts) {
    let known: unknown = {};
    for (const { from, entries } of part.segments) {
      let now = restored(from);
      if ('unknown' in now) return yield { unfit: `this Serin knows no state ${now.unknown}` };
      for (const entry of entries) {
        known = mergeJson(known, entry.facts ?? {});
        const parsed = JournalFacts.safeParse(known);
        if (!parsed.success) return yield { unfit: `its facts cannot be read: ${parsed.error.issues[0]?.path.join('.')}` };
        const facts = parsed.data as unknown as Facts;
        const seen = supposed ? supposed.facts(facts) : facts;
        const event = eventOf(entry, { was: facts, is: seen }, now, supposed);
        if ('unfit' in event) return yield event;
        const done = tried(now, event);
        if ('unfit' in done) return yield done;
        now = done.next;
        const decided = decisionOf(done.next, done.questions, seen.nowMs);
        yield { part, entry, facts, seen, recorded: entry.decided, decided, ...done };
      }
    }
  }
}

export const isSame = ({ recorded, decided }: Pick<Replayed, 'recorded' | 'decided'>): boolean =>
  isDeepStrictEqual({ ...recorded }, { ...decided });

function eventOf(
  { event, answer, key }: JournalEntry,
  facts: { was: Facts; is: Facts },
  now: Snapshot,
  supposed: Supposition | undefined,
): EngineEvent | Unfit {
  const { is } = facts;
  if (event === 'DELIVERED') return { type: event, facts: is, key: key ?? '' };
  if (event !== 'ANSWER') return { type: event, facts: is };
  if (answer === undefined) return { unfit: 'an answer is missing' };
  // Ids are not stored, and only an answer that was awaited is.
  const isOfPoll = answer.kind === 'runHooks' && answer.type === 'rollback';
  const id = isOfPoll ? now.context.rollback?.open : now.context.open;
  if (id === undefined) return { unfit: `no ${answer.kind} is asked at this step` };
  const given = { ...answer, id } as Answer;
  const changed = supposed ? supposed.answer(given, facts) : given;
  return 'unfit' in changed ? changed : { type: event, facts: is, answer: changed };
}

/** A journal that was not written by Serin may hold anything. */
function tried(now: Snapshot, event: EngineEvent): { next: Snapshot; questions: readonly Question[] } | Unfit {
  try {
    return step(now, event);
  } catch (error) {
    return { unfit: `the engine cannot run it: ${error instanceof Error ? error.message : String(error)}` };
  }
}
