import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Verdict } from '../api/canary-status.ts';
import { explain } from './explain.ts';

const steps = { stepWeight: 20, maxWeight: 40 };
const failed: Verdict = { check: 'errors', verdict: 'failed', value: 9, limit: 'at most 1' };
const early: Verdict = { check: 'errors', verdict: 'unmeasured', early: true, reason: 'errors waits for samples' };
const isAnalysing = (world: World) => world.step === 'analysing';

function released(revision: string, analysis = {}): World {
  const world = initialized(aCanary({ ...steps, ...analysis }));
  world.push(revision);
  return world;
}

describe('only this revision is measured (E20a)', () => {
  it('E20a: measurement starts when its pods are the only ones, which is before any call of a hook', () => {
    const world = released('s1:b', withHooks('pre-rollout'));
    world.behaviour.hooks['pre-rollout'] = 'refused';
    expect(world.release.measuredFromMs).toBeUndefined();
    world.tickUntil((one) => one.step === 'hooks' || one.step === 'preRollout');
    const from = world.nowMs;
    expect(world.release.measuredFromMs).toBe(from);
    world.behaviour.hooks['pre-rollout'] = 'passed';
    world.tickUntil(isAnalysing);
    expect(world.release.measuredFromMs).toBe(from);
  });

  it('E20a: the next revision after a failed one starts over, and knows since when the last has rested', () => {
    const world = released('s1:b');
    world.behaviour.verdicts = [failed];
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'resting');
    const restedAt = world.nowMs;
    world.nowMs += 600_000;
    world.push('s1:c');
    expect(world.release).not.toHaveProperty('measuredFromMs');
    // After a scale-down delay no proxy sends anything to the stopped pods.
    expect(world.release.othersUntilMs).toBe(restedAt + 5_000);
  });

  it('E20a: a revision that supersedes cannot know when the other got its last request, only when its own pods are the only ones', () => {
    const world = released('s1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    world.push('s1:c');
    expect(world.release).not.toHaveProperty('othersUntilMs');
    expect(world.release).not.toHaveProperty('measuredFromMs');
    world.tickUntil(isAnalysing);
    expect(world.release.measuredFromMs).toBe(world.nowMs);
  });

  it('E20a: a canary that was down for a while keeps its own past', () => {
    const world = released('s1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    const from = world.release.measuredFromMs;
    world.targetDown = true;
    world.settle();
    world.nowMs += 7_000;
    world.targetDown = false;
    world.tickUntil((one) => one.step === 'analysing');
    expect(world.release.measuredFromMs).toEqual(from);
  });

  it.each(['fail', 'hold'] as const)(
    'E20a: too early to measure holds with unmeasured: %s, without a warning, and ends by itself',
    (unmeasured) => {
      const world = released('s1:b', { unmeasured });
      world.behaviour.verdicts = [early];
      world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
      world.tick();
      world.tick();
      expect([world.canary.status?.canaryWeight, world.release.failedChecks]).toEqual([20, 0]);
      expect(world.asked.filter((one) => one.kind === 'announce' && one.announcement.type === 'Warning')).toEqual([]);
      expect(explain(world.canary, world.facts())).toMatch(/^Checks the canary every 10s, next at .* \(errors waits for samples\)\.$/);
      world.behaviour.verdicts = [];
      world.tick();
      expect(world.canary.status?.canaryWeight).toBe(40);
    },
  );

  it('E20a: a check that failed, or cannot be measured for good, counts beside an early one', () => {
    const world = released('s1:b');
    world.behaviour.verdicts = [early, failed];
    world.tickUntil((one) => one.release.failedChecks === 1);
    world.behaviour.verdicts = [early, { check: 'latency', verdict: 'unmeasured', reason: 'timeout' }];
    world.tick();
    expect([world.release.failedChecks, world.release.reason]).toEqual([2, 'latency is unmeasured: timeout']);
  });
});
