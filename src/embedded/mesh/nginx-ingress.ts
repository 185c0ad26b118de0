import type { KubeObject } from '../../api/kube-object.ts';
import { endpointsOf } from './endpoints.ts';
import { bestPath, hostFit, type IngressHostPath, ingressCookie, ingressKind, meshIngresses, pathsOf } from './ingress.ts';
import type { LaggedView } from './lagged-view.ts';
import type { Destination } from './request.ts';
import { headerOf, type MeshRequest, requestPath } from './request.ts';
import { PLAIN_ROUTE, type ResolvedRoute } from './resolved-route.ts';
import { type RouteChoice, type RouteResolver, refuseWith } from './resolver.ts';
import { SECONDS } from './traffic-metrics.ts';

const LABELS = ['status', 'method', 'path', 'namespace', 'ingress', 'service', 'canary', 'controller_class', 'host'];

const CLASS = 'nginx';
const annotation = (ingress: KubeObject, name: string): string =>
  ingress.metadata.annotations?.[`nginx.ingress.kubernetes.io/${name}`]?.trim() ?? '';

/**
 * ingress-nginx: an Ingress marked as canary is an alternative for the paths that others have. Sources: its controller's merging of alternative
 * backends, its `route_to_alternative_balancer`, and the page "Annotations".
 */
export const nginxIngress: RouteResolver = {
  providers: ['nginx'],
  series: { nginx_ingress_controller_requests: LABELS, nginx_ingress_controller_response_duration_seconds: LABELS },
  kinds: [ingressKind],
  histograms: { nginx_ingress_controller_response_duration_seconds: SECONDS },
  resolve: routeByNginx,
};

/** The location of the request, or its canary Ingress by header, cookie or weight; undefined for a host that no Ingress has. */
export function routeByNginx(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const all = meshIngresses(view, CLASS, true);
  const isCanary = (ingress: KubeObject) => /^(1|t|T|true|TRUE|True)$/.test(annotation(ingress, 'canary'));
  const main = all.filter((ingress) => !isCanary(ingress)).flatMap(pathsOf);
  // The server is chosen only by the host; then its locations are looked at.
  const fit = Math.max(0, ...main.map(({ host }) => hostFit(host, request.host.text)));
  if (fit === 0) return undefined;
  const location = bestPath(
    main.filter(({ host }) => hostFit(host, request.host.text) === fit),
    requestPath(request.url),
  );
  if (!location) return refuseWith({ status: 404, reason: 'no path of an Ingress fits' });
  const alternative = alternativeOf(location, all.filter(isCanary).flatMap(pathsOf));
  // A path without endpoints has no balancer. The main backend's comes first: without it no alternative is looked at, and the answer is 503.
  const hasBalancer = (at: IngressHostPath) => (endpointsOf(view, destinationOf(at)) ?? []).length > 0;
  const able = alternative && hasBalancer(location) && hasBalancer(alternative) ? alternative : undefined;
  return (random) => routeTo(location, able && isForCanary(able.ingress, request, random) ? able : undefined, request);
}

function routeTo(location: IngressHostPath, alternative: IngressHostPath | undefined, request: MeshRequest): ResolvedRoute {
  const namespace = location.ingress.metadata.namespace ?? '';
  const other = alternative && destinationOf(alternative);
  return {
    ...PLAIN_ROUTE,
    via: 'Ingress',
    destination: other ?? { name: location.service, namespace },
    // proxy_next_upstream is "error timeout" with three tries; a request that could have had an effect is not repeated.
    retries: {
      attempts: 2,
      on: ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'].includes(request.method) ? ['connect-failure', 'reset'] : ['connect-failure'],
    },
    count: (metrics, { status, method, durationMs }) => {
      const labels = {
        status: String(status),
        method,
        path: location.path,
        namespace,
        ingress: location.ingress.metadata.name,
        service: location.service,
        canary: other ? `${other.namespace}-${other.name}-${alternative.port}` : '',
        controller_class: 'k8s.io/ingress-nginx',
      };
      metrics.count('nginx_ingress_controller_requests', { ...labels, host: location.host });
      metrics.observe('nginx_ingress_controller_response_duration_seconds', labels, durationMs / 1000);
    },
  };
}

const destinationOf = ({ service, ingress }: IngressHostPath): Destination => ({
  name: service,
  namespace: ingress.metadata.namespace ?? '',
});

/** The first alternative of a location; further ones are listed and never used. A path to the location's own Service is not an alternative. */
function alternativeOf(location: IngressHostPath, canaries: readonly IngressHostPath[]): IngressHostPath | undefined {
  return canaries.find(
    ({ ingress, host, path, pathType, service }) =>
      host === location.host &&
      path === location.path &&
      pathType === location.pathType &&
      (service !== location.service || ingress.metadata.namespace !== location.ingress.metadata.namespace),
  );
}

/** Header before cookie before weight. */
function isForCanary(ingress: KubeObject, request: MeshRequest, random: () => number): boolean {
  const name = annotation(ingress, 'canary-by-header');
  const header = name ? headerOf(request, name) : undefined;
  if (header !== undefined) {
    const [value, pattern] = [annotation(ingress, 'canary-by-header-value'), annotation(ingress, 'canary-by-header-pattern')];
    if (value) {
      if (header === value) return true;
    } else if (pattern) {
      const found = search(pattern, header);
      if (found !== false) return found ?? false;
    } else if (header === 'always' || header === 'never') return header === 'always';
  }
  const cookie = annotation(ingress, 'canary-by-cookie');
  const asked = cookie ? ingressCookie(request.headers.cookie, cookie, 'in any case') : undefined;
  if (asked === 'always' || asked === 'never') return asked === 'always';
  return (
    random() * Math.max(100, Number(annotation(ingress, 'canary-weight-total')) || 100) <
    (Number(annotation(ingress, 'canary-weight')) || 0)
  );
}

/** Undefined for a pattern that cannot be used, which ends the matter for the main backend. */
function search(pattern: string, text: string): boolean | undefined {
  try {
    return new RegExp(pattern).test(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
