import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject } from '../../api/kube-object.ts';
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
function sidesOf(target: KubeObject, ...revisions: KubeObject[]) {
  const objects = [target, ...revisions];
  return knative.sides(aCanary(), {
    find: ({ name }) => {
      const object = objects.find(({ metadata }) => metadata.name === name);
      return object && { object };
    },
    all: () => [],
  });
}

describe('the Revisions of a Knative Service', () => {
  it('03-K-T2: the newest Revision is the canary, also before it is ready; the Revision in the annotation is the primary', () => {
    const { target, primary } = sidesOf(
      service('podinfo-00002', { ready: 'podinfo-00001', primary: 'podinfo-00001' }),
      ready('podinfo-00001'),
    );
    expect([target?.serving, primary?.serving]).toEqual([false, true]);
    expect(primary?.carries).toBe(knative.revision(service('podinfo-00001')));
    expect(target?.revision).toBe(knative.revision(service('podinfo-00002')));
  });

  it('03-K-T2: without the annotation the primary is absent, and before the first Revision also the target', () => {
    expect(Object.keys(sidesOf(service('podinfo-00001'), ready('podinfo-00001')))).toEqual(['target']);
    expect(sidesOf(service(''))).toEqual({});
  });

  it('03-K-T7: only the name of the newest Revision decides the revision, in a form that differs from a hash of a template', () => {
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

it('05-E10: the revision that was created last is measured, ready or not', () => {
  expect(knative.measuredAs?.(service('podinfo-00003', { ready: 'podinfo-00002' }))).toBe('podinfo-00003');
  expect(knative.measuredAs?.(service(''))).toBeUndefined();
});

it('20.3: the counts of the primary are those of the promoted revision', () => {
  expect(knative.primaryMeasuredAs?.(service('podinfo-00003'))).toBeUndefined();
  expect(knative.primaryMeasuredAs?.(service('podinfo-00003', { primary: 'podinfo-00001' }))).toBe('podinfo-00001');
});
