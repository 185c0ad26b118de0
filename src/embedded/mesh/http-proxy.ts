import { servicePorts } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { definition } from '../definition.ts';
import {
  type ContourCondition,
  contourMatchesText,
  hasValidPaths,
  hasValidTexts,
  matchesPath,
  mergedPath,
  textsOf,
} from './contour-conditions.ts';
import { countUpstream, envoyHistograms, envoySeries } from './envoy-cluster.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { Destination } from './request.ts';
import { headerOf, type MeshRequest, queryAsWritten } from './request.ts';
import { type DirectResponse, type HeaderChanges, type ResolvedRoute, timeoutIn } from './resolved-route.ts';
import { type RouteChoice, type RouteResolver, refuseWith } from './resolver.ts';

interface HeadersPolicy {
  set?: { name: string; value: string }[];
  remove?: string[];
}
interface ProxiedService {
  name: string;
  port: number;
  weight?: number;
  mirror?: boolean;
  requestHeadersPolicy?: HeadersPolicy;
  responseHeadersPolicy?: HeadersPolicy;
}
interface ProxyRoute {
  conditions?: ContourCondition[];
  services?: ProxiedService[];
  timeoutPolicy?: { response?: string };
  retryPolicy?: { count?: number; perTryTimeout?: string; retryOn?: string[] };
  requestHeadersPolicy?: HeadersPolicy;
  responseHeadersPolicy?: HeadersPolicy;
}
interface Include {
  name: string;
  namespace?: string;
  conditions?: ContourCondition[];
}
/** The spec of an HTTPProxy, as far as the proxies follow it. */
export interface HttpProxy {
  virtualhost: { fqdn?: string };
  includes: Include[];
  routes: ProxyRoute[];
}
/** A route with all conditions that lead to it; without a route where an include leads nowhere. */
interface ProxyLeaf {
  conditions: readonly ContourCondition[];
  namespace: string;
  route?: ProxyRoute;
}

const DEEPEST = 20;
const kindOrder = { exact: 0, regex: 1, prefix: 2 } as const;

