import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';

/** Fields of an HTTPRoute (gateway.networking.k8s.io/v1) that this gateway understands. Any other field is an error, and never ignored. */
export interface HttpRouteRule {
  matches?: HttpRouteMatch[];
  filters?: Filter[];
  backendRefs?: BackendRef[];
  timeouts?: { request?: string; backendRequest?: string };
}

export interface HttpRouteMatch {
  path?: { type?: 'Exact' | 'PathPrefix' | 'RegularExpression'; value?: string };
  headers?: NamedMatch[];
  queryParams?: NamedMatch[];
  method?: string;
}

interface NamedMatch {
  type?: 'Exact' | 'RegularExpression';
  name: string;
  value: string;
}

export interface BackendRef {
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
  filters?: Filter[];
}

export type Filter =
  | { type: 'RequestHeaderModifier'; requestHeaderModifier: HeaderModifier }
  | { type: 'ResponseHeaderModifier'; responseHeaderModifier: HeaderModifier }
  | { type: 'RequestMirror'; requestMirror: { backendRef: BackendRef; percent?: number } }
  | {
      type: 'URLRewrite';
      urlRewrite: { hostname?: string; path?: { type: string; replaceFullPath?: string; replacePrefixMatch?: string } };
    };

export interface HeaderModifier {
  add?: { name: string; value: string }[];
  set?: { name: string; value: string }[];
  remove?: string[];
}

/** Destination of a cluster of Envoy: one port of one Service. */
export interface Backend {
  namespace: string;
  service: string;
  port: number;
}

export const clusterName = ({ namespace, service, port }: Backend): string => `${namespace}_${service}_${port}`;

export interface RouteTable {
  /** `envoy.config.route.v3.RouteConfiguration`. */
  config: object;
  /** All that it names. */
  backends: Backend[];
}

/**
 * HTTPRoutes as a route configuration of Envoy. Order and meaning follow the Gateway API's own text (HTTPRouteRule, "matches" and "backendRefs"):
 * exact paths before prefixes, longer ones first, then methods, then numbers of header and query conditions; a rule without weight answers 500.
 */
export function routeTable(routes: readonly KubeObject[]): RouteTable {
  const backends = new Map<string, Backend>();
  const hosts = new Map<string, Ranked[]>();
  const byAge = routes.toSorted((a, b) => (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''));
  for (const route of byAge) {
    const domains: string[] = raw(route).spec.hostnames?.length ? raw(route).spec.hostnames : ['*'];
    for (const domain of domains) hosts.set(domain, [...(hosts.get(domain) ?? []), ...rankedRules(route, backends)]);
  }
  const virtualHosts = [...hosts].map(([domain, rules], index) => ({
    name: `host-${index}`,
    // A Host header may carry a port.
    domains: domain === '*' ? ['*'] : [domain, `${domain}:*`],
    routes: rules.toSorted(byPrecedence).map(({ route }) => route),
  }));
  return {
    config: { name: 'http-routes', virtual_hosts: virtualHosts, validate_clusters: false },
    backends: [...backends.values()],
  };
}

interface Ranked {
  rank: readonly number[];
  route: object;
}

/** Descending in each place; equal ones keep the order of their routes' age and of the rules in them. */
function byPrecedence(a: Ranked, b: Ranked): number {
  const place = a.rank.findIndex((value, index) => value !== b.rank[index]);
  return place < 0 ? 0 : (b.rank[place] ?? 0) - (a.rank[place] ?? 0);
}

function rankedRules(route: KubeObject, backends: Map<string, Backend>): Ranked[] {
  const namespace = route.metadata.namespace ?? '';
  const learn = (ref: BackendRef): string => {
    const backend = { namespace: ref.namespace ?? namespace, service: ref.name, port: ref.port ?? 80 };
    backends.set(clusterName(backend), backend);
    return clusterName(backend);
  };
  return ((raw(route).spec.rules ?? []) as HttpRouteRule[]).flatMap((rule) => {
    const { action, ...changes } = answerOf(rule, learn);
    const matches: HttpRouteMatch[] = rule.matches?.length ? rule.matches : [{}];
    return matches.map((match) => ({ rank: rankOf(match), route: { match: envoyMatch(match), ...action, ...changes } }));
  });
}

const PATH_RANK = { Exact: 2, RegularExpression: 1, PathPrefix: 0 } as const;

