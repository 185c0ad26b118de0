import type { Canary } from '../api/canary.ts';
import type { ContainerPort } from '../api/kinds/pod-template.ts';
import type { PodWorkloadSpec } from '../api/kinds/pod-workload-spec.ts';
import type { ServicePort, ServiceSpec } from '../api/kinds/service.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject, Slim } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { DEFAULT_NAME, discoverPorts, type Port } from './ports.ts';
import { type CurrentServices, headlessChange, isMade } from './services.ts';

/** Known facts about the Services of a Canary and of the pods that they are to lead to. */
export interface ServiceFacts {
  /** The primary, or until it exists the target. */
  pods?: Slim | undefined;
  current: CurrentServices;
  /** Ready endpoints of the apex Service. If they are unknown, it counts as serving. */
  endpoints?: Endpoints | undefined;
}

/** Ready endpoints that can be reached by a port, and the names of those ports. */
export interface Endpoints {
  ready: number;
  ports: readonly string[];
}

/** A field of a Canary that cannot be carried out, and why. */
export interface UnfitService {
  path: string;
  message: string;
}

const PROTOCOL = 'TCP';

/**
 * Reason for which a Service that clients call would lose its endpoints by the Canary's spec (I14). A number that no container declares is legal in Kubernetes:
 * it is refused only if a Service that serves would be moved to it and the containers declare others.
 */
export function unfitService(canary: Canary, look: ServiceFacts): UnfitService | undefined {
  const { apex } = look.current;
  const headless = Object.values(look.current).flatMap((service) => headlessChange(canary, service) ?? []);
  if (headless[0] !== undefined) return { path: 'spec.service.headless', message: headless[0] };
  return (apex && unfitKind(apex, look.endpoints)) ?? (look.pods && unfitPort(canary, look.pods, apex, look.endpoints));
}

/** Tests if fitness shows only in the endpoints of the apex Service. */
export function hasHandmadeEndpoints({ apex }: CurrentServices): boolean {
  if (apex === undefined || isMade(apex)) return false;
  const { type, selector } = specOf<ServiceSpec>(apex);
  return type !== 'ExternalName' && Object.keys(selector ?? {}).length === 0;
}

function unfitKind(apex: KubeObject, endpoints: Endpoints | undefined): UnfitService | undefined {
  const { name } = apex.metadata;
  const remedy = 'delete it, or give spec.service.name another name';
  const { type, externalName } = specOf<ServiceSpec>(apex);
  if (type === 'ExternalName') {
    const message = `Service ${name} is of type ExternalName and leads to ${externalName}, not to pods: ${remedy}`;
    return { path: 'spec.service.name', message };
  }
  if (!hasHandmadeEndpoints({ apex }) || (endpoints?.ready ?? 0) === 0) return undefined;
  const message = `Service ${name} has no selector, and its endpoints, which another manager writes, are serving: ${remedy}`;
  return { path: 'spec.service.name', message };
}

