import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { raw } from '../../fakes/raw.ts';
import { APP } from '../scenario.ts';
import { containerOf, placeOf, type StartApplication } from './application.ts';
import { serviceApplication } from './core-service.ts';
import { daemonSetApplication } from './daemon-set.ts';
import { knativeApplication } from './knative.ts';

const target = (namespace: string, kind: string): ObjectRef => ({ apiVersion: 'apps/v1', kind, name: APP, namespace });

/** A Deployment with a scaler of its own, which need not run: idle objects are checked, not scaling. */
function scaledBy(scaler: { apiVersion: string; kind: string; spec: object }): StartApplication {
  return (cluster, namespace) => {
    const { wait } = placeOf(cluster, namespace);
    const ref = target(namespace, 'Deployment');
    const labels = { app: APP };
    const { apiVersion, kind, spec } = scaler;
    return {
      spec: { targetRef: { apiVersion: ref.apiVersion, kind: ref.kind, name: APP }, autoscalerRef: { apiVersion, kind, name: APP } },
      metrics: [],
      async create() {
        const metadata = { name: APP, namespace };
        const template = { metadata: { labels }, spec: { containers: [containerOf('1')] } };
        await cluster.create({
          apiVersion: ref.apiVersion,
          kind: ref.kind,
          metadata,
          spec: { selector: { matchLabels: labels }, template },
        });
        await cluster.create({ apiVersion, kind, metadata, spec });
        await wait(ref, 'runs', (now) => raw(now)?.status?.availableReplicas === 1);
      },
      async push(version) {
        await cluster.patch(ref, { spec: { template: { spec: { containers: [containerOf(version)] } } } });
      },
      primaryRuns: (version) =>
        wait(
          { ...ref, name: `${APP}-primary` },
          `runs version ${version}`,
          (now) => raw(now)?.spec.template.spec.containers[0].image === `${APP}:${version}`,
        ),
      primary: async () => (await cluster.get({ ...ref, name: `${APP}-primary` }))?.spec,
      losePrimary: () => cluster.delete({ ...ref, name: `${APP}-primary` }),
      isScaledDown: () => wait(ref, 'has no pods', (now) => raw(now)?.spec.replicas === 0 && (raw(now).status?.replicas ?? 0) === 0),
      isAsBefore: () => wait(ref, 'runs', (now) => raw(now)?.status?.availableReplicas === 1),
    };
  };
}

/** The same with a ConfigMap and a Secret, which its pods mount. */
function withConfigs(kind: string, start: StartApplication): StartApplication {
  return (cluster, namespace) => {
    const app = start(cluster, namespace);
    return {
      ...app,
      async create() {
        const data = { LEVEL: '1' };
        await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data });
        await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database', namespace }, stringData: data });
        await app.create();
        const volumes = [
          { name: 'settings', configMap: { name: 'settings' } },
          { name: 'database', secret: { secretName: 'database' } },
        ];
        await cluster.patch(target(namespace, kind), { spec: { template: { spec: { volumes } } } });
      },
    };
  };
}

const hpa = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
  },
};
const scaledObject = {
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  spec: {
    scaleTargetRef: { name: APP },
    minReplicaCount: 1,
    maxReplicaCount: 3,
    triggers: [{ type: 'prometheus', metadata: { query: `sum(rate(requests{app="${APP}"}[1m]))`, threshold: '20' } }],
  },
};

/** All four kinds of target, with all that Serin looks after besides. */
const MIXED: readonly StartApplication[] = [
  withConfigs('Deployment', scaledBy(hpa)),
  withConfigs('DaemonSet', daemonSetApplication),
  serviceApplication,
  knativeApplication,
  withConfigs('Deployment', scaledBy(scaledObject)),
];
export const MIXED_KINDS = MIXED.length;

/** Brings the application with this number to rest under its Canary, in a namespace of its own; every second one after a promotion. */
export async function bringToIdle(
  cluster: Cluster,
  index: number,
  becomesIdle: (canary: ObjectRef, isSo: (now: KubeObject | undefined) => boolean) => Promise<unknown>,
): Promise<void> {
  const namespace = mixedNamespace(index);
  const start = MIXED[index % MIXED.length];
  if (start === undefined) throw new Error('there are kinds');
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const app = start(cluster, namespace);
  await app.create();
  const analysis = { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 };
  const spec = { provider: 'istio', service: { port: 80, targetPort: 'http' }, progressDeadlineSeconds: 600, analysis, ...app.spec };
  const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
  await cluster.create({ apiVersion: canary.apiVersion, kind: canary.kind, metadata: { name: APP, namespace }, spec });
  const isIdleIn = (phase: string) => (now: KubeObject | undefined) => {
    const { step, deliveries = [] } = raw(now)?.status?.release ?? {};
    return raw(now)?.status?.phase === phase && step === 'resting' && deliveries.length === 0;
  };
  await becomesIdle(canary, isIdleIn('Initialized'));
  if (Math.floor(index / MIXED.length) % 2 === 0) {
    await app.push('2');
    await becomesIdle(canary, isIdleIn('Succeeded'));
  }
  await app.isScaledDown();
}

export const mixedNamespace = (index: number): string => `mixed-${String(index).padStart(3, '0')}`;
