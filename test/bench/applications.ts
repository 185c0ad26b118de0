import type { KubeObject } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';

export const NAMESPACE = 'bench';
export type BenchProvider = 'kubernetes' | 'istio' | 'smi:v1alpha2';
const AT_ONCE = 50;
export const nameOf = (index: number): string => `app-${String(index).padStart(4, '0')}`;

/** Calls for each index, some at a time. */
export async function forEachIndex(count: number, work: (index: number) => Promise<unknown>, atOnce = AT_ONCE): Promise<void> {
  for (let from = 0; from < count; from += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, (_, offset) => work(from + offset)));
}

/**
 * Creates applications. `analysis` is laid over the analysis of each Canary; `from` is the first index of applications that are added to the same namespace
 * later.
 */
export async function createApplications(
  cluster: KubeCluster,
  count: number,
  provider: BenchProvider,
  {
    replicas = 1,
    analysis = {},
    from = 0,
    suspended = false,
  }: { replicas?: number; analysis?: object; from?: number; suspended?: boolean } = {},
): Promise<void> {
  if (from === 0) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await forEachIndex(count, async (offset) => {
    const index = from + offset;
    await cluster.create(deployment(index, replicas));
    await cluster.create(canary(index, provider, analysis, suspended));
  });
}

/** A new image: a new revision of the target. */
export function changeImage(cluster: KubeCluster, index: number, version: string): Promise<KubeObject> {
  const containers = [container(version)];
  return cluster.patch(
    { apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(index), namespace: NAMESPACE },
    { spec: { template: { spec: { containers } } } },
  );
}

export interface EnvVar {
  name: string;
  value: string;
}

/** About what a real container has: probes, resources, environment. */
export function container(version: string, env: readonly EnvVar[] = []): object {
  const probe = (path: string) => ({ httpGet: { path, port: 'http' }, periodSeconds: 10, timeoutSeconds: 5 });
  return {
    name: 'web',
    image: `registry.example/app:${version}`,
    ports: [{ name: 'http', containerPort: 9898 }],
    env: [...Array.from({ length: 10 }, (_, index) => ({ name: `SETTING_${index}`, value: `value of setting ${index}` })), ...env],
    readinessProbe: probe('/readyz'),
    livenessProbe: probe('/healthz'),
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '256Mi' } },
  };
}

function deployment(index: number, replicas: number): KubeObject {
  const labels = { app: nameOf(index) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: nameOf(index), namespace: NAMESPACE, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container('1')] } },
    },
  };
}

function canary(index: number, provider: BenchProvider, analysis: object, suspend: boolean): KubeObject {
  const plan = provider === 'kubernetes' ? { iterations: 5 } : { stepWeight: 10, maxWeight: 50 };
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: nameOf(index), namespace: NAMESPACE },
    spec: {
      provider,
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(index) },
      service: { port: 80, targetPort: 'http' },
      progressDeadlineSeconds: 600,
      ...(suspend ? { suspend } : {}),
      analysis: { interval: '1s', threshold: 5, ...plan, ...analysis },
    },
  };
}
