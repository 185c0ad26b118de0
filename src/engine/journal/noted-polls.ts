import * as z from 'zod';
import type { Compared } from '../../judge/compared.ts';
import type { ComparedPods } from '../../judge/pod-spread.ts';
import { type CountsNotes, countsIn, NotedCounts, NotedPods, notedCounts } from './noted-counts.ts';
import type { StepSummary } from './step-summary.ts';

const Ms = z.number();

const Times = z.tuple([Ms, Ms, Ms.nullable(), Ms.nullable()]);
/**
 * A poll that changed only the counts: its question and its answer, as one short record at the previous step, without its query, which a check also runs.
 * `times`: milliseconds from the previous step to the question, from the question to the answer, and from each of the two to its wake.
 */
export const NotedPoll = z.union([
  /** `span`: milliseconds from the start and end of the window to the answer. `endsBetween`: it does not end at a sample, unlike nearly all windows. */
  z.object({
    times: Times,
    span: z.tuple([Ms, Ms]),
    canary: NotedCounts,
    primary: NotedCounts,
    pods: NotedPods.exactOptional(),
    isFinal: z.literal(true).exactOptional(),
    endsBetween: z.literal(true).exactOptional(),
  }),
  z.object({ times: Times, unknown: z.string().max(2_000) }),
]);
export type NotedPoll = z.infer<typeof NotedPoll>;

/** The only metric that a poll reads. */
const POLLED = 'errors';

/** Milliseconds from one of the two steps to its wake; undefined if the step also did something else. */
export function wakeAfterPoll(asks: readonly string[], isQuestion: boolean): { ms: number | null } | undefined {
  const [wake = '', ...others] = isQuestion ? asks.slice(1) : asks;
  if (others.length > 0 || (isQuestion && asks[0] !== 'compare')) return undefined;
  if (wake === '') return { ms: null };
  const ms = wake.startsWith(WAKE) ? Number(wake.slice(WAKE.length)) : Number.NaN;
  return Number.isSafeInteger(ms) ? { ms } : undefined;
}

const WAKE = 'wakeAt ';
const asksOf = (ms: number | null): string[] => (ms === null ? [] : [`${WAKE}${ms}`]);

/** The poll as a short record; undefined if it does not fit, and is noted as two steps. */
export function notedPoll(
  [one, ...others]: readonly Compared[],
  { times, nowMs, before }: { times: NotedPoll['times']; nowMs: number; before: ComparedPods | undefined },
  notes: CountsNotes,
): NotedPoll | undefined {
  if (one?.metric !== POLLED || others.length > 0) return undefined;
  if (one.kind === 'unknown') return { times, unknown: one.reason };
  if (one.kind !== 'window') return undefined;
  const { metric: _, kind: _kind, window, isFinal, endsAtSample, ...more } = one;
  const { fromMs, toMs, canary, primary, pods, ...moreOfWindow } = window;
  // A short record cannot hold other fields.
  if (Object.keys({ ...more, ...moreOfWindow }).length > 0) return undefined;
  if (![...times, nowMs, fromMs, toMs].every((ms) => ms === null || Number.isSafeInteger(ms))) return undefined;
  const noted = pods && notes.notedPods(pods, before);
  const span: [number, number] = [nowMs - fromMs, nowMs - toMs];
  const counts = { canary: notedCounts(canary), primary: notedCounts(primary), ...(noted && { pods: noted }) };
  return { times, span, ...counts, ...(isFinal && { isFinal }), ...(!endsAtSample && { endsBetween: true }) };
}

/** Both steps of a poll, in the form of the recorder. */
export function stepsOf(poll: NotedPoll, lastMs: number, decided: StepSummary, notes: CountsNotes) {
  const [asked, answered, ...wakes] = poll.times;
  const nowMs = lastMs + asked + answered;
  return {
    question: { nowMs: lastMs + asked, decided: { ...decided, asks: ['compare', ...asksOf(wakes[0])] } },
    answer: { nowMs, decided: { ...decided, asks: asksOf(wakes[1]) }, compared: [comparedIn(poll, nowMs, notes)] },
  };
}

function comparedIn(read: NotedPoll, nowMs: number, notes: CountsNotes): Compared {
  if ('unknown' in read) return { metric: POLLED, kind: 'unknown', reason: read.unknown };
  const { span, canary, primary, pods, isFinal, endsBetween } = read;
  const [fromMs, toMs] = [nowMs - span[0], nowMs - span[1]];
  const window = { fromMs, toMs, canary: countsIn(canary), primary: countsIn(primary), ...(pods && { pods: notes.pods(pods) }) };
  return { metric: POLLED, kind: 'window', window, ...(isFinal && { isFinal }), ...(!endsBetween && { endsAtSample: true }) };
}
