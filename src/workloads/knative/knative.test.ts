import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { CanaryStatus, Release } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { PrimarySpec } from '../workload.ts';
import { knative } from './knative.ts';

const service = (created: string, { ready = created, primary }: { ready?: string; primary?: string } = {}): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: {
    name: 'podinfo',
    namespace: 'test',
    uid: 'k-1',
    ...(primary && { annotations: { 'flagger.app/primary-revision': primary } }),
  },
  spec: { traffic: [] },
  status: { latestCreatedRevisionName: created, latestReadyRevisionName: ready },
});
const ready = (name: string): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: { name, namespace: 'test' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

/** The sides with these Revisions. */
function sidesOf(target: KubeObject, revision?: KubeObject, canary: Canary = aCanary()) {
  const objects = revision === undefined ? [target] : [target, revision];
  return knative.sides(canary, {
    find: ({ name }) => {
      const object = objects.find(({ metadata }) => metadata.name === name);
      return object && { object };
    },
    all: () => [],
  });
}

describe('the Revisions of a Knative Service', () => {
  it('the newest Revision is the canary, also before it is ready; the Revision in the annotation is the primary', () => {
    const { target, primary } = sidesOf(
      service('podinfo-00002', { ready: 'podinfo-00001', primary: 'podinfo-00001' }),
      ready('podinfo-00001'),
    );
    expect([target?.serving, primary?.serving]).toEqual([false, true]);
    expect(primary?.carries).toBe(knative.revision(service('podinfo-00001')));
    expect(target?.revision).toBe(knative.revision(service('podinfo-00002')));
  });

  it('without the annotation the primary is absent, and before the first Revision also the target', () => {
    expect(Object.keys(sidesOf(service('podinfo-00001'), ready('podinfo-00001')))).toEqual(['target']);
    expect(sidesOf(service(''))).toEqual({});
  });

  it('only the name of the newest Revision decides the revision, in a form that differs from a hash of a template', () => {
    const one = knative.revision(service('podinfo-00002', { ready: 'podinfo-00001' }));
    expect(one).toBe(knative.revision({ ...service('podinfo-00002'), spec: { traffic: [{ percent: 100, latestRevision: true }] } }));
    expect(one).not.toBe(knative.revision(service('podinfo-00003')));
    expect(one).toMatch(/^s1:/);
  });
});

describe('DF856, I19: a Service that is handed over follows its newest ready Revision', () => {
  it.each([
    { what: 'the newest Revision is ready', target: service('podinfo-00004', { primary: 'podinfo-00002' }), isUp: true },
    {
      what: 'the newest Revision is not ready: an older one would answer, promoted or not',
      target: service('podinfo-00004', { ready: 'podinfo-00003', primary: 'podinfo-00002' }),
      isUp: false,
    },
    { what: 'users follow the newest already', target: service('podinfo-00004', { ready: 'podinfo-00003' }), isUp: true },
  ])('so $what: it is up is $isUp', ({ target, isUp }) => {
    expect([knative.readiness(target, 100).state, knative.isServing(target)]).toEqual([isUp ? 'ready' : 'waiting', isUp]);
  });
});

describe('DF857, I19: a Service that was made again under its Canary', () => {
  const recorded = (targetUid: string, revision: string): Canary => {
    const canary = aCanary();
    const release = { targetUid, revision, promotedRevision: revision } as Release;
    return { ...canary, status: { release } as CanaryStatus };
  };
  const former = recorded('k-0', knative.revision(service('podinfo-00001')));
  const renderedFor = (canary: Canary, target: KubeObject, promoted?: PrimarySpec) =>
    knative.renderPrimary(canary, target, {} as never, promoted).metadata.annotations;
  const MARKED = { 'flagger.app/primary-revision': 'podinfo-00001', 'serin.dev/made-again': 'k-1' };

  it('has other revisions than the former Service, before the record, after it, and once it is marked', () => {
    const target = service('podinfo-00001');
    const { revision } = sidesOf(target, ready('podinfo-00001'), former).target ?? {};
    expect(revision).not.toBe(knative.revision(target));
    expect(sidesOf(target, ready('podinfo-00001'), recorded('k-1', revision ?? '')).target?.revision).toBe(revision);
    const marked = { ...target, metadata: { ...target.metadata, annotations: MARKED } };
    const { target: canarySide, primary } = sidesOf(marked, ready('podinfo-00001'), recorded('k-1', revision ?? ''));
    expect([canarySide?.revision, primary?.carries, knative.revision(marked), knative.carries(marked)]).toEqual(Array(4).fill(revision));
  });

  it('gets the Revision that answers as its primary, and none that the former Service had promoted', () => {
    const target = service('podinfo-00002', { ready: 'podinfo-00001' });
    expect(renderedFor(former, target, { primaryRevision: 'podinfo-00003' } as PrimarySpec)).toEqual(MARKED);
    expect(renderedFor(recorded('k-1', 's1:0'), target, { primaryRevision: 'podinfo-00003' } as PrimarySpec)).toEqual({
      'flagger.app/primary-revision': 'podinfo-00003',
    });
  });

  it('is not a Service of a restored backup, which names its primary, nor a Service with the mark of another', () => {
    const restored = service('podinfo-00001', { primary: 'podinfo-00001' });
    const copied = { ...restored, metadata: { ...restored.metadata, annotations: { ...MARKED, 'serin.dev/made-again': 'k-9' } } };
    for (const target of [restored, copied])
      expect(sidesOf(target, ready('podinfo-00001'), former).target?.revision).toBe(knative.revision(service('podinfo-00001')));
  });

  it('loses the mark with its Canary', () => {
    const patch = knative.restorePatch?.(service('podinfo-00001'), { replicas: 1 } as never);
    expect(patch).toMatchObject({ metadata: { annotations: { 'flagger.app/primary-revision': null, 'serin.dev/made-again': null } } });
  });
});

it('the revision that was created last is measured, ready or not', () => {
  expect(knative.measuredAs?.(service('podinfo-00003', { ready: 'podinfo-00002' }))).toBe('podinfo-00003');
  expect(knative.measuredAs?.(service(''))).toBeUndefined();
});

it('20.3: the counts of the primary are those of the promoted revision', () => {
  expect(knative.primaryMeasuredAs?.(service('podinfo-00003'))).toBeUndefined();
  expect(knative.primaryMeasuredAs?.(service('podinfo-00003', { primary: 'podinfo-00001' }))).toBe('podinfo-00001');
});
