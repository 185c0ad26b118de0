import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { definition, open } from '../definition.ts';
import { ingressCookie } from './ingress.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import { headerOf, type MeshRequest, queryOf, requestPath } from './request.ts';
import { type DirectResponse, PLAIN_ROUTE, type ResolvedRoute } from './resolved-route.ts';
import { type RouteChoice, type RouteResolver, refuseWith } from './resolver.ts';

/** APISIX's own CRD merges rules by their names: an apply leaves in each what others have put there. */
const rulesByName = {
  ...open,
  properties: {
    http: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { ...open, required: ['name'], properties: { name: { type: 'string' } } },
    },
  },
};
const LABELS = ['code', 'type', 'route', 'matched_host', 'service', 'consumer'];

const LATENCY_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];
/** Weight of a backend that names none. Source: the ingress controller of APISIX, DefaultWeight. */
const DEFAULT_WEIGHT = 100;

/** APISIX: every rule of every ApisixRoute is a route. Sources: its pages "ApisixRoute", "Router radixtree" and "prometheus". */
export const apisixRoute: RouteResolver = {
  providers: ['apisix'],
  definitions: () => [definition('apisix.apache.org', 'ApisixRoute', 'apisixroutes', ['v2'], rulesByName)],
  series: { apisix_http_status: LABELS, apisix_http_latency: LABELS },
  kinds: [{ apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute' }],
  histograms: { apisix_http_latency: LATENCY_MS },
  resolve: routeByApisix,
};

interface ApisixExpr {
  subject: { scope: string; name?: string };
  op: string;
  value?: string;
  set?: string[];
}
/** A rule of an ApisixRoute, as far as the proxies follow it. */
export interface ApisixRule {
  name: string;
  priority?: number;
  match?: { hosts?: string[]; paths?: string[]; methods?: string[]; exprs?: ApisixExpr[] };
  backends?: { serviceName: string; weight?: number }[];
  plugins?: { name: string; enable?: boolean; config?: { prefer_name?: boolean } }[];
}
interface ApisixCandidate {
  route: KubeObject;
  rule: ApisixRule;
  /** Fit of the host and the path; the higher goes first. */
  host: number;
  path: number;
}

/** The rule whose host, then path, then priority fits best; undefined when no rule has this host. */
export function routeByApisix(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const rules = view
    .list('ApisixRoute')
    .flatMap((route) => (specOf<{ http: ApisixRule[] }>(route).http ?? []).map((rule) => ({ route, rule })));
  const ofHost = rules
    .map((each) => ({
      ...each,
      host: hostFit(each.rule.match?.hosts, request.host.text),
      path: pathFit(each.rule.match?.paths, requestPath(request.url)),
    }))
    .filter(({ host }) => host > 0);
  if (ofHost.length === 0) return undefined;
  const chosen = ofHost
    .filter(({ path, rule }) => path > 0 && (!rule.match?.methods?.length || rule.match.methods.includes(request.method)))
    .toSorted((a, b) => b.host - a.host || b.path - a.path || (b.rule.priority ?? 0) - (a.rule.priority ?? 0))
    .find(({ rule }) => (rule.match?.exprs ?? []).every((expr) => holds(expr, request)));
  if (!chosen) return refuseWith({ status: 404, reason: 'no rule of an ApisixRoute fits' });
  return (random) => resolve(chosen, request, random);
}

function resolve({ route, rule }: ApisixCandidate, request: MeshRequest, random: () => number): ResolvedRoute | DirectResponse {
  const { namespace = '', name } = route.metadata;
  const backend = pickWeighted(
    (rule.backends ?? []).map(({ serviceName, weight = DEFAULT_WEIGHT }) => ({ serviceName, weight })),
    random,
  );
  if (!backend) return { status: 503, reason: 'no backend has a weight' };
  const prometheus = rule.plugins?.find((plugin) => plugin.name === 'prometheus' && plugin.enable !== false);
  const fullName = `${namespace}_${name}_${rule.name}`;
  const labels = {
    route: prometheus?.config?.prefer_name ? fullName : idOf(fullName),
    matched_host: request.host.text,
    service: '',
    consumer: '',
  };
  return {
    ...PLAIN_ROUTE,
    via: 'ApisixRoute',
    destination: { name: backend.serviceName, namespace },
    // Upstreams are retried as often as they have other nodes.
    retries: { attempts: 1, on: ['connect-failure'] },
    // Nothing is counted of a route without the plugin.
    ...(prometheus && {
      count: (metrics, { status, durationMs }) => {
        metrics.count('apisix_http_status', { code: String(status), ...labels });
        metrics.observe('apisix_http_latency', { type: 'request', ...labels }, durationMs);
        metrics.observe('apisix_http_latency', { type: 'upstream', ...labels }, durationMs);
      },
    }),
  };
}

/** 2: the very host, 1: a wildcard or any host. */
function hostFit(hosts: readonly string[] | undefined, host: string): number {
  if (!hosts?.length) return 1;
  if (hosts.includes(host)) return 2;
  return hosts.some((each) => each.startsWith('*') && host.endsWith(each.slice(1))) ? 1 : 0;
}

/** The length of the longest path that fits, an exact one before a prefix; `*` is only at the end. */
function pathFit(paths: readonly string[] | undefined, asked: string): number {
  const fits = (paths ?? []).map((path) => {
    if (path === asked) return path.length + 1.5;
    return path.endsWith('*') && asked.startsWith(path.slice(0, -1)) ? path.length : 0;
  });
  return Math.max(0, ...fits);
}

type Found = string | undefined;
const isMatch = (found: Found, pattern: string, flags = '') => found !== undefined && new RegExp(pattern, flags).test(found);
const isIn = (found: Found, set: readonly string[]) => found !== undefined && set.includes(found);

const operators = new Map<string, (found: Found, value: string, set: readonly string[]) => boolean>([
  ['Equal', (found, value) => found === value],
  ['NotEqual', (found, value) => found !== value],
  ['In', (found, _, set) => isIn(found, set)],
  ['NotIn', (found, _, set) => !isIn(found, set)],
  ['RegexMatch', (found, value) => isMatch(found, value)],
  ['RegexNotMatch', (found, value) => !isMatch(found, value)],
  ['RegexMatchCaseInsensitive', (found, value) => isMatch(found, value, 'i')],
  ['RegexNotMatchCaseInsensitive', (found, value) => !isMatch(found, value, 'i')],
]);

const scopes = new Map<string, (request: MeshRequest, name: string) => Found>([
  ['Header', headerOf],
  ['Query', queryOf],
  ['Cookie', ({ headers }, name) => ingressCookie(headers.cookie, name)],
  ['Path', ({ url }) => requestPath(url)],
]);

/** No request satisfies an unknown operator. */
function holds({ subject: { scope, name = '' }, op, value = '', set = [] }: ApisixExpr, request: MeshRequest): boolean {
  return operators.get(op)?.(scopes.get(scope)?.(request, name), value, set) ?? false;
}

/** APISIX identifies routes by a checksum of their name. */
function idOf(name: string): string {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
