import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { Release, SeenConfig } from '../../api/canary-status.ts';
import type { Phase } from '../../api/phase.ts';
import { allToPrimary } from '../../api/routes.ts';
import { revisionWithConfigs } from '../../workloads/configs/revision.ts';
import { isUncounted, recordedFor, templateOfTarget } from '../../workloads/recorded-template.ts';
import { targetFacts, UNCOUNTED } from './target-facts.ts';

const KEY = 'configmap/settings';
const seen = (checksum: string): Record<string, SeenConfig> => ({ [KEY]: { uid: 'u', resourceVersion: '1', checksum } });
const both = (template: string, checksum: string) => revisionWithConfigs(template, seen(checksum));
const live = (revision: string, generation = 5) => ({
  readiness: { state: 'ready', ready: 2, wanted: 2 } as const,
  serving: true,
  replicas: 2,
  uid: 't',
  generation,
  revision,
});
type Seen = Parameters<typeof recordedFor>[1];
const look = (checksum: string, template = 's1:old') => ({ uid: 't', template, configs: seen(checksum), unsalted: seen(checksum) });

/** Recorded at generation 5: the template `s1:old` with its config blue. */
function recorded(change: Partial<Release> = {}, phase: Phase = 'Succeeded'): Canary {
  const release: Release = {
    targetUid: 't',
    revision: both('s1:old', 'blue'),
    template: 's1:old',
    configs: seen('blue'),
    observedGeneration: 5,
    observedRollout: '3',
    run: 1,
    step: 'resting',
    routes: allToPrimary,
    failedChecks: 0,
    iterations: 0,
    startedMs: 0,
    stepStartedMs: 0,
    ...change,
  };
  return { ...aCanary(), status: { phase, failedChecks: 0, canaryWeight: 0, iterations: 0, release } };
}

describe('recordedFor', () => {
  it.each([
    { what: 'the same generation, whatever a newer server makes of its hash', target: live('s1:defaulted'), is: true },
    { what: 'another generation with the same hash: replicas moved it', target: live('s1:old', 9), is: true },
    { what: 'another generation with another hash', target: live('s1:new', 6), is: false },
    {
      what: 'another generation and hash, but no other template by its count',
      target: { ...live('s1:defaulted', 9), rollout: '3' },
      is: true,
    },
    { what: 'another generation, hash and count', target: { ...live('s1:new', 9), rollout: '4' }, is: false },
    { what: 'the same generation, counted as a newer one since', target: { ...live('s1:new'), rollout: '4' }, is: false },
    { what: 'the same generation, whose count was set back', target: { ...live('s1:defaulted'), rollout: '2' }, is: true },
    {
      what: 'another generation and hash that was not counted yet',
      target: { ...live('s1:new', 9), uncounted: true as const },
      is: true,
    },
    {
      what: 'another generation and hash that was not counted yet, with images from before',
      target: { ...live('s1:new', 9), rollout: '3', uncounted: true as const, imagesChangedIn: 5 },
      is: true,
    },
    {
      what: 'another generation and hash that was not counted yet, with images of since then',
      target: { ...live('s1:new', 9), rollout: '3', uncounted: true as const, imagesChangedIn: 8 },
      is: false,
    },
    {
      what: 'another object that was not counted yet',
      target: { ...live('s1:new'), uid: 'other', uncounted: true as const },
      is: false,
    },
    { what: 'another object of the same name', target: { ...live('s1:old'), uid: 'other' }, is: false },
  ])('$what is the recorded template: $is', ({ target, is }: { what: string; target: Seen; is: boolean }) => {
    expect(recordedFor(recorded(), target) !== undefined).toBe(is);
    expect(templateOfTarget(recorded(), target)).toBe(is ? 's1:old' : target.revision);
  });

  it('Revisions: a release that was recorded without a count does not wait for one', () => {
    const { observedRollout: _, ...release } = recorded().status?.release ?? {};
    const before = { ...recorded(), status: { ...recorded().status, release } } as Canary;
    expect(recordedFor(before, { ...live('s1:new', 9), uncounted: true as const })).toBeUndefined();
    expect(isUncounted(before, { ...live('s1:new', 9), uncounted: true as const })).toBe(false);
  });

  it('E57: a record without a generation is checked again', () => {
    expect(recordedFor(recorded({ observedGeneration: 0 }), live('s1:old'))).toBeUndefined();
  });
});

