import { servicePorts } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { endpointsOf } from './endpoints.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { Destination } from './request.ts';

/** One entry of a route's `services`, of `weighted.services` or of `mirrors`. */
export interface TraefikRef {
  name: string;
  kind?: string;
  namespace?: string;
  port?: number | string;
  weight?: number;
  percent?: number;
}

interface TraefikService {
  weighted: { services?: Parameters<typeof weightedBalancer>[1] };
  mirroring: Parameters<typeof mirroringBalancer>[1];
}

export interface TraefikBackend {
  destination: Destination;
  port: string;
}
/** Services behind a reference: `pick` gives the answering service and the services that get a copy; `undefined` if no weight is above zero. */
export interface Balancer {
  pick(random: () => number): { main: TraefikBackend; mirrors: TraefikBackend[] } | undefined;
}

const DEEPEST = 10;

/**
 * `undefined` if Traefik builds no service: a Service without ready endpoints or without the port, an object that is not found or in another namespace. One
 * such entry takes the whole TraefikService along, with any weight. Source: traefik `pkg/provider/kubernetes/crd/kubernetes_http.go`, with `allowEmptyServices`
 * and `allowCrossNamespace` off as by default.
 */
export function buildBalancer(view: LaggedView, ref: TraefikRef, parentNamespace: string, depth = 0): Balancer | undefined {
  const namespace = ref.namespace || parentNamespace;
  if (namespace !== parentNamespace || depth > DEEPEST) return undefined;
  if ((ref.kind || 'Service') === 'Service') return serviceBalancer(view, { name: ref.name, namespace }, ref.port);
  if (ref.kind !== 'TraefikService') return undefined;
  const spec = specOf<TraefikService>(view.get('TraefikService', `${namespace}/${ref.name}`));
  if (spec.weighted) return weightedBalancer(view, spec.weighted.services ?? [], namespace, depth + 1);
  return spec.mirroring ? mirroringBalancer(view, spec.mirroring, namespace, depth + 1) : undefined;
}

function serviceBalancer(view: LaggedView, destination: Destination, port: number | string | undefined): Balancer | undefined {
  const ports = servicePorts(view.get('Service', `${destination.namespace}/${destination.name}`));
  const found = port === undefined ? ports.length === 1 : ports.some((one) => one.port === port || one.name === port);
  if (!found || !endpointsOf(view, destination)?.length) return undefined;
  const main = { destination, port: String(port ?? '') };
  return { pick: () => ({ main, mirrors: [] }) };
}

/** Undefined when one of the services cannot be built: Traefik then drops the whole TraefikService. */
export function weightedBalancer(view: LaggedView, refs: readonly TraefikRef[], namespace: string, depth = 0): Balancer | undefined {
  const entries = refs.map((ref) => ({ balancer: buildBalancer(view, ref, namespace, depth), weight: ref.weight ?? 1 }));
  if (entries.some(({ balancer }) => !balancer)) return undefined;
  return { pick: (random) => pickWeighted(entries, random)?.balancer?.pick(random) };
}

function mirroringBalancer(
  view: LaggedView,
  { mirrors = [], ...mainRef }: TraefikRef & { mirrors?: readonly TraefikRef[] },
  namespace: string,
  depth: number,
): Balancer | undefined {
  const main = buildBalancer(view, mainRef, namespace, depth);
  const copies = mirrors.map((ref) => ({ balancer: buildBalancer(view, ref, namespace, depth), percent: ref.percent ?? 0 }));
  if (!main || copies.some(({ balancer }) => !balancer)) return undefined;
  return {
    pick(random) {
      const picked = main.pick(random);
      const sent = copies.flatMap(({ balancer, percent }) => (random() * 100 < percent ? (balancer?.pick(random)?.main ?? []) : []));
      return picked && { main: picked.main, mirrors: [...picked.mirrors, ...sent] };
    },
  };
}
