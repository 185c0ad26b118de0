import type { Facts } from '../facts.ts';
import { openQuestionsOf, releaseOf, type Snapshot } from '../machine.ts';
import type { Answer, EngineEvent, Question } from '../questions.ts';
import { weightOf } from '../strategy.ts';
import type { JournalAnswer, JournalPart } from './journal-part.ts';
import { begun, journalEntries, type Noted, type NotedEntry, openFor, tried, type Unfit } from './replay.ts';
import { type StepSummary, statePath, stepSummary } from './step-summary.ts';

/** Analysis that is supposed instead of the recorded one. */
export interface SupposedAnalysis {
  facts(facts: Facts): Facts;
  /** The answer under these facts, or the reason for which the recorded answer does not apply. */
  answer(answer: JournalAnswer, facts: { was: Facts; is: Facts }): JournalAnswer | Unfit;
}

export type ReleaseOutcome = 'promoted' | 'rolledBack' | 'cancelled';

interface End {
  verdict: ReleaseOutcome;
  atMs: number;
  /** Percent of traffic that the canary had. */
  weight: number;
  failedChecks: number;
  reason?: string;
}

export interface Supposed {
  /** End of the recorded release; absent if the journal ends earlier. */
  recorded?: { verdict: ReleaseOutcome; atMs: number };
  /** The first step at which the supposed release decides differently. Values after it were measured under the weights of the recorded release. */
  first?: { atMs: number; recorded: StepSummary; decided: StepSummary };
  end: End | { unknown: string; atMs: number };
  /** Steps of the release were not stored. */
  isIncomplete: boolean;
}

/** Maximum of wakes between two entries of a journal: the supposed release is woken at times of its own. */
const MOST_WAKES = 1_000;

/** Runs a journal under a supposition until the supposed release is promoted or rolled back, or the journal has no answer for it. */
export function suppose(parts: readonly JournalPart[], supposed: SupposedAnalysis): Supposed {
  const recorded = recordedOutcome(parts);
  const run = new SupposedRun(supposed);
  let last: JournalPart | undefined;
  let [atMs, isIncomplete] = [0, false];
  const result = (end: Supposed['end']): Supposed => ({
    ...(recorded && { recorded: { verdict: recorded.verdict, atMs: recorded.atMs } }),
    ...(run.first && { first: run.first }),
    end,
    isIncomplete,
  });
  for (const [at, noted] of numbered(parts)) {
    if ('unfit' in noted) return result({ unknown: noted.unfit, atMs });
    const isGap = noted.part !== last && isAfterGap(last, noted.part);
    isIncomplete ||= isGap;
    last = noted.part;
    if (isGap && run.first) return result({ unknown: 'steps that follow were not stored', atMs });
    atMs = noted.facts.nowMs;
    const end = run.step(noted);
    if (end && 'unfit' in end) return result({ unknown: end.unfit, atMs });
    if (end) return result(end);
    if (at === recorded?.at) {
      const how = { promoted: 'promoted', rolledBack: 'rolled back', cancelled: 'cancelled' }[recorded.verdict];
      return result({ unknown: `its analysis would have gone on when the release was ${how}, and nothing was measured after that`, atMs });
    }
  }
  return result({ unknown: 'the journal ends before the analysis does', atMs });
}

/** Steps before this part were not stored. A process that stops stores its notes; a killed process does not. */
function isAfterGap(last: JournalPart | undefined, part: JournalPart): boolean {
  if (last?.stopped) return part.number !== 1;
  if (last) return part.writer !== last.writer || part.number !== last.number + 1;
  return (
    part.number !== 1 || isUnderAnalysis(statePath(part.segments[0]?.from.value)) || isDecided(statePath(part.segments[0]?.from.value))
  );
}

/** Entries with their numbers; each iteration reads the journal again. */
function* numbered(parts: readonly JournalPart[]): Generator<[number, Noted | Unfit], void> {
  let number = 0;
  for (const noted of journalEntries(parts)) yield [number++, noted];
}

/** `at`: the number of its entry. */
function recordedOutcome(parts: readonly JournalPart[]): { verdict: ReleaseOutcome; atMs: number; at: number } | undefined {
  let wasAnalysed = false;
  for (const [at, noted] of numbered(parts)) {
    if ('unfit' in noted) return undefined;
    const { entry, facts, segment, begins } = noted;
    if (begins) wasAnalysed ||= isUnderAnalysis(statePath(segment.from.value));
    const verdict = outcomeOf(entry.decided.state, wasAnalysed);
    if (verdict) return { verdict, atMs: facts.nowMs, at };
    wasAnalysed ||= isUnderAnalysis(entry.decided.state);
  }
  return undefined;
}

const phaseIn = (state: string): string => state.split('.', 1)[0] ?? '';
const isUnderAnalysis = (state: string): boolean => ['Waiting', 'Progressing', 'WaitingPromotion'].includes(phaseIn(state));
const isDecided = (state: string): boolean => ['Promoting', 'Finalising'].includes(phaseIn(state));

