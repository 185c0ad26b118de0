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
 * whose name the Canary gives to another port keeps its number under another name.
 */
export function discoverPorts(canary: Canary, target: Slim, apex: KubeObject | undefined): Port[] {
  const found = isFoundInPlace(apex) ? foundPorts(apex) : [];
  const main = mainPort(canary, found);
  const declared = canary.spec.service.portDiscovery ? containerPorts(target) : [];
  // A discovered port takes neither the number nor the name of a port that clients know.
  const [own, ...others] = withPorts(
    withPorts([main], found.map(named)),
    declared.filter((port) => port.targetPort !== main.targetPort && port.name !== main.targetPort),
  );
  return own === undefined ? [] : [others.length === 0 ? own : named(own), ...others];
}

type FoundPort = Partial<Port> & { port: number };

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
  const numberOf = ({ port, protocol }: Port) => `${port}/${protocol}`;
  const numbers = new Set(own.map(numberOf));
  const taken = new Set(own.map(({ name }) => name));
  for (const port of more) {
    // The API server refuses a second port of one number and protocol.
    if (numbers.has(numberOf(port))) continue;
    const added = taken.has(port.name) ? { ...port, name: fit(port.name, `-${port.port}-${port.protocol.toLowerCase()}`) } : port;
    ports.push(added);
    numbers.add(numberOf(added));
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
