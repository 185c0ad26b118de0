import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';
import type { SeenConfig } from '../api/canary-status.ts';
import { explain } from './explain.ts';
import type { TargetRevision } from './facts.ts';
import { areSameConfigs, pinOf, wereWrittenBetween } from './pin.ts';
import { projectStatus } from './project-status.ts';

const KEY = 'configmap/settings';
const at = (phase: string, name: string) => (world: World) => world.phase === phase && world.step === name;

const seen = (resourceVersion: string): SeenConfig => ({ uid: 'u', resourceVersion, checksum: 'x' });

/** Idle with one tracked config. */
function tracking(analysis = {}): World {
  return initialized(aCanary({ stepWeight: 20, maxWeight: 40, ...analysis }), (world) => {
    world.configs = { [KEY]: 'blue' };
    world.podsRead = world.configs;
  });
}

function change(world: World, checksum: string, revision: string): void {
  world.configs = { [KEY]: checksum };
  world.push(revision);
}

/** From this step on nothing changes in the cluster. */
function linger(world: World, step: string): void {
  world.onRecord = ({ release }) => {
    if (release.step === step) world.auto = false;
  };
}

function goOn(world: World): void {
  world.onRecord = () => undefined;
  world.auto = true;
  world.settle();
}

describe('a config changed', () => {
  it('in an idle Canary, it starts a release whose pods read it, and status shows its checksum', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual(['s1:b']);
    expect(world.podsRead).toEqual({ [KEY]: 'red' });
    expect(world.canary.status?.trackedConfigs).toEqual({ [KEY]: 'red' });
  });

  it('E56: during the analysis, traffic is routed to the primary, the pods stop, and only new ones get traffic', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    const steps: string[] = [];
    const weighed: unknown[] = [];
    world.onRecord = ({ release }) => {
      if (steps.at(-1) !== release.step) steps.push(release.step);
      if (release.routes.kind === 'weighted' && release.routes.canary > 0) weighed.push(world.podsRead);
    };
    change(world, 'green', 's1:c');
    expect(world.canary.status?.canaryWeight).toBe(0);
    expect(explain(world.canary, world.facts())).toMatch(/configs of podinfo changed/);
    world.tickUntil(at('Succeeded', 'resting'));
    expect(steps.slice(0, 6)).toEqual(['recycleRouting', 'recycleDraining', 'recycleStopping', 'scalingUp', 'settling', 'analysing']);
    expect(new Set(weighed.map((read) => JSON.stringify(read)))).toEqual(new Set([JSON.stringify({ [KEY]: 'green' })]));
    expect(world.promoted).toEqual(['s1:c']);
  });

  it('E56: pods that lose their traffic keep running for the scale-down delay (D5)', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    change(world, 'green', 's1:c');
    expect(world.step).toBe('recycleDraining');
    world.tick(4_999);
    expect([world.step, world.targetReplicas]).toEqual(['recycleDraining', 1]);
    world.tick(1);
    expect(world.podsRead).toEqual({ [KEY]: 'green' });
  });

  it('E56: a new template over the same configs replaces its pods by itself', () => {
    const world = tracking();
    world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
    world.push('s1:c');
    expect(['scalingUp', 'settling']).toContain(world.step);
    expect(world.targetReplicas).toBe(1);
  });

  it('E56: after an edit and its revert while pods started, their content is not known, so new pods are analysed', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    world.configsVersion = '3';
    world.tick(1);
    expect(world.step).toBe('recycleDraining');
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E56: the same happens if a new template came at that moment', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    world.configsVersion = '3';
    world.push('s1:c');
    expect(world.step).toBe('recycleDraining');
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual(['s1:c']);
  });

  it.each(['recycleDraining', 'recycleStopping'])(
    'E56: stale pods also stop if, while they are %s, another template comes and is reverted',
    (step) => {
      const world = tracking();
      change(world, 'red', 's1:b');
      world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
      linger(world, step);
      change(world, 'green', 's1:b-green');
      world.tickUntil((one) => one.step === step);
      world.push('s1:c-green');
      expect([world.step, world.targetReplicas]).toEqual(['recycleRouting', 1]);
      world.push('s1:b-green');
      goOn(world);
      world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
      expect(world.podsRead).toEqual({ [KEY]: 'green' });
      world.tickUntil(at('Succeeded', 'resting'));
      expect(world.promoted).toEqual(['s1:b-green']);
    },
  );

  it('E56: pods that a cancelled release has left are not analysed, since the promoted revision is recorded by then', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    change(world, 'blue', 's1:a');
    expect([world.phase, world.step]).toEqual(['Succeeded', 'draining']);
    world.push('s1:b-blue');
    expect([world.phase, world.step]).toEqual(['Progressing', 'recycleDraining']);
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    expect(world.podsRead).toEqual({ [KEY]: 'blue' });
  });

  it('E56: pods that do not stop are not those of the next revision either', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    linger(world, 'recycleStopping');
    change(world, 'green', 's1:b-green');
    world.tickUntil((one) => one.step === 'recycleStopping');
    world.tick(600_000);
    expect([world.phase, world.step]).toEqual(['Failed', 'resting']);
    world.push('s1:c-green');
    expect([world.phase, world.step, world.targetReplicas]).toEqual(['Progressing', 'recycleRouting', 1]);
    goOn(world);
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    expect(world.podsRead).toEqual({ [KEY]: 'green' });
  });

  it('E56: a config that was written before any pod could read it is recorded, and starts no pod again', () => {
    const world = tracking();
    linger(world, 'scalingUp');
    change(world, 'red', 's1:b');
    expect([world.step, world.targetReplicas]).toEqual(['scalingUp', 0]);
    world.configsVersion = '3';
    world.sendFacts();
    expect([world.step, world.release.configs?.[KEY]?.resourceVersion]).toEqual(['scalingUp', '3']);
    const run = world.release.run;
    goOn(world);
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.release.run).toBe(run);
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E56: a config that is written while the pods that read it stop is recorded when they are gone', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    linger(world, 'recycleStopping');
    change(world, 'green', 's1:c');
    world.tickUntil((one) => one.step === 'recycleStopping');
    const run = world.release.run;
    world.targetReplicas = 0;
    world.converged = true;
    world.configsVersion = '3';
    world.sendFacts();
    expect([world.step, world.release.run, world.release.configs?.[KEY]?.resourceVersion]).toEqual(['scalingUp', run, '3']);
  });

  it('E56: a config that is written with the same content while the Canary is idle starts nothing', () => {
    const world = tracking();
    world.configsVersion = '3';
    world.tick(60_000);
    expect([world.phase, world.step]).toEqual(['Initialized', 'resting']);
  });

  it('E56: pods that were left from the last release are not analysed', () => {
    const world = tracking();
    world.auto = false;
    world.targetReplicas = 1;
    world.podsRead = { [KEY]: 'blue' };
    world.configs = { [KEY]: 'red' };
    world.push('s1:b');
    expect(world.step).toBe('recycleRouting');
    world.auto = true;
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    expect(world.podsRead).toEqual({ [KEY]: 'red' });
  });

  it('E41: a promotion that finds other configs also renews the pods', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    const steps: string[] = [];
    world.onRecord = ({ phase, release }) => {
      if (steps.at(-1) !== release.step) steps.push(release.step);
      if (phase !== 'Promoting' || world.targetRevision !== 's1:b') return;
      world.targetRevision = 's1:c';
      world.configs = { [KEY]: 'green' };
    };
    world.tickUntil(at('Succeeded', 'resting'));
    expect(steps.slice(steps.indexOf('writingPrimary')).slice(0, 4)).toEqual([
      'writingPrimary',
      'recycleRouting',
      'recycleDraining',
      'recycleStopping',
    ]);
    expect(world.promoted).toEqual(['s1:c']);
    expect(world.podsRead).toEqual({ [KEY]: 'green' });
  });

  it('E57: an analysis that began with unknown configs begins again when they are known, since its pods could have read anything', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    const pins: unknown[] = [];
    world.onRecord = ({ phase, release }) => {
      if (release.step === 'recycleRouting') pins.push([release.observedGeneration, release.configs?.[KEY]?.checksum]);
      // The promotion finds another config, which is gone when the watch is read.
      if (phase === 'Promoting' && pins.length === 0) {
        world.targetRevision = 's1:c';
        world.undetermined = 'ConfigMap settings does not exist';
      }
    };
    world.tickUntil((one) => one.step === 'recycleDraining');
    world.targetRevision = 's1:b';
    world.undetermined = undefined;
    world.tickUntil(at('Succeeded', 'resting'));
    expect(pins).toEqual([
      [0, undefined],
      [1, 'red'],
    ]);
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E51: back to the promoted revision cancels the release', () => {
    const world = tracking();
    change(world, 'red', 's1:b');
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    change(world, 'blue', 's1:a');
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual([]);
    expect(world.canary.status?.trackedConfigs).toEqual({ [KEY]: 'blue' });
  });
});

