import { ensureContourDefinitions } from '../../scripts/e2e-contour.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import { type ContourProxy, startContour } from './contour.ts';
import type { Plane, StartPlane } from './ground.ts';
import { keepLooking, readJson, readyPods } from './looking.ts';

/** Contour and its Envoy, for HTTPProxies. */
export const startContourPlane: StartPlane = async ({ cluster, adminKubeconfigFile }) => {
  const { contour } = await ensureContourDefinitions();
  await applyCrdFiles(cluster, [contour]);
  const proxy = await startContour({ kubeconfigFile: adminKubeconfigFile });
  return planeOf(proxy, proxy.metricsUrl);
};

/** A data plane of an Envoy that Contour configures. */
export function planeOf(proxy: ContourProxy, metricsUrl: string): Plane {
  let known: EnvoyView = { routes: new Map(), hosts: new Map() };
  let copies: Record<string, number> = {};
  const looking = keepLooking(async () => {
    const [dump, counters] = await Promise.all([
      readJson<ConfigDump>(`${proxy.admin}/config_dump?include_eds`),
      readJson<Counters>(`${proxy.admin}/stats?format=json&usedonly&filter=-canary_.*\\.upstream_rq_completed$`),
    ]);
    if (dump) known = viewOf(dump);
    if (counters) copies = requestsOf(counters);
  });
  return {
    url: proxy.url,
    metricsUrl,
    knows: (object) => isKnown(object, known),
    // Requests to the canary are copies as long as users only get answers of the primary.
    mirrored: () => copies,
    async stop() {
      await looking.stop();
      await proxy.stop();
    },
  };
}