/** Contour: root HTTPProxies and their includes. */
export const httpProxy: RouteResolver = {
  providers: ['contour'],
  definitions: () => [definition('projectcontour.io', 'HTTPProxy', 'httpproxies', ['v1'])],
  series: envoySeries,
  kinds: [{ apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy' }],
  histograms: envoyHistograms,
  servicesOf: (proxy) =>
    (specOf<HttpProxy>(proxy).routes ?? []).flatMap(({ services = [] }) =>
      services.map(({ name }) => `${proxy.metadata.namespace}/${name}`),
    ),
  resolve: routeByHttpProxy,
};

/** The most specific route of the root of the request's host; undefined when no root has this host. */
export function routeByHttpProxy(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const roots = view.list('HTTPProxy').filter((one) => servesHost(specOf<HttpProxy>(one).virtualhost?.fqdn, request.host.text));
  const [root, rival] = roots;
  if (!root) return undefined;
  // Two roots of one host are both invalid.
  if (rival) return refuseWith({ status: 404, reason: 'two HTTPProxies have this host' });
  const leaves = (collect(view, root, []) ?? []).map((leaf) => ({
    ...leaf,
    ...textsOf(leaf.conditions),
    path: mergedPath(leaf.conditions),
  }));
  const found = leaves
    // The later of two with the same conditions counts.
    .toReversed()
    .toSorted(
      (a, b) =>
        kindOrder[a.path.kind] - kindOrder[b.path.kind] ||
        b.path.text.length - a.path.text.length ||
        b.headers.length - a.headers.length ||
        b.queries.length - a.queries.length,
    )
    .find(
      ({ path, headers, queries }) =>
        matchesPath(path, request) &&
        headers.every((text) => contourMatchesText(text, headerOf(request, text.name))) &&
        queries.every((text) => contourMatchesText(text, queryAsWritten(request, text.name))),
    );
  if (!found) return refuseWith({ status: 404, reason: 'no route of the HTTPProxy matches' });
  const { route, namespace } = found;
  if (!route) return refuseWith({ status: 502, reason: 'an included HTTPProxy is not found' });
  return (random) => resolve(view, route, namespace, random);
}

function servesHost(fqdn: string | undefined, host: string): boolean {
  if (!fqdn?.startsWith('*.')) return fqdn?.toLowerCase() === host.toLowerCase();
  // A wildcard matches one label.
  return host.includes('.') && host.slice(host.indexOf('.')).toLowerCase() === fqdn.slice(1).toLowerCase();
}

/** The routes of an HTTPProxy and of its includes; `undefined` if Contour takes none of it, for a condition that it refuses. */
function collect(view: LaggedView, proxy: KubeObject, above: readonly ContourCondition[], depth = 0): ProxyLeaf[] | undefined {
  const namespace = proxy.metadata.namespace ?? '';
  const { includes = [], routes = [] } = specOf<HttpProxy>(proxy);
  if (depth > DEEPEST) return undefined;
  if (!includes.every(({ conditions = [] }) => hasValidPaths(conditions, true))) return undefined;
  if (!routes.every(({ conditions = [] }) => hasValidPaths(conditions, false) && hasValidTexts([...above, ...conditions])))
    return undefined;
  const included = includes.flatMap((include) => {
    const conditions = [...above, ...(include.conditions ?? [])];
    const child = view.get('HTTPProxy', `${include.namespace || namespace}/${include.name}`);
    // A root cannot be included.
    if (!child || specOf<HttpProxy>(child).virtualhost) return [{ conditions, namespace }];
    return collect(view, child, conditions, depth + 1) ?? [];
  });
  return [...included, ...routes.map((route) => ({ conditions: [...above, ...(route.conditions ?? [])], namespace, route }))];
}

function resolve(view: LaggedView, route: ProxyRoute, namespace: string, random: () => number): ResolvedRoute | DirectResponse {
  // A service that is not found, or lacks the port, is left out.
  const services = (route.services ?? []).filter(({ name, port }) =>
    servicePorts(view.get('Service', `${namespace}/${name}`)).some((one) => one.port === port),
  );
  const answering = services.filter(({ mirror }) => !mirror);
  const isEven = answering.every(({ weight = 0 }) => weight === 0);
  const chosen = pickWeighted(
    answering.map((service) => ({ service, weight: isEven ? 1 : (service.weight ?? 0) })),
    random,
  )?.service;
  if (!chosen) return { status: 503, reason: 'the route has no service' };
  const isKnown = ({ name }: ProxiedService): boolean => view.knowsService(`${namespace}/${name}`);
  if (!isKnown(chosen)) return { status: 503, reason: `the proxy does not know Service ${namespace}/${chosen.name} yet` };
  // A mirror of weight 0 is one of everything.
  const mirrors = services.filter((service) => service.mirror && random() * 100 < (service.weight || 100) && isKnown(service));
  const clusters = [chosen, ...mirrors].map(({ name, port }) => ({
    destination: { name, namespace },
    cluster: `${namespace}_${name}_${port}`,
  }));
  const [main, ...copies] = clusters.map(({ destination }): Destination => destination);
  return {
    via: 'HTTPProxy',
    destination: main ?? { name: chosen.name, namespace },
    mirrors: copies,
    requestHeaders: [route.requestHeadersPolicy, chosen.requestHeadersPolicy].map(changesOf),
    responseHeaders: [chosen.responseHeadersPolicy, route.responseHeadersPolicy].map(changesOf),
    timeoutMs: responseTimeoutOf(route),
    retries: retriesOf(route),
    count(metrics, answered) {
      const cluster = clusters.find(({ destination }) => destination === answered.destination)?.cluster;
      if (cluster !== undefined) countUpstream(metrics, cluster, answered);
    },
  };
}

/** Timeout of Envoy's routes without one, or with 0; `infinity` lets a request take any time. */
const DEFAULT_TIMEOUT_MS = 15_000;

function responseTimeoutOf({ timeoutPolicy: { response = '' } = {} }: ProxyRoute): number | undefined {
  return timeoutIn(response) ?? (response === 'infinity' || response === 'infinite' ? undefined : DEFAULT_TIMEOUT_MS);
}

function changesOf({ set = [], remove = [] }: HeadersPolicy = {}): HeaderChanges {
  return { set: Object.fromEntries(set.map(({ name, value }) => [name, value])), remove };
}

function retriesOf({ retryPolicy }: ProxyRoute): ResolvedRoute['retries'] {
  if (!retryPolicy || retryPolicy.count === -1) return { attempts: 0, on: [] };
  return {
    attempts: retryPolicy.count || 1,
    on: retryPolicy.retryOn?.length ? retryPolicy.retryOn : ['5xx'],
    perTryTimeoutMs: timeoutIn(retryPolicy.perTryTimeout),
  };
}
