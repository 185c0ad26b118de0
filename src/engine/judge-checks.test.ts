import { expect, it } from 'vitest';
import { aCanary, initialized, withHooks } from '../../test/fakes/world.ts';
import { isUnmeasured, judgeChecks, judgementOfChecks, thresholdOf } from './judge-checks.ts';

const failed = { check: 'errors', verdict: 'failed', value: 9, limit: 'at most 1', reason: 'errors: 9 is above the maximum of 1' } as const;
const unmeasured = { check: 'latency', verdict: 'unmeasured', reason: 'timeout' } as const;

it.each([
  { name: 'no verdict', verdicts: [], mode: 'fail', result: { outcome: 'passed' } },
  {
    name: 'a failure beside an unmeasured one',
    verdicts: [unmeasured, failed],
    mode: 'hold',
    result: { outcome: 'failed', reason: 'errors: 9 is above the maximum of 1' },
  },
  {
    name: 'a failure beside an unmeasured one',
    verdicts: [unmeasured, failed],
    mode: 'fail',
    result: { outcome: 'failed', reason: 'errors: 9 is above the maximum of 1; latency is unmeasured: timeout' },
  },
  { name: 'unmeasured', verdicts: [unmeasured], mode: 'fail', result: { outcome: 'failed', reason: 'latency is unmeasured: timeout' } },
  { name: 'unmeasured', verdicts: [unmeasured], mode: 'hold', result: { outcome: 'hold', reason: 'latency is unmeasured: timeout' } },
] as const)('E22, I11: $name with $mode is $result.outcome', ({ verdicts, mode, result }) =>
  expect(judgementOfChecks(verdicts, mode)).toEqual(result),
);

it.each([
  { mode: 'fail', counted: [failed, unmeasured] },
  { mode: 'hold', counted: [failed] },
] as const)('E20, E22: the verdicts of a tick are judged once for all that need them, with unmeasured: $mode', ({ mode, counted }) => {
  const passed = { check: 'orders', verdict: 'passed' } as const;
  const verdicts = [{ ...failed, observed: true }, unmeasured, passed, { ...unmeasured, early: true }, failed] as const;
  const judged = judgeChecks(verdicts, mode);
  expect(judged).toMatchObject({ failed: counted, unmeasured: [unmeasured], decisive: [unmeasured, failed] });
  expect(judgeChecks(verdicts, mode)).toBe(judged);
});

it.each([
  [-1, 1],
  [0, 1],
  [1, 1],
  [3, 3],
])('with a threshold of %i the release ends at %i failed checks', (threshold, failedChecks) =>
  expect(thresholdOf({ interval: '10s', threshold })).toBe(failedChecks),
);

it('E20: several failures in one interval are one failed check, with any events before the next interval', () => {
  const world = initialized(aCanary({ stepWeight: 20, threshold: 3 }));
  world.push('s1:b');
  world.tick();
  world.behaviour.verdicts = [failed, { ...failed, check: 'latency' }];
  world.tick();
  world.sendFacts();
  world.crash();
  world.settle();
  expect([world.phase, world.release.failedChecks]).toEqual(['Progressing', 1]);
  world.tick();
  expect(world.release.failedChecks).toBe(2);
});

it('E20: one failed check lists all failures of its interval, up to a maximum', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((check) => ({ ...failed, check, reason: `${check}: 9` }));
  expect(judgementOfChecks(five.slice(0, 2))).toMatchObject({ reason: 'a: 9; b: 9' });
  expect(judgementOfChecks(five.slice(0, 3))).toMatchObject({ reason: 'a: 9; b: 9; c: 9' });
  expect(judgementOfChecks(five.slice(0, 4))).toMatchObject({ reason: 'a: 9; b: 9; c: 9; 1 more' });
  expect(judgementOfChecks(five)).toMatchObject({ reason: 'a: 9; b: 9; c: 9; 2 more' });
});

it.each([
  [failed, 'errors: 9 is above the maximum of 1'],
  [{ ...failed, requests: 12 }, 'errors: 9 is above the maximum of 1 (12 requests)'],
  [{ ...failed, reason: undefined }, 'errors'],
])('E20: a failed check like %j says %j', (verdict, reason) => {
  expect(judgementOfChecks([verdict])).toEqual({ outcome: 'failed', reason });
});

it('an observed metric neither fails nor holds a release', () => {
  const observed = [failed, unmeasured].map((one) => ({ ...one, observed: true }));
  expect([judgementOfChecks(observed), judgementOfChecks(observed, 'hold'), isUnmeasured({ verdicts: observed })]).toEqual([
    { outcome: 'passed' },
    { outcome: 'passed' },
    false,
  ]);
  expect(judgementOfChecks([...observed, failed], 'hold')).toEqual({ outcome: 'failed', reason: 'errors: 9 is above the maximum of 1' });
});

it('failed checks add up over a release, a passed one lowers nothing, and the next release begins at 0', () => {
  const world = initialized(aCanary({ stepWeight: 10, threshold: 4 }));
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 10);
  const counts = [failed, undefined, failed, undefined, failed].map((verdict) => {
    world.behaviour.verdicts = verdict ? [verdict] : [];
    world.tick();
    return world.canary.status?.failedChecks;
  });
  expect([counts, world.phase]).toEqual([[1, 1, 2, 2, 3], 'Progressing']);
  world.behaviour.verdicts = [failed];
  world.tick();
  expect([world.phase, world.canary.status?.failedChecks]).toEqual(['Failed', 0]);
  world.push('s1:c');
  expect(world.release.failedChecks).toBe(0);
});

it('before the first traffic only the pre-rollout hooks are called, again and again, and each refusal is a failed check', () => {
  const world = initialized(aCanary({ stepWeight: 10, threshold: 5, ...withHooks('pre-rollout', 'rollout') }));
  world.behaviour.hooks['pre-rollout'] = 'refused';
  const before = world.asked.length;
  world.pushUntil('s1:b', ({ release }) => release.failedChecks === 3);
  const asked = world.asked
    .slice(before)
    .flatMap((one) => (one.kind === 'runHooks' ? [one.type] : one.kind === 'measure' ? [one.kind] : []));
  expect(new Set(asked)).toEqual(new Set(['pre-rollout']));
  world.behaviour.hooks['pre-rollout'] = 'passed';
  world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
  expect(world.asked.slice(before).some(({ kind }) => kind === 'measure')).toBe(true);
});
