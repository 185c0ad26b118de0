import { describe, expect, it } from 'vitest';
import { at, releasing } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, withHooks } from '../../test/fakes/world.ts';

const condition = (world: ReturnType<typeof initialized>) =>
  world.canary.status?.conditions?.find(({ type }) => type === 'Promoted')?.message ?? '';

describe('the cause of an end', () => {
  it.each([
    { of: 'the metrics', hooks: {} },
    { of: 'a hook', hooks: withHooks('rollout') },
  ])('L8: is the stalled rollout, and not a check, if $of pass at the moment when it is seen', ({ hooks }) => {
    const world = releasing(hooks);
    world.nowMs += 10_000;
    world.send({ type: 'WAKE', facts: world.facts() });
    world.behaviour.brokenCanary.add('s1:b');
    world.behaviour.stalls = true;
    world.answer();
    expect([world.phase, world.release.failedChecks]).toEqual(['Failed', 0]);
    expect(world.release.reason).toBe('the canary cannot become ready: its rollout is stalled');
  });

  it('L8: is that pods with old configs did not stop, if that was the case', () => {
    const world = initialized(aCanary({ stepWeight: 20, maxWeight: 40 }));
    Object.assign(world, { configs: { 'configmap/a': 'x' }, targetReplicas: 1, podsRead: { 'configmap/a': 'x' } });
    world.pushUntil('s1:b', (one) => one.step === 'analysing');
    world.configs = { 'configmap/a': 'y' };
    world.configsVersion = '2';
    world.scalerGives = 1;
    world.watch = (desired) => {
      if (desired.target === 'zero') desired.target = 'untouched';
    };
    world.pushUntil('s1:c', at('Failed', 'resting'));
    expect(world.release.reason).toMatch(/pods .* did not stop/);
  });

  it('D14: is not that of a previous release, if the target returns to the promoted revision before the next one began', () => {
    const world = releasing(withHooks('confirm-rollout'));
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tickUntil(at('Failed', 'resting'));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:c');
    expect([world.phase, world.release.ending?.code]).toEqual(['Waiting', 'ChecksFailed']);
    world.push('s1:a');
    expect([world.phase, world.release.ending]).toEqual(['Succeeded', undefined]);
    expect(condition(world)).toBe('Succeeded: the primary serves; waits for a change of podinfo.');
  });

  it('D14: is removed when the next run begins, and when a promotion returns to its analysis', () => {
    const world = releasing();
    world.ask('promote', 'r-1');
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.release.ending).toMatchObject({ code: 'PromotedByUser', requester: 'ann' });
    // The analysis begins with its pods, which removes a former ending.
    world.behaviour.brokenCanary.add('s1:c').add('s1:d');
    for (const revision of ['s1:c', 's1:d']) {
      world.push(revision);
      expect([world.phase, world.step, world.release.revision]).toEqual(['Progressing', 'scalingUp', revision]);
      expect(world.release.ending).toBeUndefined();
    }
  });

  it('D14: a promotion that an earlier version has begun ends as succeeded', () => {
    const world = releasing();
    world.behaviour.brokenPrimary.add('s1:b');
    world.tickUntil(at('Promoting', 'awaitingPrimary'));
    const { status } = world.canary;
    if (!status?.release) throw new Error('there is a release');
    const { ending, ...release } = status.release;
    expect(ending?.code).toBe('Succeeded');
    world.canary = { ...world.canary, status: { ...status, release } };
    world.behaviour.brokenPrimary.clear();
    world.crash();
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.release.ending).toEqual({ code: 'Succeeded', atMs: expect.any(Number), detail: 'it was promoted' });
  });

  it('L8: is still the failed promotion if the restore of the primary was refused later', () => {
    const world = initialized(aCanary({ stepWeight: 50 }));
    world.behaviour.brokenPrimary.add('s1:b');
    world.pushUntil('s1:b', ({ step }) => step === 'awaitingPrimary');
    world.behaviour.refusesPromote = true;
    world.tickUntil(({ phase, step, release }) => phase === 'Failed' && step === 'restoringPrimary' && release.reason === 'forbidden');
    expect(condition(world)).toMatch(/^Failed \(the primary could not take the promoted revision/);
    world.behaviour.refusesPromote = false;
    world.tickUntil(at('Failed', 'resting'));
    expect(condition(world)).toMatch(/^Failed \(the primary could not take the promoted revision/);
  });
});
