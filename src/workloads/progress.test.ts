import { describe, expect, it } from 'vitest';
import { aCanary } from '../../test/fakes/world.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { remembered, workloadFor } from './index.ts';

const reported = (time: string, subresource = 'status') => ({ manager: 'kube-controller-manager', operation: 'Update', time, subresource });

function aWorkload(kind: 'Deployment' | 'DaemonSet', status: object, managedFields?: object[]): KubeObject {
  const template = { metadata: { labels: { app: 'podinfo' } }, spec: { containers: [] } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name: 'podinfo',
      namespace: 'test',
      uid: 'u',
      generation: 2,
      ...(managedFields && { managedFields }),
    } as KubeObject['metadata'],
    spec: { ...(kind === 'Deployment' && { replicas: 6 }), selector: { matchLabels: { app: 'podinfo' } }, template },
    status: { observedGeneration: 2, ...status },
  };
}

function progressOf(object: KubeObject) {
  const canary = aCanary({}, { targetRef: { apiVersion: 'apps/v1', kind: object.kind as 'Deployment', name: 'podinfo' } });
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) throw new Error(workload.unsupported);
  const find = ({ name }: { name: string }) => (name === 'podinfo' ? remembered(object) : undefined);
  return workload.sides(canary, { find, all: () => [] }).target?.progress;
}

const [first, last] = ['2026-03-01T10:00:00Z', '2026-03-01T10:05:00Z'];

describe('E100: progress of a rollout', () => {
  it.each([
    { what: 'surge 1, all available', kind: 'Deployment', status: { replicas: 7, updatedReplicas: 3, availableReplicas: 6 }, updated: 2 },
    { what: 'one of six missing', kind: 'Deployment', status: { replicas: 6, updatedReplicas: 3, availableReplicas: 5 }, updated: 2 },
    { what: 'old pods alone', kind: 'Deployment', status: { replicas: 7, updatedReplicas: 1, availableReplicas: 6 }, updated: 0 },
    { what: 'old pods that are down', kind: 'Deployment', status: { replicas: 7, updatedReplicas: 1, availableReplicas: 1 }, updated: 0 },
    { what: 'complete', kind: 'Deployment', status: { replicas: 6, updatedReplicas: 6, availableReplicas: 6 }, updated: 6 },
    {
      what: 'a template that is not observed',
      kind: 'Deployment',
      status: { observedGeneration: 1, replicas: 6, updatedReplicas: 6, availableReplicas: 6 },
      updated: 0,
    },
    {
      what: 'two of four nodes',
      kind: 'DaemonSet',
      status: { desiredNumberScheduled: 4, updatedNumberScheduled: 3, numberAvailable: 3 },
      updated: 2,
    },
    {
      what: 'a template that is not observed',
      kind: 'DaemonSet',
      status: { observedGeneration: 1, desiredNumberScheduled: 4, updatedNumberScheduled: 4, numberAvailable: 4 },
      updated: 0,
    },
  ] as const)('$kind: $what is $updated updated pods', ({ kind, status, updated }) =>
    expect(progressOf(aWorkload(kind, status, [reported(first), reported(last)]))).toEqual({ lastMs: Date.parse(last), updated }),
  );

  it.each([
    { what: 'no fields are managed', fields: undefined },
    { what: 'the status has not been written', fields: [reported(last, ''), reported(last, 'scale')] },
    { what: 'the time cannot be read', fields: [reported('soon')] },
  ])('progress is not known if $what', ({ fields }) => expect(progressOf(aWorkload('Deployment', {}, fields))).toBeUndefined());
});
