import { expect, it } from 'vitest';
import { JournalEntry } from './journal-part.ts';

const text = (length: number): string => 'x'.repeat(length);
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const decided = { state: 'New', routes: 'weighted', weight: 0, failedChecks: 0, iterations: 0, asks: [] };
const hooks = { kind: 'runHooks', type: 'rollout', outcome: 'passed', webhooks: [] };
const measured = { kind: 'measure', verdicts: [] };
const unread = { metric: 'errors', kind: 'unknown', reason: 'no answer' };
const window = { fromMs: 0, toMs: 1, canary: { requests: 1, failures: 0 }, primary: { requests: 1, failures: 0 } };
const counted = (pods: object) => ({ kind: 'compare', compared: [{ metric: 'errors', kind: 'window', window: { ...window, pods } }] });
const read = (one: object) => ({ kind: 'compare', compared: [{ metric: 'errors', ...one }] });
const pod = { name: 'p', requests: 1, failures: 0 };

it.each<[what: string, most: number, entry: (count: number) => object]>([
  ['characters of a delivery', 1_000, (count) => ({ key: text(count) })],
  ['characters of a state', 300, (count) => ({ decided: { ...decided, state: text(count) } })],
  ['questions of a step', 2_000, (count) => ({ decided: { ...decided, asks: times(count, 'record') } })],
  ['writes after a step', 50, (count) => ({ writes: times(count, 'PATCH') })],
  ['hooks that passed', 200, (count) => ({ answer: { ...hooks, webhooks: times(count, 'gate') } })],
  ['calls of hooks', 1_000, (count) => ({ answer: { ...hooks, calls: times(count, { webhook: 'gate' }) } })],
  [
    'characters of a refusal',
    2_000,
    (count) => ({ answer: { kind: 'runHooks', type: 'rollout', outcome: 'refused', webhook: 'gate', reason: text(count) } }),
  ],
  ['checks of an interval', 500, (count) => ({ answer: { ...measured, verdicts: times(count, { check: 'errors', verdict: 'passed' }) } })],
  ['queries of a measurement', 100, (count) => ({ answer: { ...measured, queries: times(count, 'up') } })],
  ['queries of a comparison', 100, (count) => ({ answer: { kind: 'compare', compared: [], queries: times(count, 'up') } })],
  ['metrics of a comparison', 200, (count) => ({ answer: { kind: 'compare', compared: times(count, unread) } })],
  [
    'characters of why counts cannot be read',
    2_000,
    (count) => ({ answer: { kind: 'compare', compared: [{ ...unread, reason: text(count) }] } }),
  ],
  ['windows of a history', 2_200, (count) => ({ answer: read({ kind: 'history', primary: times(count, 1) }) })],
  ['windows of buckets', 1_000, (count) => ({ answer: read({ kind: 'buckets', toMs: 1, primary: times(count, { cumulative: [1] }) }) })],
  ['buckets of a window', 200, (count) => ({ answer: read({ kind: 'buckets', toMs: 1, primary: [{ cumulative: times(count, 1) }] }) })],
  [
    'bounds of buckets',
    200,
    (count) => ({ answer: read({ kind: 'buckets', toMs: 1, primary: [{ boundsMs: times(count, 1), cumulative: [] }] }) }),
  ],
  ['pods of a side', 1_000, (count) => ({ answer: counted({ canary: times(count, pod), primary: [] }) })],
  ['pods of the canary with requests', 5_000, (count) => ({ answer: counted({ canary: count, primary: [] }) })],
  ['pods of the primary', 4_000, (count) => ({ answer: counted({ canary: 1, primary: times(count, 1) }) })],
  ['names of pods', 4_000, (count) => ({ answer: counted({ canary: 1, primary: [], names: times(count, 'p') }) })],
  ['characters of the name of a pod', 300, (count) => ({ answer: counted({ canary: 1, primary: [], names: [text(count)] }) })],
  ['polls after a step', 5_000, (count) => ({ polls: times(count, { times: [1, 0, null, null], unknown: 'no answer' }) })],
])('I16: of %s a reader of a journal takes %i, and no more', (_, most, entry) => {
  const parsed = (count: number) => JournalEntry.safeParse({ event: 'ANSWER', decided, ...entry(count) });
  expect(parsed(most).error).toBeUndefined();
  expect(parsed(most + 1).success).toBe(false);
});
