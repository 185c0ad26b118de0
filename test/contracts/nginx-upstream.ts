import type { KubeObject } from '../../src/api/kube-object.ts';
import { rootService, type SplitBackend, splitSpec, splitWeight } from '../../src/api/traffic-split.ts';
import { RoutingError } from '../../src/routers/routing-error.ts';

/** Facts of the cluster that the configuration needs. */
export interface NginxLook {
  /** Ports of a Service, `undefined` if it does not exist. */
  ports(service: string): readonly number[] | undefined;
  /** `host:port` of each endpoint of a Service's port. Empty if it has no endpoints. */
  addresses(service: string, port: number): readonly string[];
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const ADDRESS = /^[-a-zA-Z0-9.:[\]]+$/;

/**
 * A TrafficSplit as the `upstream` blocks of an nginx, one for each port of its root, as in the example implementation of the SMI specification: weights
 * reduced by their greatest common divisor. A backend without weight, such a port or endpoints is left out; a port over which nothing is left has no block.
 */
export function renderNginxUpstreams(split: KubeObject, look: NginxLook): { port: number; name: string; text: string }[] {
  const namespace = split.metadata.namespace ?? 'default';
  const { service, matches, backends } = splitSpec(split);
  const root = named(rootService(String(service ?? ''), namespace));
  if (matches?.length) throw new RoutingError('spec.matches cannot be expressed as nginx upstreams: leave the conditions out');
  return (look.ports(root) ?? []).flatMap((port) => {
    const servers = serversOf(backends ?? [], root, port, look);
    if (servers.length === 0) return [];
    const name = `${root.replaceAll('.', '_')}_${port}`;
    const lines = servers.map(({ address, weight }) => `  server ${address} weight=${weight};`);
    return [{ port, name, text: `upstream ${name} {\n${lines.join('\n')}\n}\n` }];
  });
}

function serversOf(backends: readonly SplitBackend[], root: string, port: number, look: NginxLook): { address: string; weight: number }[] {
  const weighed = backends.flatMap(({ service, weight: given }) => {
    if (named(service) === root) throw new RoutingError(`spec.backends has ${service}, the root itself: a split cannot refer to itself`);
    const weight = splitWeight(given ?? 0);
    if (weight === undefined) throw new RoutingError(`the weight of ${service} is ${JSON.stringify(given)}, which is none`);
    const addresses = look.ports(service)?.includes(port) ? look.addresses(service, port) : [];
    // nginx knows no weight of 0.
    return weight === 0 || addresses.length === 0 ? [] : [{ weight, addresses }];
  });
  // A backend's share is divided among its addresses, in whole numbers: over the product of their counts.
  const scale = weighed.reduce((product, { addresses }) => product * addresses.length, 1) * fraction(weighed.map(({ weight }) => weight));
  const whole = weighed.flatMap(({ weight, addresses }) =>
    addresses.map((address) => ({ address: addressed(address), weight: Math.round((weight * scale) / addresses.length) })),
  );
  const divisor = whole.reduce((all, { weight }) => greatestCommonDivisor(all, weight), 0);
  return whole.map(({ address, weight }) => ({ address, weight: weight / divisor }));
}

/** Factors that make quantities such as 100m whole numbers; n is the smallest unit. */
function fraction(weights: readonly number[]): number {
  for (let scale = 1; scale < 1e9; scale *= 10)
    if (weights.every((weight) => Number.isInteger(Number((weight * scale).toPrecision(12))))) return scale;
  return 1e9;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Nothing but names may get into a configuration. */
function named(service: string): string {
  if (!NAME.test(service)) throw new RoutingError(`${JSON.stringify(service)} is not a Service name`);
  return service;
}

function addressed(address: string): string {
  if (!ADDRESS.test(address)) throw new RoutingError(`${JSON.stringify(address)} is not an address`);
  return address;
}
