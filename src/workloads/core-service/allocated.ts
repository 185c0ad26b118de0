import { asService, type ServicePort, type ServiceSpec } from '../../api/kinds/service.ts';
import type { Slim } from '../../api/kube-object.ts';

/**
 * Fields that the API server or a cloud allocates once: a copy that repeats it is refused or takes an address away from the
 * target. `ClusterIP: None` is a wish, not an address, and stays.
 */
const ALLOCATED = new Set(['clusterIP', 'clusterIPs', 'healthCheckNodePort', 'loadBalancerIP', 'externalIPs']);

export const isAllocated = (field: string): boolean => ALLOCATED.has(field);

/** The fields of a Service's spec that its owner decides; unknown fields belong to them. */
export function decidedSpec(service: Slim): ServiceSpec {
  const spec = asService(service).spec ?? {};
  const kept = Object.fromEntries(Object.entries(spec).filter(([field]) => !isAllocated(field)));
  return {
    ...kept,
    ...(spec.clusterIP === 'None' ? { clusterIP: 'None' } : {}),
    ...(spec.ports ? { ports: spec.ports.map(withoutNodePort) } : {}),
  };
}

function withoutNodePort({ nodePort: _allocated, ...port }: ServicePort): ServicePort {
  return port;
}

/** The ports with the node ports that the server gave them before: by name, else by number and protocol. */
export function withNodePortsOf(current: readonly ServicePort[] | undefined, ports: readonly ServicePort[]): ServicePort[] {
  const keyOf = ({ port, protocol = 'TCP' }: ServicePort) => `${port}/${protocol}`;
  return ports.map((port) => {
    const before =
      current?.find(({ name }) => name !== undefined && name !== '' && name === port.name) ??
      current?.find((other) => keyOf(other) === keyOf(port));
    return before?.nodePort === undefined ? port : { ...port, nodePort: before.nodePort };
  });
}
