import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../src/api/kube-object.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { DEMAND_ANNOTATION } from '../../src/embedded/controllers/hpa-controller.ts';
import { raw } from '../fakes/raw.ts';
import { eventuallyHolds } from '../scenarios/eventually.ts';
import { afterAll, beforeAll, enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(29);
playTests();

const target: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy', namespace: 'default' };
const hpa: ObjectRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'busy', namespace: 'default' };

/** On the embedded cluster only: the real controller needs a metrics API, which no control plane has by itself. */
describe('HPAs on the embedded cluster (a real control plane has no metrics API)', () => {
  let embedded: EmbeddedCluster;
  beforeAll(async () => {
    embedded = await startEmbeddedCluster({ world: world(), nodes: { graceScale: 0.02 } });
    const labels = { app: 'busy' };
    const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '100m' } } }];
    await embedded.cluster.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'busy', namespace: 'default' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
    const { name: _name, namespace: _namespace, ...kind } = hpa;
    await embedded.cluster.create({
      ...kind,
      metadata: { name: 'busy', namespace: 'default' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy' },
        minReplicas: 2,
        maxReplicas: 5,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
      },
    });
  });
  afterAll(() => embedded?.stop());

  const demand = (millicores: number) =>
    embedded.cluster.patch(target, { metadata: { annotations: { [DEMAND_ANNOTATION]: String(millicores) } } });
  const becomes = (replicas: number, status: object) =>
    eventuallyHolds(async () => {
      const [scaled, scaler] = [await embedded.cluster.get(target), await embedded.cluster.get(hpa)];
      expect(raw(scaled)?.spec.replicas).toBe(replicas);
      expect(raw(scaled)?.status.readyReplicas).toBe(replicas);
      expect(scaler?.status).toMatchObject({ desiredReplicas: replicas, currentReplicas: replicas, ...status });
    });
  const says = (type: string, status: string, reason: string) => ({
    conditions: expect.arrayContaining([expect.objectContaining({ type, status, reason })]),
  });

  it('without a demand only the limits hold, and the condition says why', () =>
    becomes(2, { currentMetrics: null, ...says('ScalingActive', 'False', 'FailedGetResourceMetric') }));
  it('follows the demand up', async () => {
    await demand(200);
    const resource = { name: 'cpu', current: { averageUtilization: 50, averageValue: '50m' } };
    // Measured once more when the last pod is ready.
    await becomes(4, {
      ...says('ScalingActive', 'True', 'ValidMetricFound'),
      lastScaleTime: expect.any(String),
      currentMetrics: [{ type: 'Resource', resource }],
    });
  });
  it('stops at the maximum and at the minimum', async () => {
    await demand(2000);
    await becomes(5, says('ScalingLimited', 'True', 'TooManyReplicas'));
    await demand(10);
    await becomes(2, says('ScalingLimited', 'True', 'TooFewReplicas'));
  });
  it('does not scale a target at zero replicas', async () => {
    await embedded.cluster.patch(target, { spec: { replicas: 0 } }, { subresource: 'scale' });
    await eventuallyHolds(async () =>
      expect((await embedded.cluster.get(hpa))?.status).toMatchObject(says('ScalingActive', 'False', 'ScalingDisabled')),
    );
    expect(raw(await embedded.cluster.get(target))?.spec.replicas).toBe(0);
  });
});
