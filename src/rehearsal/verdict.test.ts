import { expect, it } from 'vitest';
import { scenarioOf } from './scenarios.ts';
import { verdictOf } from './verdict.ts';

const checked = (...verdicts: ('passed' | 'failed' | 'unmeasured')[]) =>
  verdicts.map((verdict, index) => ({ kind: 'checks' as const, atMs: index, verdicts: [{ check: 'latency', verdict }] }));

it.each([
  { title: 'a check failed', moments: checked('unmeasured', 'failed'), verdict: 'caught' },
  { title: 'a check passed, and was lost then', moments: checked('passed', 'unmeasured'), verdict: 'caught' },
  { title: 'it never got to a check', moments: [], verdict: 'caught' },
  { title: 'no check was ever measured', moments: checked('unmeasured', 'unmeasured'), verdict: 'rolledBack' },
] as const)('a bad version that is rolled back is $verdict where $title', ({ moments, verdict }) => {
  const scenario = scenarioOf('bad-5xx');
  if (scenario === undefined) throw new Error('it is built in');
  expect(verdictOf({ outcome: 'rolledBack', scenario, moments })).toBe(verdict);
});
