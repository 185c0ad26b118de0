import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';

const PORTS = [{ name: 'http', port: 80, targetPort: 'http' }];

/** A Deployment of one pod; `env` chooses how its application behaves. */
export function aDeployment(namespace: string, name: string, env: Record<string, string> = {}, app = name): KubeObject {
  const labels = { app };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [aContainer('1', env)] } },
    },
  };
}

export function aContainer(version: string, env: Record<string, string> = {}): object {
  return {
    name: 'web',
    image: `web:${version}`,
    ports: [{ name: 'http', containerPort: 9898 }],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  };
}

export function aService(namespace: string, name: string, app = name): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { selector: { app }, ports: PORTS } };
}

/** A Canary that works. */
export function aCanary(namespace: string, name: string, analysis: object = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name, namespace },
    spec: {
      provider: 'istio',
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      service: { port: 80, targetPort: 'http' },
      progressDeadlineSeconds: 600,
      ...spec,
      analysis: { interval: '1s', threshold: 2, stepWeight: 50, maxWeight: 50, ...analysis },
    },
  };
}

export async function makeNamespace(cluster: KubeCluster, name: string): Promise<void> {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** Pushes another version to the target. */
export async function push(
  cluster: KubeCluster,
  namespace: string,
  name: string,
  version: string,
  env: Record<string, string> = {},
): Promise<void> {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace };
  await cluster.patch(ref, { spec: { template: { spec: { containers: [aContainer(version, env)] } } } });
}

export const canaryRef = (namespace: string, name: string) => ({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name, namespace });
