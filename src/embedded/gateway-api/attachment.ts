import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ParentReference } from '../../api/service-spec.ts';

export interface GatewayListener {
  name: string;
  hostname?: string;
  port?: number;
  allowedRoutes?: {
    namespaces?: { from?: string; selector?: { matchLabels?: Record<string, string> } };
    kinds?: { group?: string; kind: string }[];
  };
}

export const GROUP = 'gateway.networking.k8s.io';
export const parentRefsOf = (route: KubeObject): ParentReference[] => specOf<{ parentRefs: ParentReference[] }>(route).parentRefs ?? [];
export const listenersOf = (gateway: KubeObject): GatewayListener[] => specOf<{ listeners: GatewayListener[] }>(gateway).listeners ?? [];
export const hostnamesOf = (route: KubeObject): string[] => specOf<{ hostnames: string[] }>(route).hostnames ?? [];

/** Without a namespace the reference means the route's. */
export function namesGateway(ref: ParentReference, route: KubeObject, gateway: KubeObject): boolean {
  const { name, namespace } = gateway.metadata;
  const isGateway = (ref.group ?? GROUP) === GROUP && (ref.kind ?? 'Gateway') === 'Gateway';
  return isGateway && ref.name === name && (ref.namespace ?? route.metadata.namespace) === namespace;
}

/** A Service as parent: traffic inside a mesh to that Service. Linkerd also takes the group `core`, which is the empty one's old name. */
export function namesService(ref: ParentReference): boolean {
  return (ref.group === '' || ref.group === 'core') && ref.kind === 'Service';
}

export type Attachment = { listeners: GatewayListener[] } | { refused: string; message: string };

/** The listeners that take a route by one of its references. Source: ParentReference and AllowedRoutes of the Gateway API. */
export function attachmentTo(gateway: KubeObject, route: KubeObject, ref: ParentReference): Attachment {
  const named = listenersOf(gateway).filter(
    (one) => (ref.sectionName === undefined || one.name === ref.sectionName) && (ref.port === undefined || one.port === ref.port),
  );
  if (named.length === 0) return { refused: 'NoMatchingParent', message: `no listener of ${gateway.metadata.name} is named so` };
  const allowing = named.filter((one) => allows(one, gateway, route));
  if (allowing.length === 0) return { refused: 'NotAllowedByListeners', message: `no listener takes a ${route.kind} of this namespace` };
  const listeners = allowing.filter((one) => hostnamesMeet(one.hostname, hostnamesOf(route)));
  if (listeners.length === 0) return { refused: 'NoMatchingListenerHostname', message: 'no listener serves one of its hostnames' };
  return { listeners };
}

function allows({ allowedRoutes = {} }: GatewayListener, gateway: KubeObject, route: KubeObject): boolean {
  const { namespaces, kinds = [] } = allowedRoutes;
  if (kinds.length > 0 && !kinds.some(({ kind }) => kind === route.kind)) return false;
  const { namespace } = route.metadata;
  switch (namespaces?.from ?? 'Same') {
    case 'All':
      return true;
    case 'Selector':
      // The one label that every namespace has.
      return namespaces?.selector?.matchLabels?.['kubernetes.io/metadata.name'] === namespace;
    default:
      return namespace === gateway.metadata.namespace;
  }
}

function hostnamesMeet(listener: string | undefined, hostnames: readonly string[]): boolean {
  return !listener || hostnames.length === 0 || hostnames.some((one) => coversHost(listener, one) || coversHost(one, listener));
}

/** `*.example.org` matches any name below it, of any depth, and not `example.org`. */
export function coversHost(pattern: string, host: string): boolean {
  return pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1);
}
