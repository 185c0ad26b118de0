import { expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { workloads } from '../../../src/workloads/index.ts';

it('a kind whose configs are tracked knows how many pods are left', () => {
  const withConfigs = Object.entries(workloads).filter(([, workload]) => workload.configs !== undefined);
  expect(withConfigs.map(([kind]) => kind).toSorted()).toEqual(['DaemonSet', 'Deployment']);
  for (const [kind, { pods }] of Object.entries(workloads)) expect(pods !== undefined, kind).toBe(kind in Object.fromEntries(withConfigs));
});

const aDeployment = (replicas: number, status: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 3 },
  spec: { replicas, template: { spec: { containers: [] } } },
  status: { observedGeneration: 3, ...status },
});
const aDaemonSet = (isSentAway: boolean, status: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'web', generation: 3 },
  spec: { template: { spec: { containers: [], ...(isSentAway && { nodeSelector: { 'flagger.app/scale-to-zero': 'true' } }) } } },
  status: { observedGeneration: 3, ...status },
});

it.each([
  { what: 'asked for none, two still there', object: aDeployment(0, { replicas: 2 }), left: 2 },
  { what: 'asked for two, none made yet', object: aDeployment(2, {}), left: 2 },
  { what: 'asked for none, which is not observed yet', object: aDeployment(0, { observedGeneration: 2 }), left: 1 },
  { what: 'asked for none, and none is left', object: aDeployment(0, { replicas: 0 }), left: 0 },
  { what: 'asked for none since what is observed', object: aDeployment(0, { observedGeneration: 2, replicas: 0 }), zeroSince: 2, left: 0 },
  { what: 'the same, and two still there', object: aDeployment(0, { observedGeneration: 2, replicas: 2 }), zeroSince: 2, left: 2 },
  { what: 'asked for none since later', object: aDeployment(0, { observedGeneration: 1, replicas: 0 }), zeroSince: 2, left: 1 },
  { what: 'sent away, two still there', object: aDaemonSet(true, { numberMisscheduled: 2 }), left: 2 },
  { what: 'not sent away', object: aDaemonSet(false, { desiredNumberScheduled: 3, currentNumberScheduled: 2 }), left: 3 },
  { what: 'sent away, which is not observed yet', object: aDaemonSet(true, { observedGeneration: 2 }), left: 1 },
  { what: 'sent away, and none is left', object: aDaemonSet(true, { numberMisscheduled: 0 }), left: 0 },
])('of a $object.kind, $what: $left left', ({ object, left, ...watched }) => {
  const workload = object.kind === 'DaemonSet' ? workloads.DaemonSet : workloads.Deployment;
  expect(workload.pods?.({ object: workload.slim(object), ...watched })).toBe(left);
});
