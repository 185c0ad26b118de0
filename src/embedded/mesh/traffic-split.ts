import { matchesSmi } from './http-match.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { MeshRequest } from './request.ts';
import type { Refusal, ResolvedRoute } from './resolved-route.ts';
import type { RouteResolver } from './resolver.ts';

export const trafficSplit: RouteResolver = {
  kinds: ['v1alpha1', 'v1alpha2', 'v1alpha3', 'v1alpha4'].flatMap((version) => [
    { apiVersion: `split.smi-spec.io/${version}`, kind: 'TrafficSplit' },
    { apiVersion: `specs.smi-spec.io/${version}`, kind: 'HTTPRouteGroup' },
  ]),
  resolve: routeByTrafficSplit,
};

/** The backend that the TrafficSplit of the request's Service picks; undefined when no split speaks of this request. */
export function routeByTrafficSplit(view: LaggedView, request: MeshRequest, random: () => number): ResolvedRoute | Refusal | undefined {
  const { service } = request.host;
  if (!service) return undefined;
  const split = view
    .list('TrafficSplit')
    .find(
      ({ metadata, spec }) =>
        metadata.namespace === service.namespace && rootName(String(spec?.service ?? ''), service.namespace) === service.name,
    );
  if (!split || !isMatched(view, split.spec.matches, service.namespace, request)) return undefined;
  const backends = ((split.spec.backends ?? []) as { service: string; weight?: string | number }[]).map((backend) => ({
    service: backend.service,
    weight: quantity(backend.weight ?? 0),
  }));
  const chosen = pickWeighted(backends, random);
  if (!chosen) return { status: 503, reason: 'no backend has a weight' };
  return {
    via: 'TrafficSplit',
    destination: { name: chosen.service, namespace: service.namespace },
    mirrors: [],
    requestHeaders: [],
    responseHeaders: [],
    retries: { attempts: 0, on: [] },
  };
}

/** The root may be written as a name or in full. */
const rootName = (root: string, namespace: string): string =>
  root.startsWith(`${root.split('.')[0]}.${namespace}`) ? (root.split('.')[0] ?? '') : root;

/** v1alpha1 weights are Kubernetes quantities (`500m`, `"100"`), later ones integers. */
function quantity(weight: string | number): number {
  if (typeof weight === 'number') return weight;
  return weight.endsWith('m') ? Number(weight.slice(0, -1)) / 1000 : Number(weight) || 0;
}

function isMatched(
  view: LaggedView,
  refs: { kind?: string; name: string }[] | undefined,
  namespace: string,
  request: MeshRequest,
): boolean {
  if (!refs?.length) return true;
  return refs.some(({ name }) => {
    const group = view.get('HTTPRouteGroup', `${namespace}/${name}`);
    // v1alpha1 and v1alpha2 hold the matches at top level.
    return ((group?.spec?.matches ?? group?.matches ?? []) as Parameters<typeof matchesSmi>[0][]).some((match) =>
      matchesSmi(match, request),
    );
  });
}
