import { expect, it } from 'vitest';
import { mistakesOf } from './mistakes.ts';
import type { Rehearsal } from './rehearsal.ts';
import { scenarioOf } from './scenarios.ts';
import { ENOUGH_REQUESTS } from './thin-evidence.ts';

const MINUTE_MS = 60_000;
const none = { sent: 0, failed: 0 };

/** A bad version that failed its first check after one minute. */
function rolledBack(afterMinutes: number): Rehearsal {
  const scenario = scenarioOf('bad-5xx');
  if (scenario === undefined) throw new Error('it is built in');
  return {
    ...{ canary: { namespace: 'test', name: 'app' }, scenario, outcome: 'rolledBack', phase: 'Failed', message: '', log: '' },
    ...{ tookMs: afterMinutes * MINUTE_MS, requests: { old: none, new: none, none }, peakPods: 2 },
    moments: [
      { kind: 'checks', atMs: MINUTE_MS, verdicts: [{ check: 'latency', verdict: 'failed' }] },
      { kind: 'phase', atMs: afterMinutes * MINUTE_MS, phase: 'Failed' },
    ],
    ...{ samples: [], checkNotes: [], assumptions: [], supplied: [], notApplied: [] },
  };
}

/** A release with this end, after checks that were decided by these numbers of requests. */
function judgedBy(outcome: Rehearsal['outcome'], ...requests: (number | undefined)[]): Rehearsal {
  const scenario = scenarioOf('good');
  if (scenario === undefined) throw new Error('it is built in');
  const moments = requests.map((count, index) => ({
    kind: 'checks' as const,
    atMs: index * MINUTE_MS,
    verdicts: [
      { check: 'request-success-rate', verdict: 'passed' as const, ...(count !== undefined && { requests: count }) },
      { check: 'orders', verdict: 'passed' as const },
    ],
  }));
  return { ...rolledBack(5), scenario, outcome, moments };
}

it.each<[string, Rehearsal, boolean]>([
  ['each check by a handful of requests', judgedBy('promoted', 2, 0.5, 3), true],
  ['one check by one request too few', judgedBy('promoted', ENOUGH_REQUESTS - 1), true],
  ['one check of three by enough', judgedBy('promoted', 2, ENOUGH_REQUESTS, 3), false],
  ['checks whose requests were not counted', judgedBy('promoted', undefined, undefined), false],
  ['a rollback, which has its own reason', judgedBy('rolledBack', 2, 2), false],
])('a promotion on thin evidence is a mistake: %s', (_, rehearsal, isThin) => {
  const thin = mistakesOf(rehearsal).filter(({ code }) => code === 'thin-evidence');
  expect(thin.map(({ severity }) => severity)).toEqual(isThin ? ['warning'] : []);
});

it('a metric that only observes decides nothing, on any evidence', () => {
  const rehearsal = judgedBy('promoted');
  const verdicts = [{ check: 'request-duration', verdict: 'passed' as const, requests: 2, observed: true }];
  expect(mistakesOf({ ...rehearsal, moments: [{ kind: 'checks', atMs: 0, verdicts }] })).toEqual([]);
});

it('names the check, its highest number of requests, and the remedy', () => {
  expect(mistakesOf(judgedBy('promoted', 2, 0.5, 3))).toEqual([
    {
      code: 'thin-evidence',
      severity: 'warning',
      message:
        'no check of request-success-rate was decided by more than 3 requests: with fewer than 29 a version that fails every tenth request passes more often than one time in twenty; make the interval of the metric longer, or set minimumRequests with analysis.unmeasured: hold',
    },
  ]);
});

it('ENOUGH_REQUESTS is the least number with which a version that fails every tenth request is seen in 19 of 20 checks', () => {
  expect(0.9 ** ENOUGH_REQUESTS).toBeLessThanOrEqual(0.05);
  expect(0.9 ** (ENOUGH_REQUESTS - 1)).toBeGreaterThan(0.05);
});

it('a rollback long after the first failed check is a mistake', () => {
  expect(mistakesOf(rolledBack(31))).toEqual([]);
  expect(mistakesOf(rolledBack(961))).toEqual([
    {
      code: 'rolled-back-late',
      severity: 'warning',
      message: expect.stringContaining('is rolled back 960 min after its first failed check'),
    },
  ]);
});