function rankOf({ path, headers = [], queryParams = [], method }: HttpRouteMatch): readonly number[] {
  return [PATH_RANK[path?.type ?? 'PathPrefix'], (path?.value ?? '/').length, method ? 1 : 0, headers.length, queryParams.length];
}

function envoyMatch({ path, headers = [], queryParams = [], method }: HttpRouteMatch): object {
  const string = ({ type = 'Exact', value }: NamedMatch) => (type === 'Exact' ? { exact: value } : { safe_regex: { regex: value } });
  return {
    ...envoyPath(path),
    headers: [
      ...headers.map((header) => ({ name: header.name, string_match: string(header) })),
      ...(method ? [{ name: ':method', string_match: { exact: method } }] : []),
    ],
    query_parameters: queryParams.map((parameter) => ({ name: parameter.name, string_match: string(parameter) })),
  };
}

function envoyPath({ type = 'PathPrefix', value = '/' }: NonNullable<HttpRouteMatch['path']> = {}): object {
  if (type === 'Exact') return { path: value };
  if (type === 'RegularExpression') return { safe_regex: { regex: value } };
  return value === '/' ? { prefix: '/' } : { path_separated_prefix: value.replace(/\/$/, '') };
}

function answerOf(rule: HttpRouteRule, learn: (ref: BackendRef) => string): { action: object } & Record<string, unknown> {
  const refs = rule.backendRefs ?? [];
  const total = refs.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const changes = headerChanges(rule.filters);
  if (total === 0) return { action: { direct_response: { status: 500 } }, ...changes };
  const clusters = refs.map((ref) => ({ name: learn(ref), weight: ref.weight ?? 1, ...headerChanges(ref.filters) }));
  const mirrors = (rule.filters ?? []).flatMap((filter) => (filter.type === 'RequestMirror' ? [filter.requestMirror] : []));
  const action = {
    weighted_clusters: { clusters },
    // Without a word on it the Gateway API sets no limit.
    timeout: seconds(rule.timeouts?.request) ?? '0s',
    ...rewriteOf(rule.filters),
    request_mirror_policies: mirrors.map(({ backendRef, percent = 100 }) => ({
      cluster: learn(backendRef),
      runtime_fraction: { default_value: { numerator: percent, denominator: 'HUNDRED' } },
    })),
  };
  return { action: { route: action }, ...changes };
}

function headerChanges(filters: readonly Filter[] = []): object {
  const changes: Record<string, unknown[]> = {};
  for (const filter of filters) {
    if (filter.type === 'RequestMirror' || filter.type === 'URLRewrite') continue;
    if (filter.type === 'RequestHeaderModifier') put('request', filter.requestHeaderModifier);
    else if (filter.type === 'ResponseHeaderModifier') put('response', filter.responseHeaderModifier);
    else throw new Error(`this gateway knows no filter ${JSON.stringify(filter)}`);
  }
  return changes;

  function put(side: 'request' | 'response', { add = [], set = [], remove = [] }: HeaderModifier): void {
    const header = (append_action: string) => (pair: { name: string; value: string }) => ({
      header: { key: pair.name, value: pair.value.replaceAll('%', '%%') },
      append_action,
    });
    changes[`${side}_headers_to_add`] = [...set.map(header('OVERWRITE_IF_EXISTS_OR_ADD')), ...add.map(header('APPEND_IF_EXISTS_OR_ADD'))];
    changes[`${side}_headers_to_remove`] = remove;
  }
}

function rewriteOf(filters: readonly Filter[] = []): object {
  const [rewrite] = filters.flatMap((filter) => (filter.type === 'URLRewrite' ? [filter.urlRewrite] : []));
  if (!rewrite) return {};
  const { hostname, path } = rewrite;
  return {
    ...(hostname === undefined ? {} : { host_rewrite_literal: hostname }),
    ...(path?.type === 'ReplacePrefixMatch' ? { prefix_rewrite: path.replacePrefixMatch } : {}),
    ...(path?.type === 'ReplaceFullPath' ? { regex_rewrite: { pattern: { regex: '^[^?]*' }, substitution: path.replaceFullPath } } : {}),
  };
}

/** A Gateway API duration (`1h2m3s4ms`) as Envoy writes one. */
function seconds(duration: string | undefined): string | undefined {
  if (duration === undefined) return undefined;
  const units = { h: 3600, m: 60, s: 1, ms: 0.001 } as const;
  const parts = [...duration.matchAll(/(\d+)(ms|[hms])/g)];
  return `${parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units], 0)}s`;
}
