import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { KindRef } from '../../../src/kube/cluster.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import type { Raw } from '../../fakes/raw.ts';
import { container, type EnvVar, nameOf } from '../applications.ts';

/** Shortest that Flagger takes. */
export const INTERVAL_MS = 10_000;
/** Default steps of a release. */
export const STEPS = 5;
export const MAX_WEIGHT = 50;
/** The applications of a controller. */
export interface Applications {
  /** The kind whose status shows a release. */
  readonly kind: KindRef;
  /** The state of a release, in the words of a Canary. */
  seenOf(object: KubeObject): SeenRelease;
  /** All but the object that the controller acts on. */
  createTarget(cluster: KubeCluster, namespace: string, index: number): Promise<void>;
  create(cluster: KubeCluster, namespace: string, index: number, options: ApplicationOptions): Promise<KubeObject>;
  push(cluster: KubeCluster, namespace: string, index: number, version: string, env: readonly EnvVar[]): Promise<KubeObject>;
}

export interface SeenRelease {
  phase: string;
  weight: number;
}

export interface ApplicationOptions {
  /** Steps of a release; they divide the highest weight. */
  steps: number;
  prometheusUrl: string;
}

/** Failed checks until a release is rolled back. */
export const THRESHOLD = 3;

export async function createNamespace(cluster: KubeCluster, name: string): Promise<void> {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** The ConfigMap that the container of an application reads. */
export async function createConfig(cluster: KubeCluster, namespace: string, index: number): Promise<void> {
  const name = nameOf(index);
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, line) => [`KEY_${line}`, `value ${line} of ${name}`]));
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-config`, namespace }, data });
}

/** A Deployment and the ConfigMap that its container reads. */
export async function createTarget(cluster: KubeCluster, namespace: string, index: number): Promise<void> {
  const name = nameOf(index);
  await createConfig(cluster, namespace, index);
  const labels = { app: name };
  await cluster.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: containersOf(index, '1') } },
    },
  });
}

/** Istio and one check; `steps` divides the highest weight of 50. The routes, Services and primary are the controller's to make. */
export function createCanary(cluster: KubeCluster, namespace: string, index: number, steps: number): Promise<KubeObject> {
  const name = nameOf(index);
  return cluster.create({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name, namespace },
    spec: {
      provider: 'istio',
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      service: { port: 80, targetPort: 9898 },
      progressDeadlineSeconds: 600,
      analysis: {
        interval: `${INTERVAL_MS / 1000}s`,
        threshold: THRESHOLD,
        stepWeight: MAX_WEIGHT / steps,
        maxWeight: MAX_WEIGHT,
        metrics: [{ name: 'request-success-rate', interval: '1m', thresholdRange: { min: 99 } }],
      },
    },
  });
}

export function pushImage(
  cluster: KubeCluster,
  namespace: string,
  index: number,
  version: string,
  env: readonly EnvVar[] = [],
): Promise<KubeObject> {
  return cluster.patch(
    { apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(index), namespace },
    { spec: { template: { spec: { containers: containersOf(index, version, env) } } } },
  );
}

/** Canaries of Deployments. */
export const canaries: Applications = {
  kind: { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  seenOf: ({ status }: Raw) => ({ phase: status?.phase ?? 'none', weight: status?.canaryWeight ?? 0 }),
  createTarget,
  create: (cluster, namespace, index, { steps }) => createCanary(cluster, namespace, index, steps),
  push: pushImage,
};

export const containersOf = (index: number, version: string, env: readonly EnvVar[] = []): object[] => [
  { ...container(version, env), envFrom: [{ configMapRef: { name: `${nameOf(index)}-config` } }] },
];

/** Calls for each index, so many at a time; the next call begins as soon as one ends. */
export async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}
