import { servicePorts } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { definition } from '../definition.ts';
import { corsOf, type IstioCorsPolicy } from './cors.ts';
import { rulesBelow } from './delegate-rules.ts';
import { freshCookie, policyOf } from './destination-policy.ts';
import { isFor, matchesAny, type VirtualServiceMatch } from './http-match.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { Destination } from './request.ts';
import { type MeshRequest, parseHost, requestPath } from './request.ts';
import { type HeaderChanges, PLAIN_ROUTE, type ResolvedRoute, timeoutIn } from './resolved-route.ts';
import { type RouteChoice, type RouteResolver, refuseWith } from './resolver.ts';

const LABELS = [
  ...['reporter', 'destination_workload', 'destination_workload_namespace', 'destination_service', 'destination_service_name'],
  ...['destination_service_namespace', 'request_protocol', 'response_code', 'response_flags'],
];

interface IstioHeaders {
  request?: HeaderChanges;
  response?: HeaderChanges;
}
interface VirtualService {
  hosts: string[];
  gateways: string[];
  http: HttpRoute[];
  tcp: TcpRoute[];
}
interface TcpRoute {
  match?: { port?: number; gateways?: string[] }[];
  route?: { destination: IstioDestination; weight?: number }[];
}
interface IstioDestination {
  host: string;
  port?: { number: number };
}
interface HttpRoute {
  match?: VirtualServiceMatch[];
  route?: { destination: IstioDestination; weight?: number; headers?: IstioHeaders }[];
  delegate?: { name: string; namespace?: string };
  mirror?: IstioDestination;
  mirrors?: { destination: IstioDestination; percentage?: { value?: number } }[];
  mirrorPercentage?: { value?: number };
  mirrorPercent?: number;
  headers?: IstioHeaders;
  rewrite?: { uri?: string; authority?: string };
  timeout?: string;
  retries?: { attempts?: number; perTryTimeout?: string; retryOn?: string };
  corsPolicy?: IstioCorsPolicy;
}

/** Istio's retries for a route without retries, and the words in `retryOn` for a route with attempts only. */
const DEFAULT_RETRIES = { attempts: 2, on: ['connect-failure', 'refused-stream'] } as const;
const HTTP = 80;
const NO_WEIGHT = { status: 503, reason: 'no destination has a weight' };

export const virtualService: RouteResolver = {
  providers: ['istio'],
  definitions: () => [
    definition('networking.istio.io', 'VirtualService', 'virtualservices', ['v1beta1', 'v1alpha3', 'v1']),
    definition('networking.istio.io', 'DestinationRule', 'destinationrules', ['v1beta1', 'v1alpha3', 'v1']),
  ],
  series: { istio_requests_total: LABELS, istio_request_duration_milliseconds: LABELS },
  kinds: ['VirtualService', 'DestinationRule'].flatMap((kind) =>
    ['v1', 'v1beta1', 'v1alpha3'].map((version) => ({ apiVersion: `networking.istio.io/${version}`, kind })),
  ),
  resolve: routeByVirtualService,
};

