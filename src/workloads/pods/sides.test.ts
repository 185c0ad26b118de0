import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { workloads } from '../index.ts';

/** A hundred updated pods, with this number of available ones. */
const deployment = (name: string, availableReplicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'test', uid: name, generation: 1 },
  spec: {
    replicas: 100,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [] } },
  },
  status: { observedGeneration: 1, replicas: 100, updatedReplicas: 100, availableReplicas, readyReplicas: availableReplicas },
});

function states(available: number, analysis: object = {}): (string | undefined)[] {
  const objects = [deployment('podinfo', available), deployment('podinfo-primary', available)];
  const { target, primary } = workloads.Deployment.sides(aCanary(analysis), {
    find: ({ name }) => {
      const object = objects.find(({ metadata }) => metadata.name === name);
      return object && { object, revision: workloads.Deployment.revision(object) };
    },
    all: () => [],
  });
  return [target?.readiness.state, primary?.readiness.state];
}

it('without a threshold all pods of a side must be available', () => {
  expect(states(100)).toEqual(['ready', 'ready']);
  expect(states(99)).toEqual(['waiting', 'waiting']);
});

it('each side has a threshold of its own', () => {
  expect(states(99, { canaryReadyThreshold: 99 })).toEqual(['ready', 'waiting']);
  expect(states(99, { primaryReadyThreshold: 99 })).toEqual(['waiting', 'ready']);
});
