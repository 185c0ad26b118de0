import { asService } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { definition } from '../definition.ts';
import { countUpstream, envoyHistograms, envoySeries } from './envoy-cluster.ts';
import { anyPath, delegateMatcher, type GlooMatcher, type Inheritance, matches, underParent } from './gloo-matcher.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { Destination, MeshRequest } from './request.ts';
import { type DirectResponse, type HeaderChanges, type ResolvedRoute, timeoutIn } from './resolved-route.ts';
import { type RouteChoice, type RouteResolver, refuseWith } from './resolver.ts';

interface Ref {
  name: string;
  namespace?: string;
}
interface HeaderValue {
  header?: { key: string; value?: string };
  append?: boolean;
}
interface HeaderManipulation {
  requestHeadersToAdd?: HeaderValue[];
  requestHeadersToRemove?: string[];
  responseHeadersToAdd?: HeaderValue[];
  responseHeadersToRemove?: string[];
}
interface GlooOptions {
  shadowing?: { upstream: Ref; percentage?: number };
  headerManipulation?: HeaderManipulation;
  timeout?: string;
  retries?: { retryOn?: string; numRetries?: number; perTryTimeout?: string };
}
interface GlooTarget {
  upstream?: Ref;
  kube?: { ref: Ref; port: number };
}
interface WeightedTarget {
  weight?: number;
  destination?: GlooTarget;
  options?: { headerManipulation?: HeaderManipulation };
}
interface GlooRoute extends Inheritance {
  matchers?: GlooMatcher[];
  delegateAction?: Partial<Ref> & { ref?: Ref };
  routeAction?: { single?: GlooTarget; multi?: { destinations?: WeightedTarget[] } };
  options?: GlooOptions;
}
/** The spec of Gloo's VirtualService, as far as the proxies follow it. */
export interface GlooVirtualService {
  virtualHost: { domains?: string[]; routes?: GlooRoute[] };
}
interface KubeUpstream {
  serviceName: string;
  serviceNamespace: string;
  selector?: Record<string, string>;
}
interface Parent {
  matcher: GlooMatcher;
  route: GlooRoute;
}
/** A route with the matchers and options of all that delegate to it. */
interface GlooLeaf {
  matchers: readonly GlooMatcher[];
  route: GlooRoute;
  namespace: string;
}

/** The name under which views know Gloo's VirtualServices: Istio has a kind of that name. */
const GLOO_VIRTUAL_SERVICE = 'GlooVirtualService';
const DEEPEST = 10;

