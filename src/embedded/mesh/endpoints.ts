import { asEndpointSlice, type EndpointSlice } from '../../api/kinds/endpoint-slice.ts';
import { servicePorts } from '../../api/kinds/service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { LaggedView } from './lagged-view.ts';
import type { Destination } from './request.ts';

const HTTP = 80;

export interface Endpoint {
  ip: string;
  pod: string;
  namespace: string;
  /** Port of the pod, for the port of the Service; absent if the Service has none. */
  targetPort?: number;
}

/** One endpoint with all that its slice says of it. */
export interface EndpointSeen {
  endpoint: Endpoint;
  isReady: boolean;
  /** Terminating, and still answering. */
  isDraining: boolean;
  nodeName?: string;
  /** Where its requests should come from: names of zones and of nodes. */
  forZones: readonly string[];
  forNodes: readonly string[];
}

/** The ready pods, to which a mesh or an ingress sends; `undefined` if the proxy knows no such Service. */
export function endpointsOf(view: LaggedView, destination: Destination): readonly Endpoint[] | undefined {
  return view.once(`endpoints ${keyOf(destination)}`, () =>
    seenEndpoints(view, destination)?.flatMap(({ endpoint, isReady }) => (isReady ? endpoint : [])),
  );
}

/** Every pod of a Service, in any state; `undefined` if the proxy knows no such Service. */
export function seenEndpoints(view: LaggedView, destination: Destination): readonly EndpointSeen[] | undefined {
  return view.once(`seen ${keyOf(destination)}`, () => readEndpoints(view, destination));
}

const keyOf = ({ namespace, name, port }: Destination): string => `${namespace}/${name}:${port ?? ''}`;

function readEndpoints(view: LaggedView, destination: Destination): EndpointSeen[] | undefined {
  const { name, namespace, port } = destination;
  const service = view.get('Service', `${namespace}/${name}`);
  if (!service) return undefined;
  const asked = port ?? portOfHttp(service);
  return slicesOf(view, destination).flatMap((slice) => {
    const targetPort = asked === undefined ? undefined : targetPortOf(service, slice, asked);
    // This Service has no such port, or these pods have none of that name: a proxy then has nowhere to send to.
    if (asked !== undefined && targetPort === undefined) return [];
    const at = targetPort === undefined ? {} : { targetPort };
    return (slice.endpoints ?? []).flatMap(({ addresses = [], conditions, targetRef, nodeName, hints }) =>
      addresses.slice(0, 1).map((ip) => ({
        endpoint: { ...at, ip, pod: targetRef?.name ?? '', namespace: targetRef?.namespace ?? namespace },
        // An absent `ready` means ready. Source: discovery.k8s.io/v1 EndpointConditions.
        isReady: conditions?.ready !== false,
        isDraining: conditions?.serving === true && conditions.terminating === true,
        ...(nodeName !== undefined && { nodeName }),
        forZones: (hints?.forZones ?? []).map((zone) => zone.name),
        forNodes: (hints?.forNodes ?? []).map((node) => node.name),
      })),
    );
  });
}

/** Tests if a Service has any endpoint, ready or not. */
export function hasEndpoints(view: LaggedView, destination: Destination): boolean {
  return slicesOf(view, destination).some(({ endpoints }) => (endpoints ?? []).length > 0);
}

function slicesOf(view: LaggedView, { name, namespace }: Destination): EndpointSlice[] {
  return view
    .list('EndpointSlice')
    .filter((slice) => slice.metadata.namespace === namespace && slice.metadata.labels?.['kubernetes.io/service-name'] === name)
    .map(asEndpointSlice);
}

/** Port for a client that names none, `undefined` if the Service has no ports. */
function portOfHttp(service: KubeObject): number | undefined {
  const ports = servicePorts(service).map((each) => each.port);
  return ports.includes(HTTP) ? HTTP : ports[0];
}

/** A slice names ports as its Service does, with the number that the pods have: each Service maps its own. */
function targetPortOf(service: KubeObject, slice: EndpointSlice, port: number): number | undefined {
  const own = servicePorts(service).find((each) => each.port === port);
  const mapped = slice.ports ?? [];
  return own && mapped.find((each) => (each.name ?? '') === (own.name ?? ''))?.port;
}
