import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';
import type { Analysis } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { countedFailures, overLimit } from './failure-limits.ts';

const failed: Verdict = { check: 'errors', verdict: 'failed', value: 9, limit: 'at most 1', reason: 'errors: 9 is above the maximum of 1' };
const unmeasured: Verdict = { check: 'errors', verdict: 'unmeasured', reason: 'timeout' };
const metrics = [{ name: 'errors', failureLimit: 1 }, { name: 'latency' }];

function releasing(analysis: Partial<Analysis> = {}): World {
  const world = initialized(aCanary({ stepWeight: 20, maxWeight: 80, threshold: 10, metrics, ...analysis }));
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
  return world;
}

describe('a metric with a failureLimit', () => {
  it('E20b: rolls the release back at one failure more, with any threshold, and reports it', () => {
    const world = releasing();
    world.behaviour.verdicts = [failed];
    world.tick();
    expect([world.phase, world.release.failures]).toEqual(['Progressing', { errors: 1 }]);
    world.behaviour.verdicts = [];
    world.tick();
    world.behaviour.verdicts = [failed];
    world.tick();
    expect([world.phase, world.release.failedChecks]).toEqual(['Failed', 2]);
    expect(world.release.reason).toBe('errors failed 2 times, more than its failureLimit of 1, last: errors: 9 is above the maximum of 1');
  });

  it('E20b: counts only its own failures, and forgets them with the release', () => {
    const world = releasing();
    world.behaviour.verdicts = [{ ...failed, check: 'latency' }];
    for (let ticks = 0; ticks < 5; ticks += 1) world.tick();
    expect([world.phase, world.release.failedChecks, world.release.failures]).toEqual(['Progressing', 5, undefined]);
    world.behaviour.verdicts = [failed];
    world.tick();
    world.push('s1:c');
    expect(world.release.failures).toBeUndefined();
  });

  it('E20b: exceeds the limit at its first failure if the limit is 0', () => {
    const world = releasing({ metrics: [{ name: 'errors', failureLimit: 0 }] });
    world.behaviour.verdicts = [failed];
    world.tick();
    expect([world.phase, world.release.failedChecks]).toEqual(['Failed', 1]);
  });
});

it.each<[string, readonly Verdict[], Analysis['unmeasured'], number | undefined]>([
  ['a failure', [failed], 'hold', 1],
  ['two checks of one name in one tick', [failed, failed], 'fail', 1],
  ['what cannot be measured', [unmeasured], undefined, 1],
  ['what cannot be measured, and is held', [unmeasured], 'hold', undefined],
  ['what is too early', [{ ...unmeasured, early: true }], 'fail', undefined],
  ['what is only observed', [{ ...failed, observed: true }], 'fail', undefined],
])('E20b, I11: %s', (_, verdicts, mode, count) => {
  const analysis = { interval: '10s', threshold: 9, metrics, unmeasured: mode };
  const counted = countedFailures({}, verdicts, analysis);
  expect([counted.errors, overLimit(counted, analysis)]).toEqual([count, undefined]);
});
