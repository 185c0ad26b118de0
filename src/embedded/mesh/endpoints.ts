import type { KubeObject } from '../../api/kube-object.ts';
import type { Destination } from './destination.ts';
import type { LaggedView } from './lagged-view.ts';

export interface Endpoint {
  ip: string;
  pod: string;
  namespace: string;
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
export function endpointsOf(view: LaggedView, { name, namespace }: Destination, fallback: boolean): Endpoint[] | undefined {
  if (!view.get('Service', `${namespace}/${name}`)) return undefined;
  const all = view
    .list('EndpointSlice')
    .filter((slice: KubeObject) => slice.metadata.namespace === namespace && slice.metadata.labels?.['kubernetes.io/service-name'] === name)
    .flatMap((slice) => (slice.endpoints ?? []) as SliceEndpoint[]);
  // An absent `ready` means ready. Source: discovery.k8s.io/v1 EndpointConditions.
  const ready = all.filter(({ conditions }) => conditions?.ready !== false);
  const draining = all.filter(({ conditions }) => conditions?.serving && conditions.terminating);
  return (ready.length > 0 || !fallback ? ready : draining).flatMap(({ addresses, targetRef }) =>
    addresses.slice(0, 1).map((ip) => ({ ip, pod: targetRef?.name ?? '', namespace: targetRef?.namespace ?? namespace })),
  );
}