describe('targetFacts', () => {
  it('counts the template as recorded and the configs as seen', () => {
    expect(targetFacts(recorded(), live('s1:defaulted'), look('blue'), true).revision).toBe(both('s1:old', 'blue'));
    expect(targetFacts(recorded(), live('s1:defaulted'), look('red'), true).revision).toBe(both('s1:old', 'red'));
    expect(targetFacts(recorded(), live('s1:new', 6), look('blue', 's1:new'), true)).toMatchObject({
      revision: both('s1:new', 'blue'),
      template: 's1:new',
      configs: seen('blue'),
    });
  });

  it('E58: a template that its controller has not counted yet changes neither revision nor configs, and is not recorded as seen', () => {
    const facts = targetFacts(recorded(), { ...live('s1:new', 6), uncounted: true as const }, look('red', 's1:old'), true);
    expect(facts).toMatchObject({ revision: both('s1:old', 'blue'), configs: seen('blue'), undetermined: UNCOUNTED, serving: true });
    const counted = targetFacts(recorded(), { ...live('s1:new', 6), rollout: '4' }, undefined, true);
    expect([counted.revision, counted.rollout]).toEqual(['s1:new', '4']);
    const { revision, rollout } = targetFacts(recorded(), { ...live('s1:new', 6), rollout: '4', uncounted: true }, undefined, true);
    expect([revision, rollout]).toEqual(['s1:new', undefined]);
  });

  it('tracking switched off starts nothing; the next template is without configs', () => {
    expect(targetFacts(recorded(), live('s1:old'), undefined, true).revision).toBe(both('s1:old', 'blue'));
    const next = targetFacts(recorded(), live('s1:new', 6), undefined, true);
    expect([next.revision, next.configs]).toEqual(['s1:new', undefined]);
  });

  it('tracking switched on starts nothing either', () => {
    const { configs: _, ...release } = recorded({ revision: 's1:old' }).status?.release ?? {};
    const before = recorded();
    const untracked = { ...before, status: { ...before.status, release } } as Canary;
    expect(targetFacts(untracked, live('s1:old'), look('blue'), true)).not.toHaveProperty('configs');
    expect(targetFacts(untracked, live('s1:old'), look('blue'), true).revision).toBe('s1:old');
  });

  const unknown = { uid: 't', template: 's1:new', problem: { code: 'ConfigUnreadable', detail: 'cannot be read' } as const };

  it('an unknown state starts no new revision', () => {
    const facts = targetFacts(recorded(), live('s1:new', 6), unknown, true);
    expect(facts).toMatchObject({ revision: both('s1:old', 'blue'), undetermined: unknown.problem, serving: true });
    const same = targetFacts(recorded(), live('s1:old'), { ...unknown, template: 's1:old' }, true);
    expect(same).toMatchObject({ revision: both('s1:old', 'blue'), configs: seen('blue') });
  });

  it.each([
    { phase: 'Progressing', primaryServes: true, generation: 6, serves: false },
    { phase: 'WaitingPromotion', primaryServes: true, generation: 6, serves: false },
    { phase: 'Progressing', primaryServes: false, generation: 6, serves: true },
    { phase: 'Progressing', primaryServes: true, generation: 5, serves: true },
    { phase: 'Promoting', primaryServes: true, generation: 6, serves: true },
  ] as const)(
    'I5: in $phase, pods of a template whose configs are unknown (generation $generation, primary serves: $primaryServes) may serve: $serves',
    ({ phase, primaryServes, generation, serves }) => {
      const facts = targetFacts(
        recorded({ step: 'analysing' }, phase),
        live(generation === 5 ? 's1:old' : 's1:new', generation),
        unknown,
        primaryServes,
      );
      expect(facts.serving).toBe(serves);
      expect(facts.readiness.state).toBe(serves ? 'ready' : 'waiting');
    },
  );

  it.each([
    { what: 'while pods that have read other configs may be left', target: {}, waits: true },
    { what: 'once none is left', target: { pods: 0 }, waits: false },
    { what: 'where it has replicas, so that pods exist', target: { replicas: 2 }, waits: false },
    { what: 'where no config decides its pods, now or before', target: {}, configs: {}, before: {}, waits: false },
    { what: 'where one decided them before', target: {}, configs: {}, waits: true },
    { what: 'in a release', target: {}, step: 'analysing', waits: false },
  ])(
    'E56: a new version of a target at zero waits ($waits) $what',
    ({ target, configs = seen('blue'), before = seen('blue'), step, waits }) => {
      const now = { ...live('s1:new', 6), pods: 1, replicas: 0, ...target };
      const canary = recorded({ configs: before, ...(step && { step }) });
      const facts = targetFacts(
        canary,
        now as Parameters<typeof targetFacts>[1],
        { uid: 't', template: 's1:new', configs, unsalted: configs },
        true,
      );
      expect(facts.revision === canary.status?.release?.revision).toBe(waits);
      expect(facts.undetermined?.code).toBe(waits ? 'TargetUnobserved' : undefined);
    },
  );

  it('a look at another template than the current one says nothing of it', () => {
    expect(targetFacts(recorded(), live('s1:new', 6), look('blue', 's1:older'), true).undetermined).toBeDefined();
  });
});
