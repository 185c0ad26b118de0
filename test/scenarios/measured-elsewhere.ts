import { describe, expect } from 'vitest';
import { type HpaMetrics, startHorizontalPodAutoscaler } from '../fakes/autoscaler/autoscaler.ts';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import { anEnvironment, type Environment } from './environment.ts';
import { APP, scenarioTests } from './scenario.ts';

const HPA = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' } as const;
/** Longer than Kubernetes takes between two looks at an HPA: what it takes away before it is ready never becomes ready. */
const SLOW = { READY_AFTER_MS: '20000' };
const NOTE = 'serin.dev/before-raise';
const described = { apiVersion: 'v1', kind: 'Service', name: 'queue' };

/** Metrics by which one pod is enough, for any number of pods. */
const METRICS = {
  external: { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '10' } } },
  object: { type: 'Object', object: { metric: { name: 'queue' }, describedObject: described, target: { type: 'Value', value: '50' } } },
  resource: { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '100m' } } },
};
const idle: HpaMetrics = { ofPod: () => 0.001, ofMetric: () => 5 };

/** Releases whose scaler, by the algorithm of Kubernetes, wants fewer pods than the release needs; on either cluster. */
export function describeMeasuredElsewhere(title: string, startEnvironment: () => Promise<Environment>): void {
  describe(title, () => {
    const environmentOf = anEnvironment(startEnvironment);
    const scenario = scenarioTests(environmentOf, aController(environmentOf));

    describe.concurrent('each in a namespace of its own', () => {
      for (const [name, metric] of Object.entries(METRICS)) {
        scenario(
          `E101: a release whose ${name} metric asks for one pod has the pods of its steps, and gives them back`,
          name,
          async (one) => {
            const { given, when, then, namespace } = one;
            const { cluster } = environmentOf();
            const ref = { ...HPA, name: APP, namespace };
            await given.aDeployment({ replicas: 6 });
            const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP };
            const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 12, metrics: [metric] };
            await cluster.create({ ...HPA, metadata: { name: APP, namespace }, spec });
            const autoscalerRef = { ...HPA, name: APP, primaryScalerReplicas: { minReplicas: 6 } };
            await given.aCanary({ stepWeights: [50], threshold: 2, webhooks: given.aClosedGate() }, { autoscalerRef });
            const failures: unknown[] = [];
            const scaler = startHorizontalPodAutoscaler(cluster, { namespace, metrics: idle, onError: (error) => failures.push(error) });
            try {
              await when.imageChanges('2', SLOW);
              await then.canaryIs('WaitingPromotion');
              const target = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace });
              expect(raw(target)?.status?.availableReplicas).toBe(3);
              expect(raw(await cluster.get(ref))?.spec.minReplicas).toBe(3);
              when.gateOpens('finish');
              await then.releaseEnds('Succeeded');
              expect(one.phases()).not.toContain('Failed');
              await then.scalesTo(APP, 0);
              const after = await cluster.get(ref);
              expect([raw(after)?.spec.minReplicas, after?.metadata.annotations?.[NOTE]]).toEqual([1, undefined]);
              expect(failures).toEqual([]);
            } finally {
              await scaler.stop();
            }
          },
        );
      }
    });
  });
}
