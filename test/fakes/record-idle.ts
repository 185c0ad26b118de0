import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { systemClock } from '../../src/base/clock.ts';
import { ControllerConfig } from '../../src/controller/config.ts';
import { startController } from '../../src/controller/controller.ts';
import { createControllerMetrics } from '../../src/controller/telemetry/controller-metrics.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { startKnative } from '../../src/embedded/knative/index.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { containerOf, type StartApplication } from '../scenarios/kinds/application.ts';
import { serviceApplication } from '../scenarios/kinds/core-service.ts';
import { daemonSetApplication } from '../scenarios/kinds/daemon-set.ts';
import { knativeApplication } from '../scenarios/kinds/knative.ts';
import { APP } from '../scenarios/scenario.ts';
import { until } from '../scenarios/until.ts';
import { raw } from './raw.ts';
import { RECORDED_KINDS } from './recorded-idle.ts';

/**
 * `node test/fakes/record-idle.ts <version>`: runs this version over every kind and provider on the embedded cluster and writes what it
 * leaves while idle to test/vectors/upgrade/<version>. Done once for each release, before it is published; never changed afterwards.
 */
const ROOT = join(import.meta.dirname, '..', '..');
const CRDS = [join(ROOT, 'charts', 'serin', 'files', 'crds'), join(ROOT, 'test', 'fixtures', 'crds')];
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const WEIGHTS = { stepWeight: 50, maxWeight: 50 };

type Ending = 'Initialized' | 'Succeeded' | 'Failed';
interface Case {
  application: StartApplication;
  provider?: string;
  analysis?: object;
  ending?: Ending;
}

const cases: Readonly<Record<string, Case>> = {
  'deployment-istio': { application: deploymentApplication, provider: 'istio' },
  'deployment-istio-cookies': {
    application: deploymentApplication,
    provider: 'istio',
    analysis: { ...WEIGHTS, sessionAffinity: { cookieName: 'version' } },
  },
  'deployment-istio-a-b': {
    application: deploymentApplication,
    provider: 'istio',
    analysis: { iterations: 2, match: [{ headers: { user: { exact: 'a' } } }] },
  },
  'deployment-initialized': { application: deploymentApplication, provider: 'istio', ending: 'Initialized' },
  'deployment-failed': { application: deploymentApplication, provider: 'istio', ending: 'Failed' },
  'deployment-smi': { application: deploymentApplication, provider: 'smi:v1alpha2' },
  'deployment-linkerd': { application: deploymentApplication, provider: 'linkerd' },
  'deployment-kubernetes': { application: deploymentApplication, provider: 'kubernetes', analysis: { iterations: 2 } },
  'daemon-set-istio': { application: daemonSetApplication, provider: 'istio' },
  'service-istio': { application: serviceApplication, provider: 'istio' },
  'knative-service': { application: knativeApplication },
};

/** A Deployment that reads a ConfigMap and a Secret. */
function deploymentApplication(cluster: Cluster, namespace: string): ReturnType<StartApplication> {
  const labels = { app: APP };
  const metadata = { name: APP, namespace };
  const template = (version: string) => ({
    metadata: { labels },
    spec: {
      containers: [
        { ...containerOf(version), envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'database', optional: true } }] },
      ],
    },
  });
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace };
  const nothing = async () => undefined;
  return {
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } },
    metrics: [],
    async create() {
      await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data: { LEVEL: '1' } });
      await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database', namespace }, data: { PASSWORD: 'MQ==' } });
      const spec = { replicas: 2, selector: { matchLabels: labels }, template: template('1') };
      await cluster.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
      await until(cluster, ref, 'runs', (now) => raw(now)?.status?.availableReplicas === 2);
    },
    async push(version) {
      await cluster.patch(ref, { spec: { template: template(version) } });
    },
    primary: async () => ({}),
    primaryRuns: nothing,
    losePrimary: nothing,
    isScaledDown: async () => {
      await until(cluster, ref, 'has no pods', (now) => (raw(now)?.status?.replicas ?? 0) === 0);
    },
    isAsBefore: nothing,
  };
}

async function record(
  cluster: Cluster,
  name: string,
  { application, provider, analysis = WEIGHTS, ending = 'Succeeded' }: Case,
): Promise<KubeObject[]> {
  const namespace = name;
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const app = application(cluster, namespace);
  await app.create();
  const spec = {
    ...(provider && { provider }),
    service: { port: 80, targetPort: 'http' },
    progressDeadlineSeconds: ending === 'Failed' ? 2 : 60,
    analysis: { interval: '300ms', threshold: 2, ...analysis },
    ...app.spec,
  };
  const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
  await cluster.create({ apiVersion: canary.apiVersion, kind: canary.kind, metadata: { name: APP, namespace }, spec });
  const becomesIdle = (phase: Ending) =>
    until(cluster, canary, `is idle in ${phase}`, (now) => {
      const { deliveries = [], step } = raw(now)?.status?.release ?? {};
      return raw(now)?.status?.phase === phase && step === 'resting' && deliveries.length === 0;
    });
  await becomesIdle('Initialized');
  if (ending !== 'Initialized') await app.push(ending === 'Failed' ? 'broken' : '2');
  await becomesIdle(ending);
  await app.isScaledDown();
  const objects: KubeObject[] = [];
  for (const kind of RECORDED_KINDS)
    objects.push(...(await cluster.list({ ...kind, namespace })).items.map((item) => ({ ...kind, ...item })));
  return objects;
}

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error('usage: node test/fakes/record-idle.ts <version>');
const folder = join(ROOT, 'test', 'vectors', 'upgrade', version);
const embedded = await startEmbeddedCluster({
  nodes: { appFor: (pod) => (pod.spec.containers?.[0]?.image?.endsWith(':broken') ? { neverReady: true } : {}) },
});
const { cluster } = embedded;
for (const crds of CRDS)
  for (const file of readdirSync(crds))
    for (const document of parseAllDocuments(readFileSync(join(crds, file), 'utf8')))
      if (document.toJS() !== null) await cluster.apply(document.toJS() as KubeObject);
const knative = startKnative(cluster);
const controller = startController({
  config: ControllerConfig.parse({ minAnalysisIntervalMs: 100, scaleDownDelayMs: 200 }),
  cluster,
  clock: systemClock,
  random: Math.random,
  log: silent,
  metrics: createControllerMetrics(version),
});
await controller.started;
mkdirSync(folder, { recursive: true });
for (const [name, what] of Object.entries(cases)) {
  const objects = await record(cluster, name, what);
  const documents = objects.map((object) => {
    // Field managers would double the size of each object, and nothing depends on them while idle.
    const { managedFields: _, ...metadata } = object.metadata;
    return stringify({ ...object, metadata }, { lineWidth: 0, aliasDuplicateObjects: false });
  });
  writeFileSync(join(folder, `${name}.yaml`), documents.join('---\n'));
  process.stdout.write(`${name}: ${objects.length} objects\n`);
}
await controller.stop();
knative.stop();
await embedded.stop();
process.exit(0);
