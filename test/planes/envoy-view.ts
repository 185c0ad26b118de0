import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import type { Place } from '../scenarios/istio/places.ts';
import { readyPods } from './looking.ts';

/** Configuration that an Envoy has received from istiod and uses. */
export interface EnvoyView {
  /** Rules by the VirtualService that they come from or route (`namespace/name`), once for each virtual host. */
  rules: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Addresses by the host name of a Service, once for each of its ports. */
  hosts: ReadonlyMap<string, readonly ReadonlySet<string>[]>;
  /** Destinations of TCP connections. */
  connections: ReadonlySet<string>;
  /** DestinationRules (`namespace/name`) that a cluster is made by. */
  policies: ReadonlySet<string>;
}

export const emptyView: EnvoyView = { rules: new Map(), hosts: new Map(), policies: new Set(), connections: new Set() };

/** Parts of Envoy's `/config_dump` that are read. Source: envoy.admin.v3. */
interface ConfigDump {
  configs: {
    dynamic_route_configs?: { route_config: { virtual_hosts?: { routes?: DumpedRoute[] }[] } }[];
    dynamic_endpoint_configs?: { endpoint_config: { cluster_name: string; endpoints?: { lb_endpoints?: DumpedEndpoint[] }[] } }[];
    dynamic_listeners?: { active_state?: { listener: { filter_chains?: { filters?: { typed_config?: DumpedAction }[] }[] } } }[];
    dynamic_active_clusters?: { cluster: { metadata?: DumpedMetadata } }[];
  }[];
}
interface DumpedMetadata {
  filter_metadata?: { istio?: { config?: string } };
}
interface DumpedAction {
  cluster?: string;
  weighted_clusters?: { clusters: { name: string; weight: number }[] };
}
interface DumpedRoute {
  route?: DumpedAction;
  metadata?: DumpedMetadata;
}
interface DumpedEndpoint {
  endpoint: { address: { socket_address: { address: string } } };
}

/** Istio names a cluster by direction, port, subset and host name. */
const CLUSTER = /^outbound\|\d+\|\|(.+)$/;
const hostOf = (cluster = ''): string => CLUSTER.exec(cluster)?.[1] ?? cluster;
const keyOf = (kind: string, { filter_metadata }: DumpedMetadata = {}): string | undefined => {
  const [, namespace, name] = new RegExp(`/namespaces/([^/]+)/${kind}/(.+)$`).exec(filter_metadata?.istio?.config ?? '') ?? [];
  return name === undefined ? undefined : `${namespace}/${name}`;
};

export async function readView(admin: string): Promise<EnvoyView | undefined> {
  const answer = await fetch(`${admin}/config_dump?include_eds`).catch(() => undefined);
  return answer?.ok ? viewOf((await answer.json()) as ConfigDump) : undefined;
}

function viewOf({ configs }: ConfigDump): EnvoyView {
  const rules = new Map<string, string[][]>();
  const hosts = new Map<string, Set<string>[]>();
  const policies = new Set<string>();
  const connections = new Set<string>();
  for (const {
    dynamic_route_configs = [],
    dynamic_endpoint_configs = [],
    dynamic_active_clusters = [],
    dynamic_listeners = [],
  } of configs) {
    const chains = dynamic_listeners.flatMap(({ active_state }) => active_state?.listener.filter_chains ?? []);
    for (const { typed_config } of chains.flatMap(({ filters = [] }) => filters))
      if (typed_config?.cluster ?? typed_config?.weighted_clusters) connections.add(sidesOf(typed_config));
    for (const { routes = [] } of dynamic_route_configs.flatMap((each) => each.route_config.virtual_hosts ?? [])) {
      const own = Map.groupBy(routes, ({ metadata }) => keyOf('[^/]+', metadata));
      // Routes without this metadata belong to plain Services.
      for (const [key, some] of own)
        if (key !== undefined) rules.set(key, [...(rules.get(key) ?? []), some.map(({ route }) => sidesOf(route))]);
    }
    for (const { endpoint_config } of dynamic_endpoint_configs) {
      const host = hostOf(endpoint_config.cluster_name);
      const endpoints = (endpoint_config.endpoints ?? []).flatMap(({ lb_endpoints = [] }) => lb_endpoints);
      const addresses = new Set(endpoints.map(({ endpoint }) => endpoint.address.socket_address.address));
      hosts.set(host, [...(hosts.get(host) ?? []), addresses]);
    }
    for (const { cluster } of dynamic_active_clusters) {
      const key = keyOf('destination-rule', cluster.metadata);
      if (key !== undefined) policies.add(key);
    }
  }
  return { rules, hosts, policies, connections };
}

