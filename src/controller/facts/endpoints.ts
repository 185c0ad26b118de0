import { asEndpointSlice } from '../../api/kinds/endpoint-slice.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import type { Endpoints } from '../../routers/service-fit.ts';

const SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' } as const;

/** Endpoints with the addresses and container ports by which they are reached. */
export type Reach = Endpoints & { addresses: readonly string[]; numbers: readonly number[] };

export const slicesOfService = ({ metadata: { name, namespace } }: KubeObject) => ({
  kind: { ...SLICE, ...(namespace !== undefined && { namespace }) },
  selection: { labelSelector: `kubernetes.io/service-name=${name}` },
});

/** Endpoints that can answer under a Service now. `undefined` if reading them is forbidden. */
export async function readEndpoints(cluster: Pick<Cluster, 'list'>, service: KubeObject, signal: AbortSignal): Promise<Reach | undefined> {
  const { kind, selection } = slicesOfService(service);
  try {
    const { items } = await cluster.list(kind, { ...selection, signal });
    return endpointsIn(items);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

/** A slice without ports can be reached by none, however ready its pods are. An absent `ready` is unknown, and counts as ready. */
export function endpointsIn(slices: readonly KubeObject[]): Reach {
  const ready = slices.flatMap((slice) => {
    const { ports, endpoints } = asEndpointSlice(slice);
    if (!ports?.length) return [];
    return (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).map(({ addresses = [] }) => ({ addresses, ports }));
  });
  const ports = ready.flatMap((one) => one.ports);
  return {
    ready: ready.length,
    ports: [...new Set(ports.map(({ name = '' }) => name))],
    addresses: ready.flatMap(({ addresses }) => addresses),
    numbers: [...new Set(ports.flatMap(({ port }) => port ?? []))],
  };
}
