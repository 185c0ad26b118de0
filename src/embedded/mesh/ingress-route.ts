import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { oncePerObject } from '../../base/once.ts';
import { definition } from '../definition.ts';
import type { Metrics } from './exposition.ts';
import type { LaggedView } from './lagged-view.ts';
import type { MeshRequest } from './request.ts';
import { PLAIN_ROUTE, type ResolvedRoute } from './resolved-route.ts';
import { type RouteChoice, type RouteResolver, refuseWith } from './resolver.ts';
import { parseRule, type TraefikRule } from './traefik-rule.ts';
import { type Balancer, buildBalancer, type TraefikBackend, type TraefikRef, weightedBalancer } from './traefik-service.ts';
import { type MeshAnswer, SECONDS } from './traffic-metrics.ts';

const LABELS = ['code', 'method', 'protocol', 'service'];

interface IngressRouteRule {
  match?: string;
  priority?: number;
  services?: TraefikRef[];
}

/** Traefik: IngressRoutes, of those hosts that they name, over TraefikServices and Services. */
export const ingressRoute: RouteResolver = {
  providers: ['traefik'],
  definitions: () => [
    definition('traefik.io', 'TraefikService', 'traefikservices', ['v1alpha1']),
    definition('traefik.io', 'IngressRoute', 'ingressroutes', ['v1alpha1']),
  ],
  series: { traefik_service_requests_total: LABELS, traefik_service_request_duration_seconds: LABELS },
  kinds: ['IngressRoute', 'TraefikService'].map((kind) => ({ apiVersion: 'traefik.io/v1alpha1', kind })),
  histograms: { traefik_service_request_duration_seconds: SECONDS },
  resolve: routeByIngressRoute,
};

/** The router with the highest priority that matches and could be built; undefined for a host that no IngressRoute names. */
export function routeByIngressRoute(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const rules = view.list('IngressRoute').flatMap(rulesOf);
  if (!rules.some(({ hosts }) => hosts.includes(request.host.text.toLowerCase()))) return undefined;
  const matching = rules.filter(({ matches }) => matches(request)).toSorted((a, b) => b.priority - a.priority);
  for (const { namespace, services } of matching) {
    const balancer = balancerOf(view, services, namespace);
    if (!balancer) continue;
    return (random) => {
      const picked = balancer.pick(random);
      return picked ? routeTo(picked) : { status: 503, reason: 'no service has a weight' };
    };
  }
  return refuseWith({ status: 404, reason: 'no router of Traefik matches' });
}

interface ParsedRule extends TraefikRule {
  namespace: string;
  services: readonly TraefikRef[];
  priority: number;
}
/** Every request goes through all rules: they are read once for each version of an object. */
const rulesOf = oncePerObject((route: KubeObject): ParsedRule[] => {
  const namespace = route.metadata.namespace ?? '';
  return (specOf<{ routes: IngressRouteRule[] }>(route).routes ?? []).flatMap(({ match = '', priority, services = [] }) => {
    const rule = parseRule(match);
    // The length of a rule is its priority unless it has one of its own.
    return rule ? [{ ...rule, namespace, services, priority: priority || match.length }] : [];
  });
});

function balancerOf(view: LaggedView, services: readonly TraefikRef[], namespace: string): Balancer | undefined {
  const [only, ...others] = services;
  if (!only) return undefined;
  return others.length === 0 ? buildBalancer(view, only, namespace) : weightedBalancer(view, services, namespace);
}

function routeTo({ main, mirrors }: { main: TraefikBackend; mirrors: readonly TraefikBackend[] }): ResolvedRoute {
  return {
    ...PLAIN_ROUTE,
    via: 'TraefikService',
    destination: main.destination,
    mirrors: mirrors.map(({ destination }) => destination),
    count(metrics, answered) {
      const backend = [main, ...mirrors].find(({ destination }) => destination === answered.destination);
      if (backend) countAnswer(metrics, backend, answered);
    },
  };
}

/** One service of Traefik's own names for each Service and port, whichever objects led to it. */
function countAnswer(metrics: Metrics, { destination, port }: TraefikBackend, { status, method, durationMs }: MeshAnswer): void {
  const name = [destination.namespace, destination.name, port].filter((part) => part !== '').join('-');
  const labels = { code: String(status), method, protocol: 'http', service: `${name.replace(/[^\p{L}\p{N}]+/gu, '-')}@kubernetescrd` };
  metrics.count('traefik_service_requests_total', labels);
  metrics.observe('traefik_service_request_duration_seconds', labels, durationMs / 1000);
}
