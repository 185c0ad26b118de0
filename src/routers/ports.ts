import type { Canary } from '../api/canary.ts';
import type { PodWorkloadSpec } from '../api/kinds/pod-workload-spec.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject, Slim } from '../api/kube-object.ts';
import type { Port } from '../api/ports.ts';

/** Containers that a mesh injects; their ports are none of the application's (03-SV6). */
const sidecars: readonly string[] = ['istio-proxy', 'envoy', 'linkerd-proxy'];
const MAX_NAME = 63;

/** The ports of the generated Services: the Canary's own first, then (portDiscovery) each container's, in their order (03-SV5–SV8, B22). */
export function discoverPorts(canary: Canary, target: Slim): Port[] {
  const main = mainPort(canary);
  const found = canary.spec.service.portDiscovery ? containerPorts(target) : [];
  return withPorts(
    [main],
    found.filter((port) => port.targetPort !== main.targetPort && port.name !== main.targetPort),
  );
}

/**
 * The ports of the apex Service where it was found in place: those that the Canary does not name stay, and so do their clients (I14). One whose
 * name is the Canary's keeps its number under another name.
 */
export function portsFoundInPlace(own: readonly Port[], service: KubeObject): Port[] {
  const { ports: found } = specOf<{ ports: (Partial<Port> & { port: number })[] }>(service);
  const complete = (port: Partial<Port> & { port: number }): Port => {
    const { name = '', protocol = 'TCP', targetPort = port.port } = port;
    const { nodePort: _, ...rest } = port as typeof port & { nodePort?: number };
    return { ...rest, name: name || `port-${port.port}-${protocol.toLowerCase()}`, protocol, targetPort };
  };
  return withPorts(own, (Array.isArray(found) ? found : []).map(complete));
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

function mainPort(canary: Canary): Port {
  const { port, portName, targetPort, appProtocol } = canary.spec.service;
  return {
    name: portName || 'http',
    port,
    targetPort: targetOf(targetPort) ?? port,
    protocol: 'TCP',
    ...(appProtocol ? { appProtocol } : {}),
  };
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
