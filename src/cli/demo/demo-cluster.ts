import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crds } from '../../api/crds.ts';
import { asDeployment } from '../../api/kinds/deployment.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../embedded/cluster.ts';
import { startPrometheus } from '../../embedded/prometheus/index.ts';
import { routingCrds } from '../../embedded/routing-crds.ts';

/** Namespace of the demo. */
export const NAMESPACE = 'demo';
/** Name of the demo's application, its Canary and its Service. */
export const APP = 'podinfo';
/** Both lowered from what production uses, so that the demo takes a minute; it says so. */
export const INTERVAL = '1s';
export const SCALE_DOWN_DELAY = '2s';

/** Traffic providers that the demo can show. */
export type DemoProvider = 'istio' | 'smi' | 'kubernetes';

/** The embedded cluster with the application and its Canary. */
export interface DemoCluster {
  embedded: EmbeddedCluster;
  prometheusUrl: string;
  folder: string;
  kubeconfigFile: string;
  /** Rolls the application to another version. */
  deploy(version: string, env: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

/** `folder` is empty, and takes the kubeconfig and the controller's log. Nothing runs on when it fails. */
export async function startDemoCluster(provider: DemoProvider, folder: string): Promise<DemoCluster> {
  const embedded = await startEmbeddedCluster({
    mesh: { proxies: 3, lagMs: [0, 500], seed: 7 },
    nodes: { graceScale: 0.2 },
    namespace: NAMESPACE,
  });
  try {
    return await startIn(embedded, provider, folder);
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function startIn(embedded: EmbeddedCluster, provider: DemoProvider, folder: string): Promise<DemoCluster> {
  const kubeconfigFile = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigFile, embedded.kubeconfig);
  const prometheus = await startPrometheus({ targets: [embedded.mesh.metricsUrl], scrapeIntervalMs: 500 });
  const { cluster } = embedded;
  for (const crd of [...crds(), ...routingCrds()]) await cluster.create(crd);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await cluster.create(deployment());
  await cluster.create(service());
  await serving(embedded.mesh.urls);
  await cluster.create(canary(provider));
  return {
    embedded,
    prometheusUrl: prometheus.url,
    folder,
    kubeconfigFile,
    async deploy(version, env) {
      const container = { name: 'web', image: `${APP}:${version}`, env: Object.entries(env).map(([name, value]) => ({ name, value })) };
      const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace: NAMESPACE };
      const current = await cluster.get(ref);
      const [old] = (current && asDeployment(current).spec.template.spec.containers) ?? [];
      await cluster.patch(ref, { spec: { template: { spec: { containers: [{ ...old, ...container }] } } } });
    },
    async stop() {
      await prometheus.stop();
      await embedded.stop();
    },
  };
}

/** The Service that the application already has: users call it before Serin takes over. */
function service(): KubeObject {
  const metadata = { name: APP, namespace: NAMESPACE };
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: APP }, ports } };
}

/** Resolves when every proxy routes to the application. */
async function serving(proxyUrls: readonly string[]): Promise<void> {
  for (const url of proxyUrls) {
    while ((await statusOf(url)) !== 200) await sleep(50);
  }
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const call = get(url, { headers: { host: `${APP}.${NAMESPACE}` } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on('error', () => resolve(undefined));
  });
}

function deployment(): KubeObject {
  const labels = { app: APP };
  const container = { name: 'web', image: `${APP}:1`, ports: [{ name: 'http', containerPort: 9898 }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: APP, namespace: NAMESPACE, labels },
    spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  };
}

function canary(provider: DemoProvider): KubeObject {
  const plan = provider === 'kubernetes' ? { iterations: 4 } : { stepWeight: 20, maxWeight: 60 };
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: APP, namespace: NAMESPACE },
    spec: {
      provider: provider === 'smi' ? 'smi:v1alpha2' : provider,
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
      service: { port: 80, targetPort: 'http' },
      // Without a mesh version 3 never becomes ready: it is rolled back at this deadline.
      progressDeadlineSeconds: provider === 'kubernetes' ? 8 : 60,
      analysis: {
        interval: INTERVAL,
        threshold: 2,
        // In the first seconds of a step there can be nothing to measure yet, which is not the version's fault.
        unmeasured: 'hold',
        ...plan,
        // Without a mesh no user reaches the new version while it is judged, so there is nothing to measure.
        ...(provider === 'kubernetes'
          ? {}
          : {
              metrics: [
                { name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } },
                { name: 'request-duration', interval: '4s', thresholdRange: { max: 500 } },
              ],
            }),
      },
    },
  };
}