function unfitPort(canary: Canary, pods: Slim, apex: KubeObject | undefined, endpoints: Endpoints | undefined): UnfitService | undefined {
  const [main] = discoverPorts(canary, pods, apex);
  if (!main) return undefined;
  const declared = declaredPorts(pods);
  const live = records(specOf<ServiceSpec>(apex).ports).filter((one): one is ServicePort => typeof one.port === 'number');
  const wanted = numberOf(main, declared);
  if (wanted === undefined) {
    // A sidecar that is injected into the pods can have it: then the Service leads to it already.
    const proven = live.find(({ targetPort, protocol = PROTOCOL }) => targetPort === main.targetPort && protocol === PROTOCOL);
    if (proven && endpoints && endpoints.ready > 0 && endpoints.ports.includes(proven.name ?? '')) return undefined;
    return { path: 'spec.service.targetPort', message: lacks(canary, main, pods, declared) };
  }
  if (!apex || endpoints?.ready === 0) return undefined;
  const sameNumber = live.find(({ port, protocol = PROTOCOL }) => port === main.port && protocol === PROTOCOL);
  const { portName } = canary.spec.service;
  const sameName = live.find(({ name, protocol = PROTOCOL }) => name === (portName || DEFAULT_NAME) && protocol === PROTOCOL);
  const before = sameNumber ?? sameName;
  const led = before && numberOf(before, declared);
  if (before === undefined || led === undefined || led === wanted) return undefined;
  const tcp = declared.filter(({ protocol = PROTOCOL }) => protocol === PROTOCOL);
  const { name } = apex.metadata;
  if (tcp.length > 0 && !tcp.some(({ containerPort }) => containerPort === wanted)) {
    const message = `port ${before.port} of Service ${name} leads to ${led}, and would lead to ${wanted}, which no container of ${whose(pods)} declares: set it to ${led}, or to one of ${listed(tcp)}`;
    return { path: 'spec.service.targetPort', message };
  }
  // Without a name of its own it takes no other port's.
  if (sameNumber || !portName || isMade(apex)) return undefined;
  const message = `port ${main.name} of Service ${name} is ${before.port} and leads to ${led}, and would be ${main.port} and lead to ${wanted}: give the port of the Canary another name, or the targetPort ${led}`;
  return { path: 'spec.service.portName', message };
}

/** The container port that a port of a Service leads to, `undefined` if its pods have none of that name. */
function numberOf(
  { port, targetPort = port, protocol = PROTOCOL }: Pick<ServicePort, 'port' | 'targetPort' | 'protocol'>,
  declared: readonly ContainerPort[],
): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  return declared.find((one) => one.name === targetPort && (one.protocol ?? PROTOCOL) === protocol)?.containerPort;
}

/** Tests if pods of this template have the port that the Services lead to. A number is not known to be wrong. */
export function hasMainPort(canary: Canary, pods: Slim): boolean {
  const [main] = discoverPorts(canary, pods, undefined);
  return main === undefined || numberOf(main, declaredPorts(pods)) !== undefined;
}

/** Reason for which pods of this template cannot be reached, and the remedy. */
export function lacksMainPort(canary: Canary, pods: Slim): UnfitService | undefined {
  const [main] = discoverPorts(canary, pods, undefined);
  if (main === undefined || hasMainPort(canary, pods)) return undefined;
  return { path: 'spec.service.targetPort', message: lacks(canary, main, pods, declaredPorts(pods)) };
}

function lacks(canary: Canary, { targetPort }: Port, pods: Slim, declared: readonly ContainerPort[]): string {
  const namesake = declared.find(({ name }) => name === targetPort);
  const isPrimary = pods.metadata.name === names(canary).primary;
  const renamed = isPrimary ? ', which serves; a number holds before and after a port is renamed' : '';
  const has = declared.length === 0 ? 'they declare none' : `they declare ${listed(declared)}`;
  if (namesake) {
    const { containerPort, protocol } = namesake;
    return `port "${targetPort}" of ${whose(pods)} is ${containerPort}/${protocol}, and the Services lead to TCP ports: name a TCP port, or use its number (${has})`;
  }
  return `no container of ${whose(pods)} has a port named "${targetPort}": use the name or number of a port that they have, or name the port there (${has}${renamed})`;
}

const whose = ({ kind, metadata }: Slim): string => `${kind} ${metadata.name}`;

function listed(ports: readonly ContainerPort[]): string {
  return ports.map(({ name, containerPort, protocol = PROTOCOL }) => `${name ? `${name} ` : ''}${containerPort}/${protocol}`).join(', ');
}

/** In the order in which Kubernetes looks a name up: native sidecars come last. Any part of a manifest can be wrong. */
function declaredPorts(pods: Slim): ContainerPort[] {
  const { containers, initContainers } = specOf<PodWorkloadSpec>(pods).template?.spec ?? {};
  const sidecars = records(initContainers).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...records(containers), ...sidecars].flatMap(({ ports }) =>
    records(ports).filter((port): port is ContainerPort => typeof port.containerPort === 'number'),
  );
}

function records(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
}
