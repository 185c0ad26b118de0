import { describe, expect, it } from 'vitest';
import { at, releasing, steps } from '../../test/build/releasing.ts';
import { aCanary, initialized, withHooks } from '../../test/build/world.ts';

describe('gates', () => {
  it('E7: a closed confirm-rollout waits without scaling up and starts when it opens (03-L2)', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.tick();
    expect([world.phase, world.targetReplicas]).toEqual(['Waiting', 0]);
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.tick();
    expect(world.phase).toBe('Progressing');
  });

  it('E7: polling a closed gate writes no status', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    const before = world.asked.filter((one) => one.kind === 'record').length;
    for (let polls = 0; polls < 5; polls += 1) world.tick();
    expect(world.asked.filter((one) => one.kind === 'record')).toHaveLength(before);
  });

  it('E7: a return to the promoted revision while waiting ends the wait', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.push('s1:a');
    expect([world.phase, world.step, world.release.revision]).toEqual(['Succeeded', 'resting', 's1:a']);
  });

  it('E24: a closed confirm-promotion keeps checking and polls every interval with the true weight (15.2.27)', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-promotion') }));
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.push('s1:b');
    world.tickUntil(at('WaitingPromotion'));
    const asked = () => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-promotion').length;
    const before = asked();
    for (let polls = 0; polls < 3; polls += 1) world.tick();
    expect([asked() - before, world.canary.status?.canaryWeight]).toEqual([3, 40]);
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tickUntil(at('Failed', 'resting'));
    expect(world.promoted).toEqual([]);
  });

  it('E16: blue/green asks confirm-promotion once, before live traffic moves (15.2.27)', () => {
    const world = initialized(aCanary({ iterations: 1, ...withHooks('confirm-promotion') }));
    world.push('s1:b');
    world.tickUntil(at('Succeeded'));
    expect(world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-promotion')).toHaveLength(1);
  });

  it('E23: a closed confirm-traffic-increase holds the weight and counts nothing', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-traffic-increase') }));
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    world.push('s1:b');
    for (let polls = 0; polls < 4; polls += 1) world.tick();
    expect([world.phase, world.canary.status?.canaryWeight, world.release.failedChecks]).toEqual(['Progressing', 0, 0]);
    world.behaviour.hooks['confirm-traffic-increase'] = 'passed';
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E8: refused pre-rollout hooks count and take the release back before any traffic (I2)', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('pre-rollout') }));
    world.behaviour.hooks['pre-rollout'] = 'refused';
    world.push('s1:b');
    world.tickUntil(at('Failed', 'resting'));
    expect([world.trace.every((one) => !one.includes('20')), world.release.failedChecks]).toEqual([true, 3]);
  });

  it('E25: a rollback hook that answers yes takes the release back', () => {
    const world = releasing(withHooks('rollback'));
    world.behaviour.hooks.rollback = 'passed';
    world.tick();
    expect([world.phase, world.routes]).toMatchObject(['Failed', { canary: 0 }]);
  });
});