/** Configuration that Envoy uses. */
interface EnvoyView {
  /** Action of each route of an object, by `kind namespace/name`. */
  routes: ReadonlyMap<string, readonly string[]>;
  /** Addresses by `namespace/service`. */
  hosts: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Parts of Envoy's `/config_dump` that are read. Source: envoy.admin.v3. */
interface ConfigDump {
  configs: {
    dynamic_route_configs?: { route_config: { virtual_hosts?: { routes: DumpedRoute[] }[] } }[];
    dynamic_endpoint_configs?: { endpoint_config: { cluster_name: string; endpoints?: { lb_endpoints?: DumpedEndpoint[] }[] } }[];
  }[];
}
interface DumpedRoute {
  route?: {
    cluster?: string;
    weighted_clusters?: { clusters: { name: string; weight?: number }[] };
    request_mirror_policies?: { runtime_fraction: { default_value: { numerator?: number } } }[];
  };
  metadata?: { filter_metadata?: { 'envoy.access_loggers.file'?: Record<`io.projectcontour.${string}`, string> } };
}
interface DumpedEndpoint {
  endpoint: { address: { socket_address: { address: string } } };
}
interface Counters {
  stats: { name: string; value: number }[];
}

const OF_CANARY = /^cluster\.([^_]+)_([^_]+)-canary_\d+\.upstream_rq_completed$/;

const requestsOf = ({ stats }: Counters): Record<string, number> =>
  Object.fromEntries(
    stats.flatMap(({ name, value }) => {
      const [, namespace, app] = OF_CANARY.exec(name) ?? [];
      return app === undefined ? [] : [[`${namespace}/${app}`, value]];
    }),
  );

function viewOf({ configs }: ConfigDump): EnvoyView {
  const routes = new Map<string, string[]>();
  const hosts = new Map<string, Set<string>>();
  for (const { dynamic_route_configs = [], dynamic_endpoint_configs = [] } of configs) {
    for (const { route, metadata } of dynamic_route_configs
      .flatMap((each) => each.route_config.virtual_hosts ?? [])
      .flatMap((host) => host.routes)) {
      const from = metadata?.filter_metadata?.['envoy.access_loggers.file'] ?? {};
      const key = `${from['io.projectcontour.kind']} ${from['io.projectcontour.namespace']}/${from['io.projectcontour.name']}`;
      const shares = (route?.weighted_clusters?.clusters ?? [{ name: route?.cluster ?? '' }]).map(
        ({ name, weight = 0 }): Share => [serviceOf(name), weight],
      );
      const copied = route?.request_mirror_policies?.map((each) => each.runtime_fraction.default_value.numerator ?? 0) ?? [];
      routes.set(key, [...(routes.get(key) ?? []), actionOf(shares, copied)]);
    }
    for (const { endpoint_config } of dynamic_endpoint_configs) {
      const [namespace] = endpoint_config.cluster_name.split('/');
      const endpoints = (endpoint_config.endpoints ?? []).flatMap(({ lb_endpoints = [] }) => lb_endpoints);
      hosts.set(
        `${namespace}/${serviceOf(endpoint_config.cluster_name)}`,
        new Set(endpoints.map(({ endpoint }) => endpoint.address.socket_address.address)),
      );
    }
  }
  return { routes, hosts };
}

/** A Service with its weight. */
type Share = readonly [service: string, weight: number];
/** Contour names clusters by namespace, Service and port. */
const serviceOf = (cluster: string): string => cluster.split('/')[1] ?? '';
/** A single destination gets all requests, with any weight. */
const ONLY = 1;
/** Clusters of Envoy are in the order of their names. */
function actionOf(shares: readonly Share[], copied: readonly number[]): string {
  const [[only] = ['']] = shares;
  return JSON.stringify([shares.length === 1 ? [[only, ONLY]] : shares.toSorted(([a], [b]) => (a < b ? -1 : 1)), copied]);
}

interface Side {
  name: string;
  weight?: number;
  mirror?: boolean;
}
const sharesOf = (sides: readonly Side[]): Share[] => sides.map(({ name, weight = 0 }) => [name, weight]);

/** Expected actions of Envoy for each route, and all Services in the routes. */
const wantedOf: Readonly<Record<string, (spec: ReturnType<typeof raw>['spec']) => { actions: string[]; services: string[] }>> = {
  HTTPProxy({ routes = [] }: { routes?: { services?: Side[] }[] }) {
    const all = routes.map(({ services = [] }) => services);
    return {
      actions: all.map((services) =>
        actionOf(
          sharesOf(services.filter(({ mirror }) => !mirror)),
          services.filter(({ mirror }) => mirror).map(({ weight }) => weight || 100),
        ),
      ),
      services: all.flat().map(({ name }) => name),
    };
  },
  HTTPRoute({ rules = [] }: { rules?: { matches?: object[]; backendRefs?: Side[]; filters?: { requestMirror?: object }[] }[] }) {
    return {
      // A rule becomes a route for each alternative of its matches.
      actions: rules.flatMap(({ matches = [{}], backendRefs = [], filters = [] }) =>
        matches.map(() =>
          actionOf(
            sharesOf(backendRefs),
            filters.filter(({ requestMirror }) => requestMirror).map(() => 100),
          ),
        ),
      ),
      services: rules.flatMap(({ backendRefs = [] }) => backendRefs.map(({ name }) => name)),
    };
  },
};

function isKnown(object: KubeObject, { routes, hosts }: EnvoyView): boolean {
  const { name, namespace = '' } = object.metadata;
  const wanted = wantedOf[object.kind]?.(raw(object).spec);
  if (wanted) {
    const found = routes.get(`${object.kind} ${namespace}/${name}`) ?? [];
    // Routes and clusters come on streams of their own.
    return (
      JSON.stringify(found.toSorted()) === JSON.stringify(wanted.actions.toSorted()) &&
      wanted.services.every((service) => hosts.get(`${namespace}/${service}`)?.size)
    );
  }
  if (object.kind !== 'EndpointSlice') return true;
  // Contour sends Envoy only the endpoints of Services in a route.
  const { service, addresses } = readyPods(object);
  const known = hosts.get(`${namespace}/${service}`);
  return !known || addresses.every((address) => known.has(address));
}
