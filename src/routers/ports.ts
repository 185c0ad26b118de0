import type { Canary } from '../api/canary.ts';
import type { PodWorkloadSpec } from '../api/kinds/pod-workload-spec.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject, Slim } from '../api/kube-object.ts';
import { isFoundInPlace } from './service-terms.ts';

/** Containers that a mesh injects; their ports are not the application's. */
const sidecars: readonly string[] = ['istio-proxy', 'envoy', 'linkerd-proxy'];
const MAX_NAME = 63;
/** Flagger's name for a port without one. */
export const DEFAULT_NAME = 'http';

/**
 * The ports of all three Services: the Canary's own first, then the ports of an apex Service that was found in place, then (portDiscovery) each container's, in
 * their order. Its ports keep their names and protocols, ports that the Canary does not name stay, and so do their clients (I14, I17). A port
 * whose name the Canary gives to another port keeps its number under another name. `isLeft`: ports of that Service that an earlier spec of the Canary has added.
 */
export function discoverPorts(
  canary: Canary,
  target: Slim,
  apex: KubeObject | undefined,
  isLeft: (port: FoundPort) => boolean = () => false,
): Port[] {
  const declared = canary.spec.service.portDiscovery ? containerPorts(target) : [];
  const asked = new Set([canary.spec.service.port, ...declared.map(({ port }) => port)]);
  const found = isFoundInPlace(apex) ? foundPorts(apex).filter((one) => asked.has(one.port) || !isLeft(one)) : [];
  const main = mainPort(canary, found);
  // A discovered port takes neither the number nor the name of a port that clients know.
  const [own, ...others] = withPorts(
    withPorts([main], found.map(named)),
    declared.filter((port) => port.targetPort !== main.targetPort && port.name !== main.targetPort),
  );
  return own === undefined ? [] : [others.length === 0 ? own : named(own), ...others];
}

/** These ports, and others that the Services have: such a port keeps its number, and its name where that is free. */
export function withPortsOf(ports: readonly Port[], services: readonly KubeObject[], isKept: (port: FoundPort) => boolean): Port[] {
  const known = new Set(ports.map(portKey));
  const left = services.flatMap(foundPorts).filter((one) => !known.has(portKey(one)) && isKept(one));
  const [main, ...others] = withPorts(ports, left.map(named));
  return main === undefined ? [] : [others.length === 0 ? main : named(main), ...others];
}

/** Numbers and names of ports anywhere in the objects: under a field for a port, or at the end of Kuma's name of a Service. */
export function portsNamedIn(objects: readonly KubeObject[]): Set<number | string> {
  const found = new Set<number | string>();
  const collect = (value: unknown, isPort: boolean): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) collect(inner, isPort || /port/i.test(key));
    else if (isPort && (typeof value === 'number' || typeof value === 'string')) found.add(value);
    else if (typeof value === 'string' && /_svc_\d+$/.test(value)) found.add(Number(value.slice(value.lastIndexOf('_') + 1)));
  };
  for (const { spec } of objects) collect(spec, false);
  return found;
}

export type FoundPort = Partial<Port> & { port: number };

/** A Service has one port of a number and protocol. */
export const portKey = ({ port, protocol = 'TCP' }: { port: number; protocol?: unknown }): string => `${port}/${protocol}`;

function foundPorts(service: KubeObject): FoundPort[] {
  const { ports } = specOf<{ ports: FoundPort[] }>(service);
  return Array.isArray(ports) ? ports : [];
}

function named({ name, protocol = 'TCP', port, targetPort = port, ...rest }: FoundPort): Port {
  const { nodePort: _, ...kept } = rest as typeof rest & { nodePort?: number };
  return { ...kept, name: name || `port-${port}-${protocol.toLowerCase()}`, port, targetPort, protocol };
}

function withPorts(own: readonly Port[], more: readonly Port[]): Port[] {
  const ports = [...own];
  const numbers = new Set(own.map(portKey));
  const taken = new Set(own.map(({ name }) => name));
  for (const port of more) {
    // The API server refuses a second port of one number and protocol.
    if (numbers.has(portKey(port))) continue;
    const added = taken.has(port.name) ? { ...port, name: fit(port.name, `-${port.port}-${port.protocol.toLowerCase()}`) } : port;
    ports.push(added);
    numbers.add(portKey(added));
    taken.add(added.name);
  }
  return ports;
}

function mainPort(canary: Canary, found: readonly FoundPort[]): Port {
  const { port, portName, targetPort, appProtocol } = canary.spec.service;
  const before = found.find((one) => one.port === port && (one.protocol ?? 'TCP') === 'TCP');
  const isTaken = found.some((one) => one.name === DEFAULT_NAME);
  const unsaid = isTaken ? fit(DEFAULT_NAME, `-${port}-tcp`) : DEFAULT_NAME;
  // A port without a name has to be the only one.
  const name = portName || (before ? (before.name ?? '') : unsaid);
  const protocol = appProtocol || before?.appProtocol;
  return { name, port, targetPort: targetOf(targetPort) ?? port, protocol: 'TCP', ...(protocol ? { appProtocol: protocol } : {}) };
}

/** `0` and `"0"` are Flagger's spelling of unset; other digits in quotes can only mean the number. */
function targetOf(value: number | string | undefined): number | string | undefined {
  const target = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return target || undefined;
}

function containerPorts(target: Slim): Port[] {
  const containers = specOf<PodWorkloadSpec>(target).template?.spec?.containers;
  if (!Array.isArray(containers)) return [];
  return containers
    .filter((container) => !sidecars.includes(container.name))
    .flatMap((container) =>
      (Array.isArray(container.ports) ? container.ports : []).map(
        (port: { name?: string; containerPort: number; protocol?: string }, index: number) => {
          const protocol = port.protocol ?? 'TCP';
          return {
            name: port.name || fit(`${protocol.toLowerCase()}-${container.name}`, `-${index}`),
            port: port.containerPort,
            targetPort: port.containerPort,
            protocol,
          };
        },
      ),
    );
}

function fit(text: string, ending: string): string {
  return text.slice(0, MAX_NAME - ending.length) + ending;
}

/** One port of the generated Services. `targetPort` is a number or a container port's name. */
export interface Port {
  name: string;
  port: number;
  targetPort: number | string;
  protocol: string;
  appProtocol?: string;
}
