import type { KubeObject } from '../../api/kube-object.ts';
import { hostFit, type IngressHostPath, ingressKind, meshIngresses, pathFits, pathsOf } from './ingress.ts';
import type { LaggedView } from './lagged-view.ts';
import { type MeshRequest, requestPath } from './request.ts';
import { PLAIN_ROUTE, type ResolvedRoute } from './resolved-route.ts';
import type { RouteChoice, RouteResolver } from './resolver.ts';
import { parsePredicates, predicateHolds, predicateWeight, type SkipperPredicate } from './skipper-predicate.ts';
import { SECONDS } from './traffic-metrics.ts';

const LABELS = ['code', 'method', 'route'];

const CLASS = 'skipper';

/**
 * Skipper: every path of every Ingress is a route of its own, with the predicates of the Ingress. Sources: its pages "Ingress usage" and
 * "Predicates", and its calculation of Traffic() from backend weights.
 */
export const skipperIngress: RouteResolver = {
  providers: ['skipper'],
  series: { skipper_response_duration_seconds: LABELS, skipper_serve_route_duration_seconds: LABELS },
  kinds: [ingressKind],
  histograms: { skipper_response_duration_seconds: SECONDS, skipper_serve_route_duration_seconds: SECONDS },
  resolve: routeBySkipper,
};

interface SkipperRoute extends IngressHostPath {
  predicates: SkipperPredicate[];
}

/** The first route whose predicates hold, that of the most specific path first; undefined for a host that no Ingress has. */
export function routeBySkipper(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const ofHost = meshIngresses(view, CLASS, false)
    .flatMap(routesOf)
    .filter(({ host }) => hostFit(host, request.host.text) > 0);
  if (ofHost.length === 0) return undefined;
  // The tree of paths is looked up first, the most specific one before others; where no route of a path holds, the next one is tried.
  const ofPath = ofHost
    .filter((each) => pathFits(each, requestPath(request.url)))
    .toSorted((a, b) => depthOf(b) - depthOf(a) || rankOf(b) - rankOf(a));
  return (random) => {
    const route = ofPath.find(({ predicates }) => predicates.every((predicate) => predicateHolds(predicate, request, random)));
    return route ? routeTo(route) : { status: 404, reason: 'no route of Skipper holds' };
  };
}

function routeTo(route: SkipperRoute): ResolvedRoute {
  const namespace = route.ingress.metadata.namespace ?? '';
  return {
    ...PLAIN_ROUTE,
    via: 'Ingress',
    destination: { name: route.service, namespace },
    // A failed dial is tried once more, at another endpoint.
    retries: { attempts: 1, on: ['connect-failure'] },
    count: (metrics, { status, method, durationMs }) => {
      const labels = { code: String(status), method, route: idOf(route) };
      metrics.observe('skipper_response_duration_seconds', labels, durationMs / 1000);
      metrics.observe('skipper_serve_route_duration_seconds', labels, durationMs / 1000);
    },
  };
}

const depthOf = ({ path, pathType }: IngressHostPath): number => path.length + (pathType === 'Exact' ? 0.5 : 0);
/** A host is also a predicate. */
const rankOf = ({ host, predicates }: SkipperRoute): number => predicateWeight(predicates) + (host === '' ? 0 : 1);

function routesOf(ingress: KubeObject): SkipperRoute[] {
  const own = parsePredicates(annotation(ingress, 'skipper-predicate') ?? '') ?? [];
  const weights = weightsOf(ingress);
  const all = pathsOf(ingress);
  return all.flatMap((route) => {
    const beside = all.filter(({ host, path }) => host === route.host && path === route.path);
    const traffic = trafficOf(beside, route, weights);
    return traffic === undefined ? [] : [{ ...route, predicates: [...traffic, ...own] }];
  });
}

/**
 * Each backend of a path takes its part of the traffic that earlier backends have left, and the last weighted backend takes the rest; without any weight they
 * share evenly. `undefined` without traffic, and so without a route.
 */
function trafficOf(
  beside: readonly IngressHostPath[],
  route: IngressHostPath,
  known: Readonly<Record<string, number>>,
): SkipperPredicate[] | undefined {
  const given = beside.map(({ service }) => known[service] ?? 0);
  const weights = given.some((one) => one > 0) ? given : given.map(() => 1);
  const index = beside.findIndex(({ service }) => service === route.service);
  const weight = weights[index] ?? 0;
  if (weight <= 0) return undefined;
  const left = weights.slice(index).reduce((sum, one) => sum + one, 0);
  if (weight === left) return [];
  const balance = Math.max(0, beside.length - index - 2);
  return [{ name: 'Traffic', args: [weight / left] }, ...Array.from({ length: balance }, () => ({ name: 'True', args: [] }))];
}

function weightsOf(ingress: KubeObject): Record<string, number> {
  try {
    return JSON.parse(annotation(ingress, 'backend-weights') ?? '{}') as Record<string, number>;
  } catch (error) {
    // Skipper logs it and goes on without weights.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

const annotation = (ingress: KubeObject, name: string): string | undefined => ingress.metadata.annotations?.[`zalando.org/${name}`];

/** In ids every character outside `[0-9A-Za-z_]` becomes `_`. */
function idOf({ ingress, host, path, service }: IngressHostPath): string {
  const parts = [ingress.metadata.namespace ?? '', ingress.metadata.name, host, path, service];
  return `kube_${parts.map((part) => part.replace(/\W/g, '_')).join('__')}`;
}