function outcomeOf(state: string, wasAnalysed: boolean): ReleaseOutcome | undefined {
  if (isDecided(state)) return 'promoted';
  if (!wasAnalysed || isUnderAnalysis(state)) return undefined;
  return phaseIn(state) === 'Failed' ? 'rolledBack' : 'cancelled';
}

class SupposedRun {
  first: Supposed['first'];
  readonly #supposed: SupposedAnalysis;
  readonly #asked = new Map<string, Question>();
  #now: Snapshot | undefined;
  #wasAnalysed = false;

  constructor(supposed: SupposedAnalysis) {
    this.#supposed = supposed;
  }

  /** End of the supposed release with this entry, if it ends. */
  step({ entry, facts, segment, begins }: Noted): End | Unfit | undefined {
    // After its first difference, the recorded status is not its own.
    if (begins && !this.first) {
      const found = begun(segment);
      if ('unfit' in found) return found;
      this.#now = found;
      this.#wasAnalysed ||= isUnderAnalysis(statePath(found.value));
    }
    if (!this.#now) return { unfit: 'its first step is missing' };
    const is = this.#supposed.facts(facts);
    const woken = this.first && this.#wakeUntil(is);
    if (woken) return woken;
    if (entry.answer?.kind === 'compare') this.#now = awaitingCounts(this.#now);
    const event = this.#eventOf(entry, { was: facts, is }, this.#now);
    if ('unfit' in event) return event;
    const done = this.#take(event, this.#now);
    if ('unfit' in done) return done;
    const { decided, end } = done;
    if (!this.first && !isAlike(entry.decided, decided)) this.first = { atMs: facts.nowMs, recorded: entry.decided, decided };
    return end;
  }

  /** Wakes of the supposed release at times that the recorded one did not have. */
  #wakeUntil(facts: Facts): End | Unfit | undefined {
    for (let wakes = 0; wakes < MOST_WAKES && this.#now; wakes += 1) {
      const dueMs = this.#now.context.askedWakeMs;
      if (dueMs === undefined || dueMs >= facts.nowMs) return undefined;
      const done = this.#take({ type: 'WAKE', facts: { ...facts, nowMs: dueMs } }, this.#now);
      if ('unfit' in done) return done;
      if (done.end) return done.end;
      if (this.#now.context.askedWakeMs === dueMs) return undefined;
    }
    return undefined;
  }

  #take(event: EngineEvent, now: Snapshot): { decided: StepSummary; end?: End } | Unfit {
    const done = tried(now, event);
    if ('unfit' in done) return done;
    this.#now = done.next;
    for (const question of done.questions) this.#asked.set(question.id, question);
    const { nowMs } = event.facts;
    const decided = stepSummary(done.next, done.questions, nowMs);
    const verdict = outcomeOf(decided.state, this.#wasAnalysed);
    this.#wasAnalysed ||= isUnderAnalysis(decided.state);
    if (verdict === undefined) return { decided };
    const { failedChecks, ending } = releaseOf(done.next);
    const weight = weightOf(releaseOf(now).routes);
    const why = verdict === 'rolledBack' && ending !== undefined ? { reason: ending.detail } : {};
    return { decided, end: { verdict, atMs: nowMs, weight, failedChecks, ...why } };
  }

  #eventOf({ event, answer, key }: NotedEntry, facts: { was: Facts; is: Facts }, now: Snapshot): EngineEvent | Unfit {
    const { is } = facts;
    if (event === 'DELIVERED') return { type: event, facts: is, key: key ?? '' };
    if (event !== 'ANSWER') return { type: event, facts: is };
    if (answer === undefined) return { unfit: 'an answer is missing' };
    const id = openFor(answer, now);
    const question = id === undefined ? undefined : this.#asked.get(id);
    const isAwaited = id !== undefined && openQuestionsOf(now).includes(id) && (!question || isAnsweredBy(question, answer));
    if (!isAwaited) return { type: 'FACTS', facts: is };
    const given = this.#supposed.answer(answer, facts);
    return 'unfit' in given ? given : { type: 'ANSWER', facts: is, answer: { ...given, id } as Answer };
  }
}

/** Shadow mode reads counts at other times than a gate, which also uses them. */
function awaitingCounts(now: Snapshot): Snapshot {
  const { comparing, release } = now.context;
  if (comparing?.open !== undefined || !isUnderAnalysis(statePath(now.value))) return now;
  return { ...now, context: { ...now.context, comparing: { run: release.run, open: `${release.run}/${release.revision}/supposed` } } };
}

/** The questions and wakes follow from these fields. */
function isAlike(a: StepSummary, b: StepSummary): boolean {
  const { state, routes, weight, failedChecks, iterations } = a;
  return state === b.state && routes === b.routes && weight === b.weight && failedChecks === b.failedChecks && iterations === b.iterations;
}

function isAnsweredBy(question: Question, answer: JournalAnswer): boolean {
  if (question.kind !== answer.kind) return false;
  return question.kind !== 'runHooks' || answer.kind !== 'runHooks' || question.type === answer.type;
}
