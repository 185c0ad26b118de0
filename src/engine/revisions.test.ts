import { describe, expect, it } from 'vitest';
import { at, header, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, withHooks } from '../../test/fakes/world.ts';

describe('revisions', () => {
  it('E50: a newer revision supersedes, restarts at 0 and asks no confirm-rollout again (03-H6)', () => {
    const world = releasing(withHooks('confirm-rollout'));
    const asked = () => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-rollout').length;
    const before = asked();
    world.push('s1:c');
    expect([...world.listed].some((key) => key.includes('s1:b/superseded'))).toBe(true);
    expect([asked(), world.release.revision, world.release.failedChecks]).toEqual([before, 's1:c', 0]);
  });

  it('E51: the target back at the promoted revision cancels the release (02-15.1.10, 03-B5, H4)', () => {
    const world = releasing();
    world.push('s1:a');
    expect([world.phase, world.routes]).toMatchObject(['Succeeded', { canary: 0 }]);
    world.tickUntil(at('Succeeded', 'resting'));
    const ends = [...world.listed].filter((key) => key.includes('s1:b') && !key.includes('NewRevision'));
    expect(ends).toEqual(['c-1/1/s1:b/cancelled/event']);
    expect([world.targetReplicas, world.promoted]).toEqual([0, []]);
  });

  it('E50: a revision pushed during Promoting waits and is then released (02-15.1.9)', () => {
    const world = initialized(aCanary(steps));
    world.push('s1:b');
    world.tickUntil(at('Finalising'));
    world.targetRevision = 's1:c';
    world.tickUntil((one) => one.release.promotedRevision === 's1:c');
    expect(world.promoted).toEqual(['s1:b', 's1:c']);
  });

  it('E2: a broken primary of an idle Canary does not lose or fail a pushed fix (02-15.1.2, 02-15.1.37, 03-B3, W49)', () => {
    const world = initialized(aCanary(steps));
    world.primaryDown = true;
    world.push('s1:b');
    world.tick();
    expect([world.phase, world.release.revision]).toEqual(['Progressing', 's1:b']);
  });

  it('E12: stepWeights edited during a run go on with the next greater element (02-15.1.16, 04-R-T7)', () => {
    const world = releasing({ stepWeight: undefined, stepWeights: [20, 60] }, 20);
    world.canary = {
      ...world.canary,
      spec: { ...world.canary.spec, analysis: { ...world.canary.spec.analysis, stepWeights: [10, 30, 50] } },
    };
    world.tick();
    expect(world.canary.status?.canaryWeight).toBe(30);
  });

  it('E17: iterations lowered below the counter promote (02-15.1.38)', () => {
    const world = initialized(aCanary({ iterations: 5, match: header }));
    world.push('s1:b');
    world.tickUntil((one) => one.release.iterations === 3);
    world.canary = { ...world.canary, spec: { ...world.canary.spec, analysis: { ...world.canary.spec.analysis, iterations: 2 } } };
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E14: mirror on a provider that cannot mirror is left out (02-15.2.23)', () => {
    const world = initialized(aCanary({ ...steps, mirror: true }), (one) => {
      one.supports.mirroring = false;
    });
    world.push('s1:b');
    world.tickUntil(at('Succeeded'));
    expect(world.trace).not.toContain('Progressing mirrored');
  });
});