const target: TargetRevision = {
  uid: 't',
  generation: 4,
  revision: 's1:both',
  template: 's1:template',
  configs: { [KEY]: { uid: 'u', checksum: 'x' } },
};

describe('pinOf', () => {
  it('remembers the template apart from the revision, and the configs', () => {
    const { uid: targetUid, generation: observedGeneration, revision, template, configs } = target;
    expect(pinOf(target)).toEqual({ targetUid, observedGeneration, revision, template, configs });
    expect(pinOf({ uid: 't', generation: 4, revision: 's1:a', template: 's1:a' })).toEqual({
      targetUid,
      observedGeneration,
      revision: 's1:a',
    });
  });

  it('E57: forgets the generation of a target whose configs are not known', () => {
    expect(pinOf({ ...target, undetermined: { code: 'ConfigUnreadable', detail: 'no permission' } })).toEqual({
      targetUid: 't',
      observedGeneration: 0,
      revision: 's1:both',
      template: 's1:template',
    });
  });
});

it.each([
  {
    what: 'another version of the same',
    one: { a: { uid: 'u', resourceVersion: '1', checksum: 'x' } },
    other: { a: { uid: 'v', checksum: 'x' } },
    same: true,
  },
  { what: 'another checksum', one: { a: { uid: 'u', checksum: 'x' } }, other: { a: { uid: 'u', checksum: 'y' } }, same: false },
  { what: 'one that appeared', one: { a: {} }, other: { a: { uid: 'u' } }, same: false },
  { what: 'one that is not read any more', one: { a: { uid: 'u', checksum: 'x' } }, other: {}, same: false },
  { what: 'one that opted out', one: { a: { uid: 'u', checksum: 'x' } }, other: { a: { uid: 'u' } }, same: false },
])('E56: pods have read the same with $what: $same', ({ one, other, same }) => {
  expect(areSameConfigs(one, other)).toBe(same);
  expect(areSameConfigs(other, one)).toBe(same);
});

