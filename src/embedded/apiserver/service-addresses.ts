import { isIP } from 'node:net';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord, type Json, type JsonObject, type RawObject } from './json.ts';
import { portsOf } from './ports.ts';
import { externalCauses, isExternallyAccessible, trafficCauses } from './service-traffic.ts';
import { forbiddenValue, invalid, invalidValue, type StatusCause } from './status.ts';

/** Ports of the nodes that Services can have. Source: kube-apiserver, --service-node-port-range. */
const NODE_PORTS = { first: 30_000, last: 32_767 };
const addressed = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

/**
 * Hands out cluster IPs (10.96.0.0/16) and node ports, as an API server with one IPv4 range does. Nothing ever dials them: the mesh
 * routes by name.
 */
export class ServiceAddresses {
  #nextIp = 1;
  #nextPort = 0;

  /** Completes a Service in place, or refuses it. */
  admit(object: KubeObject, live: KubeObject | undefined): void {
    const { spec } = object;
    if (!isRecord(spec)) return;
    object.status ??= { loadBalancer: {} };
    dropUnused(spec, live);
    const causes =
      spec.type === 'ExternalName'
        ? externalCauses(spec)
        : [...familyCauses(spec), ...addressCauses(spec), ...nodePortCauses(spec), ...trafficCauses(spec)];
    if (causes.length > 0) throw invalid({ kind: 'Service', group: '' }, object.metadata.name, causes);
    if (spec.type === 'ExternalName') return;
    if (!spec.clusterIP) {
      this.#nextIp += 1;
      spec.clusterIP = `10.96.${Math.floor(this.#nextIp / 250)}.${(this.#nextIp % 250) + 1}`;
    }
    spec.clusterIPs ??= [spec.clusterIP];
    if (hasNodePorts(spec)) for (const port of portsOf(spec)) port.nodePort ??= keptPort(port, live) ?? this.#nodePort();
  }

  #nodePort(): number {
    this.#nextPort = (this.#nextPort + 1) % (NODE_PORTS.last - NODE_PORTS.first);
    return NODE_PORTS.first + this.#nextPort;
  }
}

const hasNodePorts = (spec: Json): boolean =>
  spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

const keptPort = ({ port, protocol }: JsonObject, live: KubeObject | undefined): number | undefined =>
  portsOf(live?.spec).find((each) => each.port === port && each.protocol === protocol)?.nodePort;

/** A change of type leaves what the new type cannot have, as long as the client did not touch it. */
function dropUnused(spec: JsonObject, live: RawObject | undefined): void {
  if (live === undefined) return;
  if (spec.type === 'ExternalName') for (const field of [...addressed, 'internalTrafficPolicy']) delete spec[field];
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') return;
  if (!isExternallyAccessible(spec) && spec.externalTrafficPolicy === live.spec?.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  for (const port of portsOf(spec)) if (port.nodePort === keptPort(port, live)) delete port.nodePort;
}

function familyCauses({ ipFamilyPolicy, ipFamilies, clusterIP, selector }: JsonObject): StatusCause[] {
  // A headless Service without a selector has endpoints that its owner writes: any families are valid.
  if (clusterIP === 'None' && Object.keys(selector ?? {}).length === 0) return [];
  const families: string[] = ipFamilies ?? [];
  const refused = (why: string): StatusCause[] => [invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, why)];
  if (families.length > 1 && ipFamilyPolicy === 'SingleStack')
    return refused("must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
  if (ipFamilyPolicy === 'RequireDualStack') return refused('this cluster is not configured for dual-stack services');
  return families.flatMap((family, index) =>
    family === 'IPv4' ? [] : [invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
  );
}

function addressCauses({ clusterIP, clusterIPs, type }: JsonObject): StatusCause[] {
  const given: string[] = clusterIPs ?? [];
  if (!clusterIP)
    return given.length > 0 ? [invalidValue('spec.clusterIPs', given, 'must be empty when `clusterIP` is not specified')] : [];
  if (given.length > 0 && given[0] !== clusterIP) return [invalidValue('spec.clusterIPs', given, 'first value must match `clusterIP`')];
  if (clusterIP === 'None')
    return type === 'ClusterIP' ? [] : [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
  if (isIP(clusterIP) === 0)
    return [invalidValue('spec.clusterIPs[0]', clusterIP, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  if (isIP(clusterIP) === 6) return [invalidValue('spec.clusterIPs[0]', [clusterIP], 'IPv6 is not configured on this cluster')];
  if (clusterIP.startsWith('10.96.')) return [];
  const why = `failed to allocate IP ${clusterIP}: the provided network does not match the current range`;
  return [invalidValue('spec.clusterIPs', [clusterIP], why)];
}

function nodePortCauses(spec: JsonObject): StatusCause[] {
  return portsOf(spec).flatMap(({ nodePort }, index) => {
    const field = `spec.ports[${index}].nodePort`;
    if (nodePort === undefined) return [];
    if (spec.type === 'ClusterIP') return [forbiddenValue(field, "may not be used when `type` is 'ClusterIP'")];
    if (nodePort >= NODE_PORTS.first && nodePort <= NODE_PORTS.last) return [];
    const why = `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`;
    return [invalidValue(field, nodePort, why)];
  });
}

/** A write that leaves the address out keeps it. */
export function keepClusterIp(next: KubeObject, live: RawObject): void {
  if (!isRecord(next.spec) || next.spec.type === 'ExternalName') return;
  if (!next.spec.clusterIP) next.spec.clusterIP = live.spec?.clusterIP;
  next.spec.clusterIPs ??= live.spec?.clusterIPs;
  for (const field of ['clusterIP', 'clusterIPs']) if (next.spec[field] === undefined) delete next.spec[field];
}
