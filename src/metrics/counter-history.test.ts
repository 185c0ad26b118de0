import { expect, it } from 'vitest';
import { mostGained } from './counter-changes.ts';
import { errorsHistory, errorsHistoryQuery, latencyHistory, latencyHistoryQuery } from './counter-history.ts';

const STEP_SECONDS = 300;
/** Counts of `count` instances at two moments. */
const series = (from: number, to: number, count: number) => [
  {
    labels: { serin_part: 'all' },
    points: [
      [0, from],
      [STEP_SECONDS, to],
    ] as [number, number][],
  },
  {
    labels: { serin_part: 'succeeded' },
    points: [
      [0, from],
      [STEP_SECONDS, to],
    ] as [number, number][],
  },
  {
    labels: { serin_part: 'instances' },
    points: [
      [0, count],
      [STEP_SECONDS, count],
    ] as [number, number][],
  },
];

it.each([1, 3])('of %i instances a window counts up to the maximum that they can serve in it, and nothing if they leapt', (count) => {
  const most = mostGained(STEP_SECONDS * 1000) * count;
  expect(errorsHistory(series(5, 5 + most, count))).toEqual([{ requests: most, failures: 0 }]);
  expect(errorsHistory(series(5, 6 + most, count))).toEqual([]);
});

const counters = { requests: 'requests{a="b"}', succeeded: 'succeeded{a="b"}', buckets: 'buckets{a="b"}' };

it.each([
  { learnMs: 1_000, errors: '5000ms', latency: '15000ms' },
  { learnMs: 10_000, errors: '10000ms', latency: '15000ms' },
  { learnMs: 60_000.5, errors: '60001ms', latency: '60001ms' },
])(
  'three hours are read in windows of $learnMs ms, up to the maximum number: $errors of errors, $latency of latencies',
  ({ learnMs, errors, latency }) => {
    expect(errorsHistoryQuery(counters, 7_000, learnMs)).toMatch(new RegExp(`\\)\\[10800000ms:${errors}\\] @ 7\\.000$`));
    expect(latencyHistoryQuery(counters, 7_000, learnMs)).toMatch(new RegExp(`\\)\\[10800000ms:${latency}\\] @ 7\\.000$`));
  },
);

it('the history is the sum over all instances, together with their number', () => {
  expect(errorsHistoryQuery(counters, 7_000, 10_000)).toBe(
    '(label_replace(sum(requests{a="b"}),"serin_part","all","","") or label_replace(sum(succeeded{a="b"}),"serin_part","succeeded","","") or ' +
      'label_replace(count(count by (instance) (requests{a="b"})),"serin_part","instances","",""))[10800000ms:10000ms] @ 7.000',
  );
  expect(latencyHistoryQuery(counters, 7_000, 30_000)).toBe(
    '(label_replace(sum by (le) (buckets{a="b"}),"serin_part","all","","") or ' +
      'label_replace(count(count by (instance) (buckets{a="b",le="+Inf"})),"serin_part","instances","",""))[10800000ms:30000ms] @ 7.000',
  );
});

/** Counts of one instance at each moment, by the labels of the part. */
const read = (...parts: [labels: Record<string, string>, values: number[]][]) =>
  [...parts, [{ serin_part: 'instances' }, parts[0]?.[1].map(() => 1) ?? []] as const].map(([labels, values]) => ({
    labels,
    points: values.map((value, nth): [number, number] => [nth * STEP_SECONDS, value]),
  }));

it.each([
  { of: 'one request', all: [0, 1], succeeded: [0, 1], windows: [{ requests: 1, failures: 0 }] },
  { of: 'one that failed', all: [0, 1], succeeded: [0, 0], windows: [{ requests: 1, failures: 1 }] },
  { of: 'no request', all: [3, 3], succeeded: [3, 3], windows: [] },
  { of: 'more successes than requests', all: [0, 2], succeeded: [0, 3], windows: [] },
  {
    of: 'two windows, oldest first',
    all: [0, 2, 7],
    succeeded: [0, 1, 6],
    windows: [
      { requests: 2, failures: 1 },
      { requests: 5, failures: 0 },
    ],
  },
])('the history of errors: $of', ({ all, succeeded, windows }) => {
  expect(errorsHistory(read([{ serin_part: 'all' }, all], [{ serin_part: 'succeeded' }, succeeded]))).toEqual(windows);
});

it('the history of errors: without a series of all requests it is empty', () => {
  expect(errorsHistory(read([{ serin_part: 'succeeded' }, [0, 0]]))).toEqual([]);
});

it.each([
  { of: 'one request', last: [0, 1], windows: [{ boundsMs: [500, Number.POSITIVE_INFINITY], cumulative: [0, 1] }] },
  { of: 'no request', last: [0, 0], windows: [] },
])('the history of latencies, of buckets in seconds: $of', ({ last, windows }) => {
  const series = read([{ serin_part: 'all', le: '+Inf' }, last], [{ serin_part: 'all', le: '0.5' }, [0, 0]]);
  expect(latencyHistory(series, 's')).toEqual(windows);
});
