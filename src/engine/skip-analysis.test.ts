import { describe, expect, it } from 'vitest';
import { at, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';

const skipping = (analysis = {}) => initialized(aCanary({ ...steps, ...analysis }, { skipAnalysis: true }));
const skip = (world: World) => {
  world.canary = { ...world.canary, spec: { ...world.canary.spec, skipAnalysis: true } };
};
const hooksAsked = (world: World) => world.asked.flatMap((one) => (one.kind === 'runHooks' ? [one.type] : []));
const primaryWrites = (world: World) => world.asked.filter(({ kind }) => kind === 'promote');

describe('skipAnalysis', () => {
  it('E83, E42: starts the canary, promotes it when it is ready, and waits for the primary', () => {
    const world = skipping();
    world.primaryDown = true;
    world.push('s1:b');
    world.tick(30_000);
    expect([world.phase, world.step]).toEqual(['Promoting', 'awaitingPrimary']);
    world.primaryDown = false;
    world.tickUntil(at('Succeeded'));
    expect([world.promoted, world.trace]).toEqual([['s1:b'], ['Progressing 0', 'Promoting 0', 'Finalising 0', 'Succeeded 0']]);
  });

  it('E83, I3: a canary that never becomes ready fails at the deadline, and the primary is never written', () => {
    const world = skipping();
    world.behaviour.brokenCanary.add('s1:b');
    world.pushUntil('s1:b', at('Failed', 'resting'));
    expect([primaryWrites(world), world.primaryCarries, world.targetReplicas]).toEqual([[], 's1:a', 0]);
    expect(world.release.reason).toContain('not ready within 60 s');
  });

  it('E83: a canary below its threshold is not promoted, no matter how long it serves', () => {
    const world = skipping();
    world.room.target = 0;
    world.push('s1:b');
    world.tick(30_000);
    expect([world.phase, world.step, primaryWrites(world)]).toEqual(['Progressing', 'scalingUp', []]);
    world.room.target = 1;
    world.sendFacts();
    expect(world.phase).toBe('Promoting');
  });

  it.each([
    ['a confirm-rollout gate that opens', (world: World) => void world.push('s1:b')],
    [
      'an approval by promote',
      (world: World) => {
        world.behaviour.hooks['confirm-rollout'] = 'refused';
        world.push('s1:b');
        world.ask('promote', 'p');
      },
    ],
  ])('E83: starts and promotes also after %s', (_, start) => {
    const world = skipping(withHooks('confirm-rollout'));
    world.behaviour.brokenCanary.add('s1:b');
    start(world);
    expect([world.phase, world.step]).toEqual(['Progressing', 'scalingUp']);
    world.tickUntil(at('Failed', 'resting'));
    expect(primaryWrites(world)).toEqual([]);
  });

  it('E83: starts and promotes also after retry', () => {
    const world = skipping();
    world.behaviour.brokenCanary.add('s1:b');
    world.pushUntil('s1:b', at('Failed', 'resting'));
    world.ask('retry', 'r');
    expect([world.phase, world.step]).toEqual(['Progressing', 'scalingUp']);
    world.tickUntil(at('Failed', 'resting'));
    expect(primaryWrites(world)).toEqual([]);
  });

  it('E83, E42: switched on during a release it promotes a canary that is ready', () => {
    const world = releasing();
    skip(world);
    world.tickUntil(at('Succeeded'));
    expect([world.promoted, world.trace.slice(1, 3)]).toEqual([['s1:b'], ['Progressing 20', 'Promoting 20']]);
  });

  it('E83: switched on during a release whose canary is short of pods it waits for them, and checks nothing', () => {
    const world = releasing();
    world.room.target = 0;
    skip(world);
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tick(10_000);
    world.tick(10_000);
    expect([world.phase, world.step, world.release.failedChecks, primaryWrites(world)]).toEqual(['Progressing', 'scalingUp', 0, []]);
    world.tickUntil(at('Failed', 'resting'));
    expect(world.promoted).toEqual([]);
  });

  it('E83: calls no gate but confirm-rollout', () => {
    const gates = ['confirm-rollout', 'pre-rollout', 'rollout', 'confirm-traffic-increase', 'confirm-promotion'] as const;
    const world = skipping(withHooks(...gates));
    world.pushUntil('s1:b', at('Succeeded'));
    expect(hooksAsked(world)).toEqual(['confirm-rollout']);
  });

  it('E83, E56: pods that have read other configs are not evidence: they are recycled first', () => {
    const world = initialized(aCanary(steps), (one) => {
      one.configs = { settings: 'red' };
    });
    world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
    world.configs = { settings: 'blue' };
    world.configsVersion = '2';
    skip(world);
    world.push('s1:c');
    expect(['recycleRouting', 'recycleDraining']).toContain(world.step);
    world.tickUntil(at('Succeeded'));
    expect([world.promoted, world.podsRead]).toEqual([['s1:c'], { settings: 'blue' }]);
  });
});
