import { asService } from '../../api/kinds/service.ts';
import type { ConnectionEnd } from '../network-policy/connection.ts';
import type { ClientAffinity } from './client-affinity.ts';
import { type Endpoint, type EndpointSeen, seenEndpoints } from './endpoints.ts';
import type { LaggedView } from './lagged-view.ts';
import type { Destination } from './request.ts';

/** Location of a proxy. */
export interface ProxyLocation {
  node: string;
  /** Empty if its node names none. */
  zone: string;
}

export interface Client {
  /** The same client has the same address. */
  address: string;
  /** It came by a node port or a load balancer. */
  isOutside: boolean;
  /** For network policies, by default only its address. */
  end?: ConnectionEnd;
}

const DEFAULT_AFFINITY_SECONDS = 10_800;

/**
 * The endpoints to which the proxy of a node can send a client's request for a plain Service, as kube-proxy chooses them; only the client's
 * own endpoint, if the client is kept there. `undefined` if the proxy knows no such Service. Source: kube-proxy `pkg/proxy/topology.go`, and the Kubernetes
 * documentation, "Virtual IPs and Service Proxies".
 */
export function serviceEndpoints(
  view: LaggedView,
  destination: Destination,
  place: ProxyLocation,
  client: Client,
  affinity: ClientAffinity,
): readonly Endpoint[] | undefined {
  const seen = seenEndpoints(view, destination);
  const { namespace, name } = destination;
  const service = view.get('Service', `${namespace}/${name}`);
  if (!seen || !service) return undefined;
  const { spec } = asService(service);
  if (client.isOutside && spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return [];
  const policy = client.isOutside ? spec.externalTrafficPolicy : spec.internalTrafficPolicy;
  const reachable = policy === 'Local' ? onNode(seen, place) : inCluster(seen, place);
  const endpoints = reachable.map(({ endpoint }) => endpoint);
  if (spec.sessionAffinity !== 'ClientIP') return endpoints;
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS;
  const kept = affinity.endpointOf(`${namespace}/${name}`, client.address, seconds * 1000);
  return endpoints.some(({ ip }) => ip === kept) ? endpoints.filter(({ ip }) => ip === kept) : endpoints;
}

/** The policy has no fallback: no endpoint on this node means none; hints are ignored, and terminating pods serve as long as they can. */
function onNode(seen: readonly EndpointSeen[], { node }: ProxyLocation): EndpointSeen[] {
  const here = seen.filter(({ nodeName }) => nodeName === node);
  const ready = here.filter(({ isReady }) => isReady);
  return ready.length > 0 ? ready : here.filter(({ isDraining }) => isDraining);
}

function inCluster(seen: readonly EndpointSeen[], place: ProxyLocation): EndpointSeen[] {
  const ready = seen.filter(({ isReady }) => isReady);
  // Not only the near ones: a terminating pod does not make its zone preferred.
  return ready.length > 0 ? nearest(ready, place) : seen.filter(({ isDraining }) => isDraining);
}

/** Hints count when every ready endpoint has one and one of them is for here: first those for the node, then those for the zone. */
function nearest(ready: EndpointSeen[], { node, zone }: ProxyLocation): EndpointSeen[] {
  const forNode = ready.filter(({ forNodes }) => forNodes.includes(node));
  if (forNode.length > 0 && ready.every(({ forNodes }) => forNodes.length > 0)) return forNode;
  const forZone = ready.filter(({ forZones }) => forZones.includes(zone));
  return forZone.length > 0 && ready.every(({ forZones }) => forZones.length > 0) ? forZone : ready;
}
