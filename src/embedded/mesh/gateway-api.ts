import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { definition } from '../definition.ts';
import { attachmentTo, coversHost, GROUP, hostnamesOf, namesGateway, namesService, parentRefsOf } from '../gateway-api/attachment.ts';
import { type BackendRef, backendProblem, type RouteSurroundings } from '../gateway-api/backend-problem.ts';
import { applyFilters, destinationOf, type GatewayFilter } from './gateway-filters.ts';
import { type GatewayMatch, specificity } from './gateway-match.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { Destination, MeshRequest } from './request.ts';
import { type DirectResponse, type ResolvedRoute, timeoutIn } from './resolved-route.ts';
import { type RouteChoice, type RouteResolver, refuseWith } from './resolver.ts';

interface GatewayRule {
  matches?: GatewayMatch[];
  filters?: GatewayFilter[];
  timeouts?: { request?: string; backendRequest?: string };
  backendRefs?: (BackendRef & { filters?: GatewayFilter[] })[];
}
interface MatchedRule {
  route: KubeObject;
  rule: GatewayRule;
  match: GatewayMatch;
  rank: number[];
}

/** The name under which views know a Gateway: Istio has a kind of the same name. */
const GATEWAY = 'GatewayApiGateway';

/** HTTPRoutes and GRPCRoutes: of the Gateway that a request entered by (`x-serin-gateway`), or inside the mesh of the Service that it calls. */
export const gatewayApiMesh: RouteResolver = {
  providers: ['gatewayapi'],
  definitions: () => [
    definition(GROUP, 'Gateway', 'gateways', ['v1', 'v1beta1']),
    definition(GROUP, 'HTTPRoute', 'httproutes', ['v1', 'v1beta1']),
    definition(GROUP, 'GRPCRoute', 'grpcroutes', ['v1']),
    definition(GROUP, 'ReferenceGrant', 'referencegrants', ['v1beta1', 'v1']),
  ],
  kinds: [
    { apiVersion: `${GROUP}/v1`, kind: 'HTTPRoute' },
    { apiVersion: `${GROUP}/v1beta1`, kind: 'HTTPRoute' },
    { apiVersion: `${GROUP}/v1`, kind: 'GRPCRoute' },
    { apiVersion: `${GROUP}/v1`, kind: 'Gateway', knownAs: GATEWAY },
    { apiVersion: `${GROUP}/v1beta1`, kind: 'Gateway', knownAs: GATEWAY },
    { apiVersion: `${GROUP}/v1beta1`, kind: 'ReferenceGrant' },
  ],
  servicesOf: (route) =>
    (specOf<{ rules: GatewayRule[] }>(route).rules ?? []).flatMap(({ backendRefs = [] }) =>
      backendRefs.map((ref) => keyOf(destinationOf(ref, route))),
    ),
  resolve: routeByGatewayApi,
};

const HTTP = 80;

/** Envoy's answer to a call of gRPC in place of 404. Source: gRPC's status codes, UNIMPLEMENTED. */
const NOT_IMPLEMENTED = { status: 200, headers: { 'content-type': 'application/grpc', 'grpc-status': '12' } };
const isGrpcCall = ({ headers }: MeshRequest): boolean => headers['content-type']?.startsWith('application/grpc') ?? false;

const keyOf = ({ namespace, name }: Destination): string => `${namespace}/${name}`;

/** `undefined` if no Gateway of this name is known, or no route names this Service. */
export function routeByGatewayApi(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const hosts = request.gateway === 'mesh' ? serviceHosts(view, request) : gatewayHosts(view, request);
  if (!hosts) return undefined;
  const found = mostSpecific(oneKind(hosts), request);
  if (!found) return refuseWith({ reason: 'no route matches', ...(isGrpcCall(request) ? NOT_IMPLEMENTED : { status: 404 }) });
  return (random) => resolve(found, view, request, random);
}

/** Routes that can match this request, each with the rank of its host name. */
type Attached = { route: KubeObject; hostRank: [number, number] }[];

const routesIn = (view: LaggedView): KubeObject[] => [...view.list('HTTPRoute'), ...view.list('GRPCRoute')];

