import type { KubeObject } from '../../api/kube-object.ts';
import type { Destination } from './destination.ts';
import type { LaggedView } from './lagged-view.ts';

export interface Endpoint {
  ip: string;
  pod: string;
  namespace: string;
  /** Of the pod, where the destination names a port of its Service. */
  targetPort?: number;
}

interface SliceEndpoint {
  addresses: string[];
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  targetRef?: { name?: string; namespace?: string };
}

/**
 * The pods a proxy may send to: ready ones; for a plain Service without any, those that terminate and still serve,
 * as kube-proxy does (`fallback`). Undefined: the proxy knows no such Service.
 */
export function endpointsOf(view: LaggedView, destination: Destination, fallback: boolean): Endpoint[] | undefined {
  const { name, namespace, port } = destination;
  const service = view.get('Service', `${namespace}/${name}`);
  if (!service) return undefined;
  const all = slicesOf(view, destination).flatMap((slice) => {
    const targetPort = port === undefined ? undefined : targetPortOf(service, slice, port);
    // This Service has no such port, or these pods have none of that name.
    if (port !== undefined && targetPort === undefined) return [];
    return ((slice.endpoints ?? []) as SliceEndpoint[]).map((endpoint) => ({
      ...endpoint,
      ...(targetPort === undefined ? {} : { targetPort }),
    }));
  });
  // An absent `ready` means ready. Source: discovery.k8s.io/v1 EndpointConditions.
  const ready = all.filter(({ conditions }) => conditions?.ready !== false);
  const draining = all.filter(({ conditions }) => conditions?.serving && conditions.terminating);
  return (ready.length > 0 || !fallback ? ready : draining).flatMap(({ addresses, conditions: _, targetRef, ...at }) =>
    addresses.slice(0, 1).map((ip) => ({ ...at, ip, pod: targetRef?.name ?? '', namespace: targetRef?.namespace ?? namespace })),
  );
}

/** Whether a Service has any endpoint, ready or not. */
export function hasEndpoints(view: LaggedView, destination: Destination): boolean {
  return slicesOf(view, destination).some(({ endpoints }) => (endpoints ?? []).length > 0);
}

function slicesOf(view: LaggedView, { name, namespace }: Destination): KubeObject[] {
  return view
    .list('EndpointSlice')
    .filter((slice) => slice.metadata.namespace === namespace && slice.metadata.labels?.['kubernetes.io/service-name'] === name);
}

/** A slice names ports as its Service does, with the number that the pods have: each Service maps its own (T7). */
function targetPortOf(service: KubeObject, slice: KubeObject, port: number): number | undefined {
  const ports: { name?: string; port: number }[] = service.spec?.ports ?? [];
  const own = ports.find((each) => each.port === port);
  const mapped: { name?: string; port?: number }[] = slice.ports ?? [];
  return own && mapped.find((each) => (each.name ?? '') === (own.name ?? ''))?.port;
}
