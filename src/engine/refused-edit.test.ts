import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import { explain } from './explain.ts';

const steps = { stepWeight: 20, maxWeight: 60 };
const refused = { reason: 'InvalidSpec', message: 'spec.analysis.stepWeight is not above 0' } as const;
const failed = [{ check: 'errors', verdict: 'failed' }] as const;

/** A release with a fifth of the traffic on its canary, after an edit of its spec that is refused. */
function edited(analysis = {}, uncheckedForMs?: number): World {
  const world = initialized(aCanary({ ...steps, ...analysis }));
  world.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 20);
  const uncheckedUntilMs = world.nowMs + (uncheckedForMs ?? 0);
  world.behaviour.refused = { ...refused, ...(uncheckedForMs === undefined ? {} : { uncheckedUntilMs }) };
  world.crash();
  world.settle();
  return world;
}

const questions = (world: World) => world.asked.filter(({ kind }) => ['measure', 'runHooks', 'promote'].includes(kind)).length;

describe('a refused edit of the spec in the middle of a release', () => {
  it('E65: a passed check takes no step and starts no promotion; the sentence says why, and a corrected spec continues', () => {
    const world = edited();
    const before = questions(world);
    for (let ticks = 0; ticks < 20; ticks += 1) world.tick();
    expect([world.phase, world.canary.status?.canaryWeight, questions(world) - before > 10]).toEqual(['Progressing', 20, true]);
    expect(explain(world.canary, world.facts())).toContain(refused.message);
    delete world.behaviour.refused;
    world.tickUntil(({ phase }) => phase === 'Succeeded');
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E65: failed checks count on from their former number, and roll the release back', () => {
    const world = edited();
    world.behaviour.verdicts = failed;
    world.tick();
    expect(world.release.failedChecks).toBe(1);
    world.tickUntil(({ phase, step }) => phase === 'Failed' && step === 'resting');
    expect([world.canary.status?.canaryWeight, world.targetReplicas, world.promoted]).toEqual([0, 0, []]);
  });

  it('E65: a rollback hook rolls it back, as does a canary that is not ready at its deadline', () => {
    const asked = edited(withHooks('rollback'));
    asked.behaviour.hooks.rollback = 'passed';
    asked.tickUntil(({ phase }) => phase === 'Failed');
    const down = edited();
    down.targetDown = true;
    down.settle();
    down.tick(60_000);
    expect([down.phase, down.canary.status?.canaryWeight]).toEqual(['Failed', 0]);
  });

  it('E65: the promoted revision in the target cancels, and a promotion that has begun ends', () => {
    const back = edited();
    back.pushUntil('s1:a', ({ phase, step }) => phase === 'Succeeded' && step === 'resting');
    expect(back.promoted).toEqual([]);
    const world = initialized(aCanary({ ...steps, stepWeightPromotion: 20 }));
    world.pushUntil('s1:b', ({ phase }) => phase === 'Promoting');
    world.behaviour.refused = refused;
    world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
    expect(world.primaryCarries).toBe('s1:b');
  });

  it.each([
    { plan: 'without a gate', analysis: {}, phase: 'Initialized' },
    { plan: 'with one', analysis: withHooks('confirm-rollout'), phase: 'Initialized' },
  ])('E65: no release starts, $plan', ({ analysis, phase }) => {
    const world = initialized(aCanary({ ...steps, ...analysis }));
    world.behaviour.refused = refused;
    world.push('s1:b');
    world.tick(60_000);
    expect([world.phase, world.targetReplicas]).toEqual([phase, 0]);
    delete world.behaviour.refused;
    world.settle();
    world.tickUntil((one) => one.phase === 'Succeeded');
  });

  it('E65: a gate that opens meanwhile is called again, and starts the release when the spec is corrected', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    expect(world.phase).toBe('Waiting');
    world.behaviour.refused = refused;
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.tick();
    world.tick();
    expect(world.phase).toBe('Waiting');
    delete world.behaviour.refused;
    world.tickUntil((one) => one.phase === 'Succeeded');
  });

  it('E65: no first step is taken by pods that become ready, or by pre-rollout hooks that pass', () => {
    for (const analysis of [{}, withHooks('pre-rollout'), withHooks('confirm-traffic-increase')]) {
      const world = initialized(aCanary({ ...steps, ...analysis }));
      world.push('s1:b');
      expect(world.step).not.toBe('analysing');
      world.behaviour.refused = refused;
      world.crash();
      world.settle();
      for (let ticks = 0; ticks < 5; ticks += 1) world.tick();
      expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Progressing', 0]);
      delete world.behaviour.refused;
      world.tickUntil((one) => one.phase === 'Succeeded');
    }
  });

  it('E65: a pre-rollout hook that finally passes takes no first step', () => {
    const world = initialized(aCanary({ ...steps, threshold: 9, ...withHooks('pre-rollout') }));
    world.behaviour.hooks['pre-rollout'] = 'refused';
    world.pushUntil('s1:b', ({ release }) => release.failedChecks === 1);
    world.behaviour.refused = refused;
    world.behaviour.hooks['pre-rollout'] = 'passed';
    for (let ticks = 0; ticks < 5; ticks += 1) world.tick();
    expect([world.release.preRolloutPassed, world.canary.status?.canaryWeight]).toEqual([true, 0]);
    delete world.behaviour.refused;
    world.tickUntil((one) => one.phase === 'Succeeded');
  });

  it('E65: if the previous spec is not known, no call or query is made, the counters stay, and the deadline routes traffic to the primary', () => {
    const world = edited({}, 60_000);
    world.behaviour.verdicts = failed;
    const before = questions(world);
    for (let ticks = 0; ticks < 5; ticks += 1) world.tick(10_000);
    expect([world.phase, world.canary.status?.canaryWeight, questions(world) - before]).toEqual(['Progressing', 20, 0]);
    world.tick(10_000);
    world.tickUntil(({ phase, step }) => phase === 'Failed' && step === 'resting');
    expect([world.canary.status?.canaryWeight, world.release.failedChecks, world.promoted]).toEqual([0, 0, []]);
    expect(world.release.reason).toContain(refused.message);
  });

  it('E65: a release whose previous spec is not known continues with its counters when the edit is corrected in time', () => {
    const world = initialized(aCanary(steps));
    world.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 20);
    world.behaviour.verdicts = failed;
    world.tick();
    world.behaviour.verdicts = [];
    world.behaviour.refused = { ...refused, uncheckedUntilMs: world.nowMs + 60_000 };
    world.crash();
    world.settle();
    world.tick(30_000);
    delete world.behaviour.refused;
    world.crash();
    world.settle();
    expect(world.release.failedChecks).toBe(1);
    world.tickUntil(({ phase }) => phase === 'Succeeded');
  });
});
