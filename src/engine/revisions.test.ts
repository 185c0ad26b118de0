import { describe, expect, it } from 'vitest';
import { at, header, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Release } from '../api/canary-status.ts';
import { weight } from '../api/routes.ts';

describe('revisions', () => {
  it('E50: a newer revision supersedes, restarts at 0 and does not call confirm-rollout again', () => {
    const world = releasing(withHooks('confirm-rollout'));
    const asked = () => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-rollout').length;
    const before = asked();
    world.push('s1:c');
    expect([...world.listed].some((key) => key.includes('s1:b/superseded'))).toBe(true);
    expect([asked(), world.release.revision, world.release.failedChecks]).toEqual([before, 's1:c', 0]);
  });

  it('the Event of a new revision names the images that it changes', () => {
    const world = initialized(aCanary(steps));
    Object.assign(world.images, { 's1:a': { web: 'registry/web:1.2.0' }, 's1:b': { web: 'registry/web:1.3.0' } });
    world.pushUntil('s1:b', at('Progressing'));
    const said = world.asked.flatMap((one) => (one.kind === 'announce' ? [one.announcement.message] : []));
    expect(said).toContain('New revision of podinfo found, its release begins: registry/web 1.2.0 → 1.3.0');
  });

  it('E51: the target back at the promoted revision cancels the release', () => {
    const world = releasing();
    world.push('s1:a');
    expect([world.phase, world.routes]).toMatchObject(['Succeeded', { canary: 0 }]);
    world.tickUntil(at('Succeeded', 'resting'));
    const ends = [...world.listed].filter((key) => key.includes('s1:b') && !key.includes('NewRevision'));
    expect(ends).toEqual(['c-1/1/s1:b/cancelled/event']);
    expect([world.targetReplicas, world.promoted]).toEqual([0, []]);
  });

  it('E50: a revision pushed during Promoting waits and is then released', () => {
    const world = initialized(aCanary(steps));
    world.pushUntil('s1:b', at('Finalising'));
    world.targetRevision = 's1:c';
    world.tickUntil((one) => one.release.promotedRevision === 's1:c');
    expect(world.promoted).toEqual(['s1:b', 's1:c']);
  });

  it('E2: a broken primary of an idle Canary does not lose or fail a pushed fix', () => {
    const world = initialized(aCanary(steps));
    world.primaryDown = true;
    world.push('s1:b');
    world.tick();
    expect([world.phase, world.release.revision]).toEqual(['Progressing', 's1:b']);
  });

  it('E12: stepWeights edited during a run continue with the next greater element', () => {
    const world = releasing({ stepWeight: undefined, stepWeights: [20, 60] }, 20);
    world.canary = {
      ...world.canary,
      spec: { ...world.canary.spec, analysis: { ...world.canary.spec.analysis, stepWeights: [10, 30, 50] } },
    };
    world.tick();
    expect(world.canary.status?.canaryWeight).toBe(30);
  });

  it('E17: iterations lowered below the counter promote', () => {
    const world = initialized(aCanary({ iterations: 5, match: header }));
    world.pushUntil('s1:b', (one) => one.release.iterations === 3);
    world.canary = { ...world.canary, spec: { ...world.canary.spec, analysis: { ...world.canary.spec.analysis, iterations: 2 } } };
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E14: mirror is left out on a provider that cannot mirror', () => {
    const world = initialized(aCanary({ ...steps, mirror: true }), (one) => {
      one.supports.mirroring = false;
    });
    world.pushUntil('s1:b', at('Succeeded'));
    expect(world.trace).not.toContain('Progressing mirrored');
  });
});

/** Fields with the waits and findings of a release, with values that no release of these tests has by itself. */
const ofTheLastOne = {
  gate: 'old',
  reason: 'old',
  wakeAtMs: 1,
  heldRoutes: { kind: 'weighted', canary: weight(33) },
  heldPods: 33,
  verdicts: [{ check: 'old', verdict: 'failed' }],
  preRolloutPassed: false,
  awaitedSinceMs: 1,
  blindSinceMs: 1,
  ending: { code: 'Promoted', old: true } as never,
  recent: { old: [] },
  comparison: { old: {} },
  awaitedEvidence: 'old',
  weights: [{ atMs: 1, weight: 33 }],
  failures: { old: 1 },
  failing: { crashes: 0, lost: 0, ends: {}, judgedMs: 1, unreadyMs: 1 },
  measuredFromMs: 1,
  othersUntilMs: 1,
  scaledDownUid: 'old',
  change: { images: [{ container: 'old' }], configs: [] },
  paused: { by: 'old', sinceMs: 1 },
} satisfies Partial<Release>;
type OfTheLastOne = keyof typeof ofTheLastOne;
const inPauses: OfTheLastOne[] = ['gate', 'paused'];
const whileItFails: OfTheLastOne[] = ['heldRoutes', 'blindSinceMs', 'failing'];

/** The status has this field, and the target another revision, when the controller starts. */
function met(world: World, field: OfTheLastOne, revision: string): Release {
  const { status } = world.canary;
  if (status?.release)
    world.canary = { ...world.canary, status: { ...status, release: { ...status.release, [field]: ofTheLastOne[field] } } };
  world.targetRevision = revision;
  world.crash();
  return world.release;
}

describe('waits and findings of a release end with it', () => {
  const all = Object.keys(ofTheLastOne) as OfTheLastOne[];
  it.each(all.filter((field) => field !== 'paused'))('E50: a newer revision begins without the %s of the one before', (field) => {
    const begun = met(releasing(), field, 's1:c');
    expect([begun.revision, begun.run]).toEqual(['s1:c', 2]);
    expect(begun[field]).not.toEqual(ofTheLastOne[field]);
  });

  it.each(all.filter((field) => field !== 'othersUntilMs'))('E2: a release that begins at rest has no %s of the last one', (field) => {
    const begun = met(initialized(aCanary(steps)), field, 's1:b');
    expect([begun.revision, begun.run]).toEqual(['s1:b', 1]);
    expect(begun[field]).not.toEqual(ofTheLastOne[field]);
  });

  it.each([...inPauses, ...whileItFails])('E51: a cancelled release has no %s', (field) => {
    const world = releasing();
    const ended = met(world, field, 's1:a');
    expect([world.phase, ended.revision, ended[field]]).toEqual(['Succeeded', 's1:a', undefined]);
  });

  it.each(inPauses)('E2: an idle Canary whose target is back has no %s', (field) => {
    const world = releasing();
    world.ask('rollback', 'r');
    world.tickUntil(at('Failed', 'resting'));
    const back = met(world, field, 's1:a');
    expect([back.revision, back[field]]).toEqual(['s1:a', undefined]);
  });
});
