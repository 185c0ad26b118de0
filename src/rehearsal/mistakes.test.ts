import { expect, it } from 'vitest';
import { mistakesOf } from './mistakes.ts';
import type { Rehearsal } from './rehearsal.ts';
import { scenarioOf } from './scenarios.ts';

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