/** Gloo: VirtualServices, the RouteTables that they delegate to, and Upstreams. */
export const routeTable: RouteResolver = {
  providers: ['gloo'],
  definitions: () => [
    definition('gateway.solo.io', 'VirtualService', 'virtualservices', ['v1']),
    definition('gateway.solo.io', 'RouteTable', 'routetables', ['v1']),
    definition('gloo.solo.io', 'Upstream', 'upstreams', ['v1']),
  ],
  series: envoySeries,
  kinds: [
    { apiVersion: 'gateway.solo.io/v1', kind: 'VirtualService', knownAs: GLOO_VIRTUAL_SERVICE },
    { apiVersion: 'gateway.solo.io/v1', kind: 'RouteTable' },
    { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream' },
  ],
  histograms: envoyHistograms,
  resolve: routeByRouteTable,
};

/** The first route that matches, in the order of the objects; undefined for a host that no VirtualService names. */
export function routeByRouteTable(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const found = view
    .list(GLOO_VIRTUAL_SERVICE)
    .find((one) => servesHost(specOf<GlooVirtualService>(one).virtualHost?.domains, request.host.text));
  if (!found) return undefined;
  const leaves = collect(view, specOf<GlooVirtualService>(found).virtualHost?.routes ?? [], found.metadata.namespace ?? '');
  const leaf = leaves.find(({ matchers }) => matchers.some((matcher) => matches(matcher, request)));
  if (!leaf) return refuseWith({ status: 404, reason: 'no route of the VirtualService matches' });
  return (random) => resolve(view, leaf, random);
}

/** Names a host, or all hosts under a name. A domain for every host (`*`) is left to the other resolvers of this mesh. */
function servesHost(domains: string[] | undefined, host: string): boolean {
  return (domains ?? []).some((domain) => {
    const name = (domain.split(':')[0] ?? '').toLowerCase();
    return name.startsWith('*.') ? host.toLowerCase().endsWith(name.slice(1)) : name === host.toLowerCase();
  });
}

function collect(view: LaggedView, routes: readonly GlooRoute[], namespace: string, parent?: Parent, depth = 0): GlooLeaf[] {
  if (depth > DEEPEST) return [];
  return routes.flatMap((own) => {
    const route = parent ? inherited(own, parent.route) : own;
    const matchers = parent ? underParent(own.matchers, parent.matcher, route) : own.matchers;
    if (parent && !matchers) return [];
    if (!route.delegateAction) return [{ matchers: matchers?.length ? matchers : [anyPath], route, namespace }];
    const matcher = delegateMatcher(matchers);
    const table = tableOf(view, route.delegateAction, namespace);
    if (!matcher || !table) return [];
    const { routes: below = [] } = specOf<{ routes: GlooRoute[] }>(table);
    return collect(view, below, table.metadata.namespace ?? '', { matcher, route }, depth + 1);
  });
}

/** For options the parent goes before the child; for inheritance after. */
function inherited(route: GlooRoute, parent: GlooRoute): GlooRoute {
  return {
    ...route,
    inheritableMatchers: route.inheritableMatchers ?? parent.inheritableMatchers ?? false,
    inheritablePathMatchers: route.inheritablePathMatchers ?? parent.inheritablePathMatchers ?? false,
    options: { ...route.options, ...parent.options },
  };
}

/** By `ref`, or by the older form with the name in the action itself. */
function tableOf(view: LaggedView, action: NonNullable<GlooRoute['delegateAction']>, own: string): KubeObject | undefined {
  const { name, namespace } = action.ref ?? action;
  return view.get('RouteTable', `${namespace || own}/${name ?? ''}`);
}

function resolve(view: LaggedView, { route, namespace }: GlooLeaf, random: () => number): ResolvedRoute | DirectResponse {
  const { single, multi } = route.routeAction ?? {};
  const weighted = single ? [{ destination: single, weight: 1 }] : (multi?.destinations ?? []);
  const chosen = pickWeighted(
    weighted.map((target: WeightedTarget) => ({ target, weight: target.weight ?? 0 })),
    random,
  )?.target;
  const main = chosen?.destination && clusterOf(view, chosen.destination, namespace);
  if (!main) return { status: 503, reason: chosen ? 'the Upstream is not found' : 'no destination has a weight' };
  const { shadowing, headerManipulation, timeout, retries } = route.options ?? {};
  const copy =
    shadowing && random() * 100 < (shadowing.percentage ?? 0) ? clusterOf(view, { upstream: shadowing.upstream }, namespace) : undefined;
  const clusters = [main, ...(copy ? [copy] : [])];
  const manipulations = [chosen.options?.headerManipulation, headerManipulation];
  return {
    via: 'RouteTable',
    destination: main.destination,
    mirrors: clusters.slice(1).map(({ destination }) => destination),
    requestHeaders: manipulations.map((all) => changesOf(all?.requestHeadersToAdd, all?.requestHeadersToRemove)),
    responseHeaders: manipulations.map((all) => changesOf(all?.responseHeadersToAdd, all?.responseHeadersToRemove)),
    timeoutMs: timeoutIn(timeout),
    retries: {
      attempts: retries ? (retries.numRetries ?? 1) : 0,
      on: (retries?.retryOn ?? '').split(',').flatMap((word) => word.trim() || []),
      perTryTimeoutMs: timeoutIn(retries?.perTryTimeout),
    },
    count(metrics, answered) {
      const cluster = clusters.find(({ destination }) => destination === answered.destination);
      if (cluster) countUpstream(metrics, cluster.name, answered);
    },
  };
}

/** The Service behind an Upstream, and the name of the cluster that Gloo makes of it. */
function clusterOf(view: LaggedView, { upstream, kube }: GlooTarget, own: string): { destination: Destination; name: string } | undefined {
  if (kube) {
    const destination = { name: kube.ref.name, namespace: kube.ref.namespace || own };
    return { destination, name: `kube-svc:${destination.namespace}-${destination.name}-${kube.port}_${destination.namespace}` };
  }
  const namespace = upstream?.namespace || own;
  const { kube: spec } = specOf<{ kube: KubeUpstream }>(view.get('Upstream', `${namespace}/${upstream?.name}`));
  if (!upstream || !spec || selectsNothing(view, spec)) return undefined;
  return { destination: { name: spec.serviceName, namespace: spec.serviceNamespace }, name: `${upstream.name}_${namespace}` };
}

/** An Upstream's own selector leaves out pods without these labels; where the Service selects by other values, that is all of them. */
function selectsNothing(view: LaggedView, kube: KubeUpstream): boolean {
  const service = view.get('Service', `${kube.serviceNamespace}/${kube.serviceName}`);
  const selected = (service && asService(service).spec.selector) ?? {};
  return Object.entries(kube.selector ?? {}).some(([key, value]) => selected[key] !== undefined && selected[key] !== value);
}

function changesOf(values: readonly HeaderValue[] = [], remove: string[] = []): HeaderChanges {
  const pairs = (isAdded: boolean) =>
    Object.fromEntries(
      values.flatMap(({ header, append = true }) => (header && append === isAdded ? [[header.key, header.value ?? '']] : [])),
    );
  return { add: pairs(true), set: pairs(false), remove };
}
