import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { THRESHOLD } from './invariants.ts';
import type { Life, Side } from './life.ts';
import type { Pace } from './world.ts';

export const APP = 'podinfo';
export const NAME_LABEL = 'app.kubernetes.io/name';
/** Port of the container; Services name it. */
export const PORT = 9_898;
/** Versions that fail by themselves, by the environment of their pods. The restarts are the kubelet's. */
const LOOPS: Readonly<Record<string, Record<string, string>>> = {
  exits: { CRASH_AFTER_MS: '2400', EXIT_CODE: '3' },
  oom: { CRASH_AFTER_MS: '3000', EXIT_CODE: '137' },
  flaps: { FLAP_EVERY_MS: '7500' },
  broken: { NEVER_READY: '1' },
};

export const refOfSide = (side: Side, namespace: string): ObjectRef => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: side === 'target' ? APP : `${APP}-primary`,
  namespace,
});

/** `checkUrl` answers 200 where the canary passes. */
export function aCanary(
  { hasScaler, revertOnDeletion, provider }: Life,
  ref: { name: string; namespace: string },
  pace: Pace,
  checkUrl: string,
): KubeObject {
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: ref,
    spec: {
      provider: provider ?? 'istio',
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
      service: { port: 80, targetPort: 'http' },
      progressDeadlineSeconds: pace.deadlineMs / 1_000,
      ...(hasScaler && { autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: APP } }),
      ...(revertOnDeletion && { revertOnDeletion }),
      analysis: {
        interval: `${pace.intervalMs / 1_000}s`,
        threshold: THRESHOLD,
        ...(provider === 'kubernetes' ? { iterations: 3 } : { stepWeight: 10, maxWeight: 50 }),
        webhooks: [{ name: 'orders', type: 'rollout', url: checkUrl }],
      },
    },
  };
}

/** Both labels are in its pods; by which of them Serin tells the sides apart is its own affair. */
export function anApplication(
  namespace: string,
  version: string,
  labels: Record<string, string> = { app: APP, [NAME_LABEL]: APP },
): KubeObject {
  const template = { metadata: { labels: { app: APP, ...labels } }, spec: { containers: [containerOf(version)] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: APP, namespace }, spec };
}

export function aService(namespace: string): KubeObject {
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: APP, namespace }, spec: { selector: { app: APP }, ports } };
}

/** A scaler that never scales. */
export function aScaler(namespace: string): KubeObject {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP };
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }];
  const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics };
  return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: APP, namespace }, spec };
}

export function containerOf(version: string) {
  const [kind = ''] = version.split('-');
  const env = Object.entries(LOOPS[kind] ?? {}).map(([name, value]) => ({ name, value }));
  return { name: 'web', image: `${APP}:${version}`, ports: [{ name: 'http', containerPort: PORT }], ...(env.length > 0 && { env }) };
}

const tagOf = (image: string | undefined): string | undefined => image?.split(':')[1];
export const versionOf = (deployment: KubeObject | undefined): string | undefined =>
  tagOf(raw(deployment)?.spec.template.spec.containers[0].image);
export const versionOfPod = (pod: KubeObject): string => tagOf(raw(pod).spec.containers[0].image) ?? '';
