import { expect, it } from 'vitest';
import { Release } from '../api/canary-status.ts';
import { measuredWindow } from './measured-window.ts';

const nowMs = 10_000_000;
function after(windows: Partial<Release>): Release {
  const routes = { kind: 'weighted', canary: 20 };
  const times = { startedMs: 0, stepStartedMs: 0 };
  const counts = { run: 2, failedChecks: 0, iterations: 0, observedGeneration: 1 };
  return Release.parse({ targetUid: 't', revision: 's1:b', step: 'analysing', routes, ...counts, ...times, ...windows });
}

it.each([
  { name: 'the release before ended within it', from: 30, others: 50, metric: '1m', interval: '30s', isCut: true },
  { name: 'it is not known when the last revision ended', from: 30, others: undefined, metric: '1m', interval: '30s', isCut: true },
  { name: 'the metric names no interval', from: 30, others: undefined, metric: undefined, interval: '30s', isCut: true },
  { name: 'the canary has just begun', from: 0.4, others: undefined, metric: '3s', interval: '400ms', isCut: true },
  { name: 'the canary begins at this moment', from: 0, others: undefined, metric: '3s', interval: '1ms', isCut: true },
  { name: 'the Canary rested for longer than it', from: 30, others: 60, metric: '1m', interval: '1m', isCut: false },
  { name: 'the revision is older than it', from: 60, others: undefined, metric: '1m', interval: '1m', isCut: false },
  { name: 'it is another one than Serin can read', from: 1, others: undefined, metric: '1w', interval: '1w', isCut: false },
])('E20a: the window is $interval of $metric when $name', ({ from, others, metric, interval, isCut }) => {
  const ago = (seconds: number) => nowMs - seconds * 1000;
  const release = after({ measuredFromMs: ago(from), ...(others === undefined ? {} : { othersUntilMs: ago(others) }) });
  expect(measuredWindow({ interval: metric }, release, nowMs, {})).toEqual({ interval, isCut });
});

it('E20a: a release that an earlier version or another controller began has an unchanged window', () => {
  expect(measuredWindow({ interval: '1m' }, after({}), nowMs, {})).toEqual({ interval: '1m', isCut: false });
  expect(measuredWindow({ interval: '1m' }, undefined, nowMs, {})).toEqual({ interval: '1m', isCut: false });
});

it.each([
  { from: 30, others: 50, interval: '29s', isCut: true },
  { from: 0.5, others: undefined, interval: '1ms', isCut: true },
  { from: 30, others: 60, interval: '29s', isCut: true },
  { from: 30, others: 61, interval: '1m', isCut: false },
])('E20a: counters that come a second late: $interval of 1m, $from s after this revision began', ({ from, others, interval, isCut }) => {
  const ago = (seconds: number) => nowMs - seconds * 1000;
  const release = after({ measuredFromMs: ago(from), ...(others === undefined ? {} : { othersUntilMs: ago(others) }) });
  expect(measuredWindow({ interval: '1m' }, release, nowMs, { counterDelayMs: 1_000 })).toEqual({ interval, isCut });
});
