import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ensureKnative, ensureKnativeManifests } from '../../scripts/e2e-knative.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { freePort } from '../e2e/free-port.ts';
import { raw } from '../fakes/raw.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { ADDRESSES } from './ground.ts';

const NAMESPACE = 'knative-serving';
/** Class of the Ingresses that the suite carries out. */
export const INGRESS_CLASS = 'played.ingress.networking.knative.dev';
/** Options of the control plane that Serving needs. */
export const SERVING_NEEDS = {
  standsForKnative: false,
  // The webhook has an endpoint, and no ClusterIP that could be reached.
  serverFlags: ['--enable-aggregator-routing=true'],
  moreControllers: ['endpoints-controller', 'endpointslice-mirroring-controller', 'horizontal-pod-autoscaler-controller'],
};

/** Differences from the ConfigMaps that Knative publishes, by their names. */
const SETTINGS: Readonly<Record<string, Record<string, string>>> = {
  // No registry can be reached.
  'config-deployment': { 'queue-sidecar-image': 'queue:1', 'registries-skipping-tag-resolving': 'index.docker.io' },
  'config-network': { 'ingress-class': INGRESS_CLASS },
  // The other class counts requests in its sidecar, which needs containers.
  'config-autoscaler': { 'pod-autoscaler-class': 'hpa.autoscaling.knative.dev' },
};

export interface Serving {
  logTail(): string;
  stop(): Promise<void>;
}

/** The real controllers and the real webhook of Knative Serving on a cluster, with its own resource definitions; they end with this process. */
export async function startServing(cluster: KubeCluster, kubeconfigFile: string): Promise<Serving> {
  const [{ controller, webhook }, manifests] = [await ensureKnative(), await ensureKnativeManifests()];
  const serving = (folder: string) => filesIn(join(manifests.serving, folder));
  const networking = filesIn(manifests.networking);
  await applyCrdFiles(cluster, [
    ...serving('300-resources'),
    ...networking.filter((file) => !file.endsWith('config-network.yaml')),
    ...filesIn(manifests.caching),
  ]);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const settings = [...serving('configmaps'), ...networking.filter((file) => file.endsWith('config-network.yaml'))].flatMap(objectsIn);
  for (const map of settings) await cluster.create({ ...map, data: { ...raw(map).data, ...SETTINGS[map.metadata.name] } });
  const port = await freePort();
  for (const object of [...serviceAt('webhook', 443, port), ...activator()]) await cluster.create(object);

  const folder = mkdtempSync(join(tmpdir(), 'serin-knative-'));
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfigFile,
    SYSTEM_NAMESPACE: NAMESPACE,
    POD_NAME: 'serving',
    CONFIG_LOGGING_NAME: 'config-logging',
    CONFIG_OBSERVABILITY_NAME: 'config-observability',
    WEBHOOK_NAME: 'webhook',
    WEBHOOK_PORT: String(port),
    KUBE_API_QPS: '200',
    KUBE_API_BURST: '400',
  };
  const processes: GuardedProcess[] = [];
  const start = (name: string, program: string) => {
    processes.push(startGuarded(name, [program, '-disable-ha'], join(folder, `${name}.log`), env));
  };
  const logTail = () => processes.map((each) => `${each.name}: ${each.logTail()}`).join('\n');
  const stop = async () => {
    for (const each of processes.toReversed()) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const hooks = serving('webhooks').flatMap(objectsIn);
  for (const hook of hooks) await cluster.create(hook);
  start('webhook', webhook);
  start('controller', controller);
  try {
    await eventually('the API server knows how to ask the webhook', async () => {
      if (processes.some((each) => each.hasExited())) throw new Error('it has ended');
      const found = await Promise.all(hooks.filter(({ kind }) => kind !== 'Secret').map((hook) => cluster.get(refOfHook(hook))));
      return found.every((hook) => raw(hook)?.webhooks.every(({ clientConfig }: Hook) => clientConfig.caBundle));
    });
  } catch (error) {
    const tail = logTail();
    await stop();
    throw new Error(`Knative Serving did not become ready:\n${tail}`, { cause: error });
  }
  return { logTail, stop };
}

interface Hook {
  clientConfig: { caBundle?: string };
}

const refOfHook = ({ apiVersion, kind, metadata: { name } }: KubeObject) => ({ apiVersion, kind, name });
const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file));
const objectsIn = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document): KubeObject[] => document.toJS() ?? []);

function serviceAt(name: string, port: number, targetPort: number): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: NAMESPACE }, spec: { ports: [{ name: 'https', port, targetPort }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-0`, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: targetPort, protocol: 'TCP' }],
      endpoints: [{ addresses: [ADDRESSES.webhook], conditions: { ready: true } }],
    } as KubeObject,
  ];
}

/** Serving wants to know where it is, also where no Revision is ever behind it. */
const activator = (): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'activator-service', namespace: NAMESPACE },
    subsets: [{ addresses: [{ ip: ADDRESSES.webhook }], ports: [{ name: 'http', port: 8012 }] }],
  } as KubeObject,
];
