import { setTimeout as sleep } from 'node:timers/promises';
import { asEndpointSlice } from '../../src/api/kinds/endpoint-slice.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { ADDRESSES, type StartPlane } from './ground.ts';
import { startIstioClient } from './istio-client.ts';
import { startIstioMetrics } from './istio-metrics.ts';
import { startIstiod } from './istiod.ts';

const CLIENTS = 'clients';
const LOOK_EVERY_MS = 50;

/** istiod, and an Envoy that is the sidecar of a client. */
export const startIstioPlane: StartPlane = async ({ cluster, adminKubeconfigFile }) => {
  await namespacesFor(cluster, ['istio-system', CLIENTS]);
  const istiod = await startIstiod(adminKubeconfigFile);
  const client = await startIstioClient({ ip: ADDRESSES.client, namespace: CLIENTS, xdsPort: istiod.xdsPort });
  const metrics = await startIstioMetrics(client.admin);
  let known: EnvoyView = { weights: new Map(), hosts: new Map() };
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const answer = await fetch(`${client.admin}/config_dump?include_eds`).catch(() => undefined);
      if (answer?.ok) known = viewOf((await answer.json()) as ConfigDump);
      await sleep(LOOK_EVERY_MS);
    }
  })();
  return {
    url: client.url,
    metricsUrl: metrics.url,
    knows: (object) => isKnown(object, known),
    // All that the canary receives while users get answers of the primary alone are copies.
    mirrored: metrics.canaryRequests,
    async stop() {
      isOver = true;
      await looking;
      await metrics.stop();
      await client.stop();
      await istiod.stop();
    },
  };
};

/** What Envoy goes by. */
interface EnvoyView {
  /** Weights of the rules of a VirtualService, by `namespace/name`. */
  weights: ReadonlyMap<string, readonly number[][]>;
  /** Addresses by the host name of a Service. */
  hosts: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Of Envoy's `/config_dump`, what is read. Source: envoy.admin.v3. */
interface ConfigDump {
  configs: {
    dynamic_route_configs?: { route_config: { virtual_hosts?: { routes: DumpedRoute[] }[] } }[];
    dynamic_endpoint_configs?: { endpoint_config: { cluster_name: string; endpoints?: { lb_endpoints?: DumpedEndpoint[] }[] } }[];
  }[];
}
interface DumpedRoute {
  route?: { weighted_clusters?: { clusters: { weight: number }[] } };
  metadata?: { filter_metadata?: { istio?: { config?: string } } };
}
interface DumpedEndpoint {
  endpoint: { address: { socket_address: { address: string } } };
}

const OF_VIRTUAL_SERVICE = /\/namespaces\/([^/]+)\/virtual-service\/(.+)$/;
/** Istio names a cluster by direction, port, subset and host name. */
const OF_SERVICE = /^outbound\|80\|\|(.+)$/;

function viewOf({ configs }: ConfigDump): EnvoyView {
  const weights = new Map<string, number[][]>();
  const hosts = new Map<string, Set<string>>();
  for (const { dynamic_route_configs = [], dynamic_endpoint_configs = [] } of configs) {
    for (const { route, metadata } of dynamic_route_configs
      .flatMap((each) => each.route_config.virtual_hosts ?? [])
      .flatMap(({ routes }) => routes)) {
      const [, namespace, name] = OF_VIRTUAL_SERVICE.exec(metadata?.filter_metadata?.istio?.config ?? '') ?? [];
      if (name === undefined) continue;
      // Of one destination Istio makes a route without weights.
      const rule = route?.weighted_clusters?.clusters.map(({ weight }) => weight) ?? [100];
      weights.set(`${namespace}/${name}`, [...(weights.get(`${namespace}/${name}`) ?? []), rule]);
    }
    for (const { endpoint_config } of dynamic_endpoint_configs) {
      const [, host] = OF_SERVICE.exec(endpoint_config.cluster_name) ?? [];
      const endpoints = (endpoint_config.endpoints ?? []).flatMap(({ lb_endpoints = [] }) => lb_endpoints);
      if (host !== undefined) hosts.set(host, new Set(endpoints.map(({ endpoint }) => endpoint.address.socket_address.address)));
    }
  }
  return { weights, hosts };
}

function isKnown(object: KubeObject, { weights, hosts }: EnvoyView): boolean {
  const { name, namespace = '', labels } = object.metadata;
  if (object.kind === 'VirtualService') {
    const wanted = raw(object).spec.http.flatMap(({ match, route }: { match?: object[]; route: { weight?: number }[] }) => {
      // Istio leaves out what has no weight, and makes a route of each alternative of a condition.
      const weights = route.map(({ weight = 100 }) => weight).filter((weight) => weight > 0);
      return Array.from({ length: Math.max(1, match?.length ?? 0) }, () => weights);
    });
    return JSON.stringify(weights.get(`${namespace}/${name}`)) === JSON.stringify(wanted);
  }
  if (object.kind !== 'EndpointSlice') return true;
  const known = hosts.get(`${labels?.['kubernetes.io/service-name']}.${namespace}.svc.cluster.local`);
  const ready = (asEndpointSlice(object).endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  return ready.flatMap(({ addresses }) => addresses ?? []).every((address) => known?.has(address));
}