/** Only routes of the Service's own namespace bind all its clients, and their hostnames mean nothing here. Source: GAMMA. */
function serviceHosts(view: LaggedView, { host: { service, port = HTTP } }: MeshRequest): Attached | undefined {
  if (!service) return undefined;
  const routes = routesIn(view).filter(
    (route) =>
      route.metadata.namespace === service.namespace &&
      parentRefsOf(route).some(
        (ref) =>
          namesService(ref) &&
          ref.name === service.name &&
          (ref.namespace ?? service.namespace) === service.namespace &&
          (ref.port ?? port) === port,
      ),
  );
  return routes.length === 0 ? undefined : routes.map((route) => ({ route, hostRank: [0, 0] }));
}

function gatewayHosts(view: LaggedView, { gateway: entered, host: { text } }: MeshRequest): Attached | undefined {
  const gateway = view.get(GATEWAY, entered);
  if (!gateway) return undefined;
  return routesIn(view).flatMap((route) => {
    const listeners = parentRefsOf(route)
      .filter((ref) => namesGateway(ref, route, gateway))
      .map((ref) => attachmentTo(gateway, route, ref))
      .flatMap((attachment) => ('listeners' in attachment ? attachment.listeners : []))
      .filter(({ hostname }) => !hostname || coversHost(hostname, text));
    const own = hostnamesOf(route);
    const names = own.length > 0 ? own : listeners.map(({ hostname }) => hostname ?? '');
    const ranks = names.filter((name) => name === '' || coversHost(name, text)).map((name) => hostRankOf(name));
    const best = ranks.toSorted(compareRanks).at(-1);
    return listeners.length === 0 || !best ? [] : [{ route, hostRank: best }];
  });
}

/** Characters in a host name without a wildcard, then in any. */
function hostRankOf(name: string): [number, number] {
  return [name.startsWith('*.') ? 0 : name.length, name.length];
}

/** A listener takes one kind of route for a host, that of the oldest. Source: GRPCRoute, "cross serving". */
function oneKind(attached: Attached): Attached {
  const kind = attached.map(({ route }) => route).toSorted(byAge)[0]?.kind;
  return attached.filter(({ route }) => route.kind === kind);
}

function mostSpecific(attached: Attached, request: MeshRequest): MatchedRule | undefined {
  const found = attached.flatMap(({ route, hostRank }) =>
    (specOf<{ rules: GatewayRule[] }>(route).rules ?? []).flatMap((rule) =>
      (rule.matches?.length ? rule.matches : [{}]).flatMap((match): MatchedRule[] => {
        const rank = specificity(match, request);
        return rank ? [{ route, rule, match, rank: [...hostRank, ...rank] }] : [];
      }),
    ),
  );
  // The sort is stable: of equal matches in one route the first stays first.
  return found.toSorted((a, b) => compareRanks(b.rank, a.rank) || byAge(a.route, b.route))[0];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function byAge(a: KubeObject, b: KubeObject): number {
  const key = ({ metadata }: KubeObject) => `${metadata.creationTimestamp ?? ''} ${metadata.namespace}/${metadata.name}`;
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

function resolve(
  { route, rule, match }: MatchedRule,
  view: LaggedView,
  request: MeshRequest,
  random: () => number,
): ResolvedRoute | DirectResponse {
  const around: RouteSurroundings = {
    service: (namespace, name) => view.get('Service', `${namespace}/${name}`),
    grants: () => view.list('ReferenceGrant'),
  };
  const chosen = pickWeighted(
    (rule.backendRefs ?? []).map((ref) => ({ ref, weight: ref.weight ?? 1 })),
    random,
  )?.ref;
  const prefix = (match.path?.type ?? 'PathPrefix') === 'PathPrefix' ? (match.path?.value ?? '/') : '/';
  const filtered = applyFilters([...(rule.filters ?? []), ...(chosen?.filters ?? [])], { route, prefix, around }, request, random);
  if ('reason' in filtered) return filtered;
  if (!chosen) return { status: 500, reason: 'no backend has a weight' };
  // Its share of the requests fails: the others must not get more than theirs.
  const problem = backendProblem(chosen, route, around);
  if (problem !== undefined) return { status: 500, reason: `${problem}: backend ${chosen.name}` };
  const destination = destinationOf(chosen, route);
  if (request.gateway !== 'mesh' && !view.knowsService(keyOf(destination)))
    return { status: 503, reason: `the proxy does not know Service ${keyOf(destination)} yet` };
  return {
    via: route.kind,
    destination,
    ...filtered,
    timeoutMs: timeoutIn(rule.timeouts?.request),
    retries: { attempts: 0, on: [], perTryTimeoutMs: timeoutIn(rule.timeouts?.backendRequest) },
  };
}