/** The route of the VirtualService that holds the request's host; undefined when none does. */
export function routeByVirtualService(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const [service] = view
    .list('VirtualService')
    .filter((each) => servesGateway(each, request.gateway))
    .flatMap((each) => ({
      each,
      rank: Math.min(...(specOf<VirtualService>(each).hosts ?? []).map((host) => rankOf(host, each, view, request))),
    }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.rank - b.rank || (a.each.metadata.creationTimestamp ?? '').localeCompare(b.each.metadata.creationTimestamp ?? ''))
    .map(({ each }) => each);
  if (!service) return undefined;
  const { http = [], tcp = [] } = specOf<VirtualService>(service);
  if (http.length === 0 && tcp.length > 0) return connect(tcp, service.metadata.namespace ?? '', view, request);
  const rules = rulesOf(service, view).filter(({ http: { match } }) => !match?.length || match.some((each) => isFor(each, request)));
  // The proxies of clients that no rule is for follow the Service.
  if (rules.length === 0 && request.gateway === 'mesh') return undefined;
  const rule = rules.find(({ http }) => matchesAny(http.match, request));
  return rule ? choiceOf(rule.http, rule.namespace, { view, request }) : refuseWith({ status: 404, reason: 'no route matches' });
}

/** A connection goes to one side; its content is not looked at. */
function connect(rules: readonly TcpRoute[], namespace: string, view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const asked = request.host.port ?? HTTP;
  const rule = rules.find(({ match = [] }) => match.length === 0 || match.some((each) => isFor(each, request)));
  const sides = rule?.route?.map(({ destination, weight = 0 }) => ({
    weight: rule.route?.length === 1 ? 1 : weight,
    route: { ...PLAIN_ROUTE, via: 'VirtualService', destination: addressed(destination, namespace, view, asked) },
  }));
  return sides && ((random) => pickWeighted(sides, random)?.route ?? NO_WEIGHT);
}

/** Each with the namespace that completes its hosts. */
function rulesOf(service: KubeObject, view: LaggedView): { http: HttpRoute; namespace: string }[] {
  const { namespace = '' } = service.metadata;
  return (specOf<VirtualService>(service).http ?? []).flatMap((http) => {
    if (http.route) return { http, namespace };
    const delegate = http.delegate && view.get('VirtualService', `${http.delegate.namespace ?? namespace}/${http.delegate.name}`);
    const inner = delegate ? rulesBelow(http, specOf<VirtualService>(delegate).http ?? []) : [];
    return inner.map((each) => ({ http: each, namespace: delegate?.metadata.namespace ?? '' }));
  });
}

/** Rank of a host of a VirtualService: 0 is exact, infinite is not at all. */
function rankOf(pattern: string, service: KubeObject, view: LaggedView, { host, gateway }: MeshRequest): number {
  const rank = (fits: boolean, value: number): number => (fits ? value : Number.POSITIVE_INFINITY);
  // istiod puts it on every Service of every namespace, but sends what is outside of the mesh to where it was going.
  if (pattern === '*')
    return rank(gateway !== 'mesh' || view.get('Service', `${host.service?.namespace}/${host.service?.name}`) !== undefined, 2);
  if (pattern.startsWith('*.')) return rank(host.text.endsWith(pattern.slice(1)), 1);
  // A short name is completed with the namespace of the object, never with the caller's.
  const own = pattern.includes('.') && !host.service ? undefined : parseHost(pattern, service.metadata.namespace ?? '').service;
  const isOwn = own !== undefined && own.name === host.service?.name && own.namespace === host.service.namespace;
  return rank(pattern === host.text || isOwn, 0);
}

function servesGateway(service: KubeObject, gateway: string): boolean {
  const { gateways: own = [] } = specOf<VirtualService>(service);
  const gateways = own.length > 0 ? own : ['mesh'];
  return gateways.some((each) => each === gateway || `${service.metadata.namespace}/${each}` === gateway);
}

function choiceOf(http: HttpRoute, namespace: string, { view, request }: { view: LaggedView; request: MeshRequest }): RouteChoice {
  const destinationOf = (destination: IstioDestination) => addressed(destination, namespace, view, request.host.port ?? HTTP);
  const defined = (changes: readonly (HeaderChanges | undefined)[]): HeaderChanges[] => changes.filter((each) => each !== undefined);
  const rewrite = rewritten(http, request);
  const cors = corsOf(http.corsPolicy, request);
  if (cors && 'preflight' in cors) return refuseWith({ status: 200, reason: 'preflight', headers: cors.preflight });
  const entries = http.route ?? [];
  const weighted = entries.map(({ destination, weight = 0, headers }) => ({
    // The weight of an only destination is ignored.
    weight: entries.length === 1 ? 1 : weight,
    route: {
      via: 'VirtualService',
      destination: destinationOf(destination),
      mirrors: [],
      requestHeaders: defined([http.headers?.request, headers?.request]),
      responseHeaders: defined([headers?.response, http.headers?.response, cors]),
      rewrite,
      timeoutMs: timeoutIn(http.timeout),
      retries: retriesOf(http),
      policyOf: ({ namespace, name }: Destination) => policyOf(view.get('DestinationRule', `${namespace}/${name}`), request),
      countsTriesIn: 'x-envoy-attempt-count',
    },
  }));
  const copies = mirrorsOf(http).map(({ to, percent }) => ({ destination: destinationOf(to), percent }));
  return (random) => {
    const picked = pickWeighted(weighted, random)?.route;
    if (!picked) return NO_WEIGHT;
    const route = knowingClient(picked, random);
    if (copies.length === 0) return route;
    return { ...route, mirrors: copies.flatMap(({ destination, percent }) => (random() * 100 < percent ? [destination] : [])) };
  };
}

/** Without a port of its own: the only port of the Service, else the port that the client addresses. Source: Istio, pilot route.go GetDestinationCluster. */
function addressed({ host, port }: IstioDestination, namespace: string, view: LaggedView, asked: number): Destination {
  const service = parseHost(host, namespace).service ?? { name: host, namespace };
  if (port) return { ...service, port: port.number };
  const ports = servicePorts(view.get('Service', `${service.namespace}/${service.name}`));
  return ports.length === 1 ? service : { ...service, port: asked };
}

/** A client without the cookie that its destination balances by gets the cookie with the answer. */
function knowingClient(route: ResolvedRoute, random: () => number): ResolvedRoute {
  const policy = route.policyOf?.(route.destination);
  const cookie = policy && freshCookie(policy, random);
  if (!cookie) return route;
  const responseHeaders = [{ add: { 'set-cookie': cookie.text } }, ...route.responseHeaders];
  return { ...route, responseHeaders, policyOf: () => ({ ...policy, hashed: cookie.pair }) };
}

function mirrorsOf(http: HttpRoute): { to: IstioDestination; percent: number }[] {
  const percent = http.mirrorPercentage?.value ?? http.mirrorPercent ?? (http.mirrorPercentage ? 0 : 100);
  return [
    ...(http.mirror ? [{ to: http.mirror, percent }] : []),
    ...(http.mirrors ?? []).map(({ destination, percentage }) => ({ to: destination, percent: percentage?.value ?? 100 })),
  ];
}

/** A matched prefix is replaced, anything else replaces the whole path. */
function rewritten({ rewrite, match }: HttpRoute, request: MeshRequest): ResolvedRoute['rewrite'] {
  if (!rewrite) return undefined;
  const authority = rewrite.authority === undefined ? {} : { authority: rewrite.authority };
  if (rewrite.uri === undefined) return authority;
  const path = requestPath(request.url);
  const prefix = match?.find((each) => matchesAny([each], request))?.uri?.prefix;
  let rest = '';
  if (prefix !== undefined && path.startsWith(prefix)) rest = path.slice(prefix.length);
  else if (prefix === undefined && !match?.length) rest = path.slice(1);
  return { ...authority, url: rewrite.uri + rest + request.url.slice(path.length) };
}

function retriesOf({ retries }: HttpRoute): ResolvedRoute['retries'] {
  if (!retries) return DEFAULT_RETRIES;
  // Without a number of attempts nothing is retried, and a limit of each says nothing.
  if (!retries.attempts) return { attempts: 0, on: [] };
  return {
    attempts: retries.attempts,
    on: retries.retryOn ? retries.retryOn.split(',').map((word) => word.trim()) : DEFAULT_RETRIES.on,
    perTryTimeoutMs: timeoutIn(retries.perTryTimeout),
  };
}
