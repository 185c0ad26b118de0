import { ensureContourDefinitions } from '../../scripts/e2e-contour.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { serveMetrics } from './application-metrics.ts';
import { startContour } from './contour.ts';
import { planeOf } from './contour-plane.ts';
import type { Plane, StartPlane } from './ground.ts';
import { INGRESS_CLASS, startServing } from './knative.ts';

const NETWORKING = 'networking.internal.knative.dev/v1alpha1';
/** Contour calls the statistics of a cluster by namespace, Service and port; Knative's own gateways by namespace and Revision. */
const CLUSTER = /envoy_cluster_name="([^_"]+)_([^_"]+)_80"/g;

/** Knative Serving, and Contour with its Envoy for the Ingresses that Serving makes. */
export const startKnativePlane: StartPlane = async ({ cluster, adminKubeconfigFile }) => {
  const { contour } = await ensureContourDefinitions();
  await applyCrdFiles(cluster, [contour]);
  const proxy = await startContour({ kubeconfigFile: adminKubeconfigFile });
  const envoy = planeOf(proxy, proxy.metricsUrl);
  const serving = await startServing(cluster, adminKubeconfigFile);
  const ingresses = playIngresses(cluster, envoy);
  const metrics = await serveMetrics(async () =>
    (await (await fetch(proxy.metricsUrl)).text()).replace(CLUSTER, 'envoy_cluster_name="$1/$2"'),
  );
  return {
    ...envoy,
    metricsUrl: metrics.url,
    knows: (object) => (object.apiVersion.startsWith('serving.knative.dev/') ? ingresses.isCarriedOut(object) : envoy.knows(object)),
    async stop() {
      ingresses.stop();
      await metrics.stop();
      await serving.stop();
      await envoy.stop();
    },
  };
};

interface Split {
  serviceName: string;
  servicePort: number;
  percent: number;
}
interface Target {
  revisionName: string;
  percent: number;
}
interface Rule {
  hosts: string[];
  http: { paths: { splits: Split[] }[] };
}

/**
 * Plays net-contour, which is not available as a Go module: each Ingress of Serving becomes HTTPProxies, one for each host, and is ready once Envoy uses them.
 */
function playIngresses(cluster: KubeCluster, envoy: Plane): { isCarriedOut(service: KubeObject): boolean; stop(): void } {
  const newest = new Map<string, number>();
  const carriedOut = new Map<string, KubeObject>();
  const carryOut = async (ingress: KubeObject): Promise<void> => {
    const { name, namespace, uid, generation = 0 } = ingress.metadata;
    if (ingress.metadata.annotations?.['networking.knative.dev/ingress.class'] !== INGRESS_CLASS) return;
    const key = `${namespace}/${name}`;
    if (newest.get(`${key} ${uid}`) === generation) return;
    newest.set(`${key} ${uid}`, generation);
    const isOvertaken = () => newest.get(`${key} ${uid}`) !== generation;
    // As net-contour does, so that no request goes to a Revision whose pods Envoy does not know yet.
    for (const proxies of [probesOf(ingress), proxiesOf(ingress)]) {
      for (const proxy of proxies) await cluster.apply(proxy, { fieldManager: 'ingress' });
      await eventually(`Envoy goes by Ingress ${key}`, () => isOvertaken() || proxies.every((proxy) => envoy.knows(proxy)));
      if (isOvertaken()) return;
    }
    await cluster.patch(refOf(ingress), { status: readyStatus(generation) }, { subresource: 'status' });
    carriedOut.set(key, ingress);
  };
  const take = (ingress: KubeObject): void =>
    void carryOut(ingress).catch((error: unknown) => console.error(`Ingress ${ingress.metadata.name}: ${error}`));
  const watch = cluster.watch(
    { apiVersion: NETWORKING, kind: 'Ingress' },
    { onList: (items) => items.forEach(take), onEvent: ({ type, object }) => void (type !== 'DELETED' && take(object)) },
  );
  return {
    isCarriedOut: ({ metadata: { name, namespace }, ...service }) => {
      const splits = rulesOf(carriedOut.get(`${namespace}/${name}`))
        .slice(0, 1)
        .flatMap(splitsOf);
      const wanted: Target[] = (raw(service as KubeObject).spec.traffic ?? []).filter(({ percent }: Target) => percent > 0);
      return wanted.every(({ revisionName, percent }) =>
        splits.some((split) => split.serviceName === revisionName && split.percent === percent),
      );
    },
    stop: () => watch.stop(),
  };
}

const splitsOf = ({ http }: Rule): Split[] => http.paths[0]?.splits ?? [];

const proxiesOf = (ingress: KubeObject): KubeObject[] =>
  rulesOf(ingress).flatMap((rule) => rule.hosts.map((host) => proxyOf(ingress, host, splitsOf(rule))));

/** A host for each Revision, to which no client sends requests. */
const probesOf = (ingress: KubeObject): KubeObject[] =>
  rulesOf(ingress)
    .flatMap(splitsOf)
    .map((split) => proxyOf(ingress, `${split.serviceName}.${ingress.metadata.namespace}.net-contour.invalid`, [split]));

const rulesOf = (ingress: KubeObject | undefined): Rule[] => raw(ingress)?.spec.rules ?? [];

function proxyOf({ apiVersion, kind, metadata }: KubeObject, fqdn: string, splits: readonly Split[]): KubeObject {
  const { name, namespace = '', uid = '' } = metadata;
  const services = splits.map(({ serviceName, servicePort, percent }) => ({ name: serviceName, port: servicePort, weight: percent }));
  return {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    metadata: { name: fqdn, namespace, ownerReferences: [{ apiVersion, kind, name, uid }] },
    spec: { virtualhost: { fqdn }, routes: [{ conditions: [{ prefix: '/' }], services }] },
  };
}

function readyStatus(generation: number): object {
  const lastTransitionTime = new Date().toISOString();
  const gateway = { ingress: [{ domainInternal: 'envoy.projectcontour.svc.cluster.local' }] };
  return {
    observedGeneration: generation,
    conditions: ['LoadBalancerReady', 'NetworkConfigured', 'Ready'].map((type) => ({ type, status: 'True', lastTransitionTime })),
    publicLoadBalancer: gateway,
    privateLoadBalancer: gateway,
  };
}