const ruleText = (sides: readonly { host: string; weight: number }[]): string =>
  sides.map(({ host, weight }) => `${host} ${weight}`).join(', ');

function sidesOf({ cluster, weighted_clusters }: DumpedAction = {}): string {
  // Istio makes a route without weights for a single destination.
  if (!weighted_clusters) return ruleText([{ host: hostOf(cluster), weight: 100 }]);
  return ruleText(weighted_clusters.clusters.map(({ name, weight }) => ({ host: hostOf(name), weight })));
}

/** True if the proxy at this place, which serves this gateway (`mesh` if none), uses this version of an object. */
export function isKnown(object: KubeObject, view: EnvoyView, place: Place, gateway: string): boolean {
  const { name, namespace = '' } = object.metadata;
  const { kind } = object;
  if (kind === 'VirtualService') return isRouted(object, view, place, gateway);
  if (kind === 'HTTPRoute' || kind === 'GRPCRoute') return isRoutedByParent(object, view);
  if (kind === 'DestinationRule') return !raw(object).spec.trafficPolicy || view.policies.has(`${namespace}/${name}`);
  if (kind !== 'EndpointSlice') return true;
  const { service, addresses } = readyPods(object);
  const known = view.hosts.get(`${service}.${namespace}.svc.cluster.local`) ?? [];
  return addresses.length === 0 || (known.length > 0 && known.every((some) => addresses.every((address) => some.has(address))));
}

export const isDelegate = (object: KubeObject): boolean => object.kind === 'VirtualService' && !raw(object).spec.hosts;

function isRouted(object: KubeObject, { rules, connections }: EnvoyView, place: Place, gateway: string): boolean {
  const { name, namespace = '' } = object.metadata;
  const { gateways = ['mesh'], http = [], tcp = [] } = raw(object).spec;
  if (tcp.length > 0 && gateways.includes(gateway)) return tcp.every(({ route }: Raw) => connections.has(sidesWanted(route, namespace)));
  const wanted = rulesWanted(http, namespace, place, gateway);
  // A delegate's routes carry the name of the delegating VirtualService; the last rule is never left out.
  if (isDelegate(object)) return wanted.length === 0 || [...rules.values()].flat(2).includes(wanted.at(-1) ?? '');
  if (!gateways.includes(gateway)) return true;
  const known = rules.get(`${namespace}/${name}`) ?? [];
  const text = JSON.stringify(wanted);
  return wanted.length === 0 ? known.length === 0 : known.length > 0 && known.every((each) => JSON.stringify(each) === text);
}

/** istiod makes VirtualServices of these, whose names are its own; hosts tell one application from another. */
function isRoutedByParent(object: KubeObject, { rules }: EnvoyView): boolean {
  const { namespace = '' } = object.metadata;
  const known = new Set([...rules.values()].flat(2));
  return raw(object).spec.rules.every(({ backendRefs = [] }: Raw) => {
    const route = backendRefs.map(({ name, weight = 1 }: Raw) => ({ destination: { host: name }, weight }));
    return known.has(sidesWanted(route, namespace));
  });
}

/** Istio makes a route of each alternative of a condition. It leaves out those of other clients, and those after an alternative without a condition. */
function rulesWanted(rules: readonly Raw[], namespace: string, place: Place, gateway: string): string[] {
  const wanted: string[] = [];
  for (const { match, route = [] } of rules) {
    const text = sidesWanted(route, namespace);
    for (const { gateways = [], sourceLabels = {}, sourceNamespace = place.namespace, port: _, ...condition } of match ?? [{}]) {
      const isOurs =
        sourceNamespace === place.namespace && Object.entries(sourceLabels).every(([key, value]) => place.labels[key] === value);
      if (gateways.length > 0 ? !gateways.includes(gateway) : !isOurs) continue;
      wanted.push(text);
      if (Object.keys(condition).length === 0) return wanted;
    }
  }
  return wanted;
}

/** Destinations with a weight. */
function sidesWanted(route: readonly Raw[], namespace: string): string {
  const sides = route.map(({ destination, weight = 100 }) => ({
    host: destination.host.includes('.') ? destination.host : `${destination.host}.${namespace}.svc.cluster.local`,
    weight: route.length === 1 ? 100 : weight,
  }));
  return ruleText(sides.filter(({ weight }) => weight > 0));
}
