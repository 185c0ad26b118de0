import { servicePorts } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { rootService, type SplitBackend, splitWeight } from '../../api/traffic-split.ts';
import { definition } from '../definition.ts';
import { hasEndpoints } from './endpoints.ts';
import { matchesSmi, type SmiMatch } from './http-match.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { MeshRequest } from './request.ts';
import { PLAIN_ROUTE } from './resolved-route.ts';
import type { RouteChoice, RouteResolver } from './resolver.ts';

const LINKERD = [
  ...['namespace', 'deployment', 'daemonset', 'pod', 'direction', 'status_code', 'classification'],
  ...['dst_namespace', 'dst_service'],
];
const OSM = ['destination_namespace', 'destination_kind', 'destination_name', 'response_code'];

export const trafficSplit: RouteResolver = {
  providers: ['smi', 'linkerd', 'osm'],
  definitions: () => [
    definition('split.smi-spec.io', 'TrafficSplit', 'trafficsplits', ['v1alpha2', 'v1alpha1', 'v1alpha3', 'v1alpha4']),
    definition('specs.smi-spec.io', 'HTTPRouteGroup', 'httproutegroups', ['v1alpha4', 'v1alpha3', 'v1alpha2', 'v1alpha1']),
  ],
  series: { response_total: LINKERD, response_latency_ms: LINKERD, osm_request_total: OSM, osm_request_duration_ms: OSM },
  kinds: ['v1alpha1', 'v1alpha2', 'v1alpha3', 'v1alpha4'].flatMap((version) => [
    { apiVersion: `split.smi-spec.io/${version}`, kind: 'TrafficSplit' },
    { apiVersion: `specs.smi-spec.io/${version}`, kind: 'HTTPRouteGroup' },
  ]),
  resolve: routeByTrafficSplit,
};

interface TrafficSplit {
  service: unknown;
  backends: SplitBackend[];
  matches: { kind?: string; name: string }[];
}

/**
 * The backend that the TrafficSplit of the request's Service picks; `undefined` if no split is for this request. Splits are not hierarchical: the result is a
 * Service, even if another split has it as its root. A split that names itself is ignored.
 */
export function routeByTrafficSplit(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const { service } = request.host;
  if (!service) return undefined;
  const { name: root, namespace } = service;
  const split = view
    .list('TrafficSplit')
    .find(
      (one) => one.metadata.namespace === namespace && rootService(String(specOf<TrafficSplit>(one).service ?? ''), namespace) === root,
    );
  const { backends = [], matches = [] } = specOf<TrafficSplit>(split);
  if (!split || backends.some((backend) => backend.service === root)) return undefined;
  if (!isMatched(view, matches, namespace, request)) return undefined;
  const port = portOf(view.get('Service', `${namespace}/${root}`), request.host.port);
  const able = backends.filter((backend) => canServe(view, { name: backend.service, namespace }, port));
  const weighted = able.map((backend) => ({ name: backend.service, weight: splitWeight(backend.weight ?? 0) ?? 0 }));
  return (random) => {
    const chosen = pickWeighted(weighted, random);
    if (!chosen) return { status: 503, reason: 'no backend has a weight and endpoints' };
    return { ...PLAIN_ROUTE, via: 'TrafficSplit', destination: { name: chosen.name, namespace, ...(port !== undefined && { port }) } };
  };
}

const portsOf = (service: KubeObject | undefined): number[] => servicePorts(service).map(({ port }) => port);

/** The port of the root that a request is for: that of its Host, or 80, or the root's first one. */
function portOf(root: KubeObject | undefined, asked: number | undefined): number | undefined {
  const ports = portsOf(root);
  return asked ?? (ports.includes(80) ? 80 : ports[0]);
}

/**
 * A backend is left out for a port that it does not have under the same number, and as long as it has no endpoint at all, also if its Service does not
 * exist. A backend whose endpoints are not ready keeps its share.
 */
function canServe(view: LaggedView, { name, namespace }: { name: string; namespace: string }, port: number | undefined): boolean {
  const service = view.get('Service', `${namespace}/${name}`);
  if (!service || (port !== undefined && !portsOf(service).includes(port))) return false;
  return hasEndpoints(view, { name, namespace });
}

/** Any match of any group; a group that is not found matches nothing. */
function isMatched(view: LaggedView, refs: TrafficSplit['matches'], namespace: string, request: MeshRequest): boolean {
  if (refs.length === 0) return true;
  return refs.some(({ name }) => {
    const group = view.get('HTTPRouteGroup', `${namespace}/${name}`);
    // v1alpha1 and v1alpha2 hold the matches at top level.
    const matches = (specOf<{ matches: unknown }>(group).matches ?? group?.matches ?? []) as SmiMatch[];
    return matches.some((match) => matchesSmi(match, request));
  });
}