it.each([
  { what: 'is missing, as before', now: {}, read: {}, isUnsure: false },
  { what: 'came and is gone again', now: { resourceVersion: '7' }, read: {}, isUnsure: true },
  { what: 'came and is gone once more', now: { resourceVersion: '9' }, read: { resourceVersion: '7' }, isUnsure: true },
  { what: 'is missing since before', now: { resourceVersion: '7' }, read: { resourceVersion: '7' }, isUnsure: false },
  { what: 'is missing, and was not watched for a while', now: { resourceVersion: '8' }, read: { resourceVersion: '7' }, isUnsure: true },
  { what: 'is missing, and when it went is not known', now: {}, read: { resourceVersion: '7' }, isUnsure: false },
  { what: 'was written', now: { uid: 'u', resourceVersion: '9', checksum: 'x' }, read: seen('7'), isUnsure: true },
  { what: 'was made again', now: { uid: 'v', resourceVersion: '7', checksum: 'x' }, read: seen('7'), isUnsure: true },
  { what: 'is the same', now: seen('7'), read: seen('7'), isUnsure: false },
])('E56: pods could have read other bytes when a config $what: $isUnsure', ({ now, read, isUnsure }) => {
  expect(wereWrittenBetween({ [KEY]: now }, { [KEY]: read })).toBe(isUnsure);
});

it('with tracking on and nothing tracked, status has an empty map; without it, the map of another controller stays', () => {
  const world = initialized();
  const { status } = world.canary;
  if (!status?.release) throw new Error('not initialized');
  const shown = (configs: Record<string, SeenConfig> | undefined) =>
    projectStatus(
      { ...world.canary, status: { ...status, trackedConfigs: { [KEY]: 'old' } } },
      'Initialized',
      { ...world.release, ...(configs && { configs }) },
      world.facts(),
    ).trackedConfigs;
  expect(shown({ 'secret/regcred': { uid: 'u' }, 'configmap/maybe': {} })).toEqual({});
  expect(shown(undefined)).toEqual({ [KEY]: 'old' });
});
