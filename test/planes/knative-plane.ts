import { ensureContourDefinitions } from '../../scripts/e2e-contour.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { startContour } from './contour.ts';
import { planeOf } from './contour-plane.ts';
import type { Plane, StartPlane } from './ground.ts';
import { INGRESS_CLASS, startServing } from './knative.ts';
import { serveMetrics } from './serve-metrics.ts';

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
interface Rule {
  hosts: string[];
  http: { paths: { splits: Split[] }[] };
}

/**
 * What net-contour does: each Ingress of Serving becomes HTTPProxies, one for each host, and is ready once Envoy goes by them. It cannot be
 * had as a Go module.
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
    const proxies = proxiesOf(ingress);
    for (const proxy of proxies) await cluster.apply(proxy, { fieldManager: 'ingress' });
    await eventually(`Envoy goes by Ingress ${key}`, () => isOvertaken() || proxies.every((proxy) => envoy.knows(proxy)));
    if (isOvertaken()) return;
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
      const rules: Rule[] = raw(carriedOut.get(`${namespace}/${name}`))?.spec.rules ?? [];
      const splits = rules[0]?.http.paths[0]?.splits.map(({ serviceName, percent }) => [serviceName, percent]) ?? [];
      const wanted = (raw(service as KubeObject).spec.traffic ?? []).filter(({ percent }: Split) => percent > 0);
      return wanted.every(({ revisionName, percent }: { revisionName: string; percent: number }) =>
        splits.some(([name, share]) => name === revisionName && share === percent),
      );
    },
    stop: () => watch.stop(),
  };
}

function proxiesOf(ingress: KubeObject): KubeObject[] {
  const { name, namespace = '', uid = '' } = ingress.metadata;
  const ownerReferences = [{ apiVersion: ingress.apiVersion, kind: ingress.kind, name, uid }];
  return (raw(ingress).spec.rules as Rule[]).flatMap(({ hosts, http }) => {
    const services = (http.paths[0]?.splits ?? []).map(({ serviceName, servicePort, percent }) => ({
      name: serviceName,
      port: servicePort,
      weight: percent,
    }));
    return hosts.map((fqdn) => ({
      apiVersion: 'projectcontour.io/v1',
      kind: 'HTTPProxy',
      metadata: { name: fqdn, namespace, ownerReferences },
      spec: { virtualhost: { fqdn }, routes: [{ conditions: [{ prefix: '/' }], services }] },
    }));
  });
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
