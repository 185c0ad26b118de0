import { adoptAnnotation } from '../api/adopt-annotation.ts';
import type { Canary } from '../api/canary.ts';
import type { ServiceSpec } from '../api/kinds/service.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject, Labels } from '../api/kube-object.ts';
import { carriedAnnotation, ownerAnnotation } from '../api/names.ts';

interface CarriedMetadata {
  on: 'annotations' | 'labels';
  /** Keys, and beginnings (`x/*`) or ends (`*.x`) of keys. */
  keys: readonly string[];
  /** The reader, and its use of the field. */
  read: string;
  source: string;
}

/**
 * Metadata of a Service by which clients, proxies and gateways treat requests to it. Traffic goes to the Services of the two sides, which therefore have the
 * same; nothing else of a Service is repeated: metadata for GitOps tools, DNS, load balancers and scrapers would make a second Service of theirs.
 */
export const carriedMetadata: readonly CarriedMetadata[] = [
  {
    on: 'annotations',
    keys: ['projectcontour.io/*'],
    read: 'Contour: protocol and circuit breakers of the upstream',
    source: 'https://projectcontour.io/docs/main/config/annotations/#contour-specific-service-annotations',
  },
  {
    on: 'annotations',
    keys: ['traefik.ingress.kubernetes.io/service.*'],
    read: 'Traefik: scheme, servers transport, host header, sticky cookie',
    source: 'https://doc.traefik.io/traefik/reference/routing-configuration/kubernetes/ingress/#on-service',
  },
  {
    on: 'annotations',
    keys: ['konghq.com/*', 'ingress.kubernetes.io/service-upstream'],
    read: 'Kong, as Ingress controller and for the Gateway API: protocol, timeouts, retries, plugins, upstream policy',
    source: 'https://developer.konghq.com/kubernetes-ingress-controller/reference/annotations/',
  },
  {
    on: 'annotations',
    keys: ['networking.istio.io/exportTo', 'networking.istio.io/traffic-distribution'],
    read: 'Istio: namespaces that see the Service, and preference for near endpoints',
    source: 'https://istio.io/latest/docs/reference/config/annotations/',
  },
  {
    on: 'labels',
    keys: ['istio.io/use-waypoint', 'istio.io/use-waypoint-namespace', 'istio.io/ingress-use-waypoint'],
    read: 'Istio, ambient mode: the waypoint that requests pass',
    source: 'https://istio.io/latest/docs/reference/config/labels/',
  },
  {
    on: 'annotations',
    keys: ['retry.linkerd.io/*', 'timeout.linkerd.io/*', 'balancer.linkerd.io/*', 'config.linkerd.io/opaque-ports'],
    read: 'Linkerd: retries, timeouts, circuit breaking, ports without protocol detection',
    source: 'https://linkerd.io/2/reference/retries/',
  },
  {
    on: 'annotations',
    keys: ['*.service.kuma.io/protocol'],
    read: 'Kuma: protocol of a port',
    source: 'https://kuma.io/docs/latest/policies/protocol-support-in-kuma/',
  },
  {
    on: 'annotations',
    keys: ['networking.gke.io/max-rate-per-endpoint'],
    read: 'GKE Gateway: capacity of the endpoints',
    source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/deploying-gateways',
  },
  {
    on: 'annotations',
    keys: ['service.kubernetes.io/topology-mode', 'service.kubernetes.io/topology-aware-hints'],
    read: 'Kubernetes: preference for endpoints of the own zone',
    source: 'https://kubernetes.io/docs/reference/labels-annotations-taints/',
  },
  {
    on: 'labels',
    keys: ['service.kubernetes.io/service-proxy-name'],
    read: 'kube-proxy: leaves the Service to another proxy',
    source: 'https://kubernetes.io/docs/reference/labels-annotations-taints/',
  },
];

/** Terms that the Service of a side has from the apex Service. */
export interface ServiceTerms {
  labels: Labels;
  annotations: Labels;
  /** Fields of its spec. */
  traffic: Partial<ServiceSpec>;
}

const NONE: ServiceTerms = { labels: {}, annotations: {}, traffic: {} };

/** By Serin or by Flagger. */
export function isMade({ metadata: { annotations, ownerReferences } }: KubeObject): boolean {
  return (
    annotations?.[ownerAnnotation] !== undefined || (ownerReferences ?? []).some(({ kind, controller }) => controller && kind === 'Canary')
  );
}

/** A Service that its user has made, also after it was handed to Serin by an annotation. */
export function isFoundInPlace(service: KubeObject | undefined): service is KubeObject {
  return service !== undefined && (!isMade(service) || service.metadata.annotations?.[adoptAnnotation] === 'true');
}

/**
 * The terms of an apex Service that was found in place, for the Service of one side. `current`: that Service. A mark names them, so that a term that the apex
 * Service has no longer is noticed, also if it was removed while Serin was down.
 */
export function termsFor(
  canary: Canary,
  role: 'primary' | 'canary',
  apex: KubeObject | undefined,
  current: KubeObject | undefined,
): ServiceTerms {
  const { labels, annotations, traffic } = isFoundInPlace(apex) ? termsOf(canary, role, apex) : NONE;
  const carried = [labels, annotations, traffic].flatMap(Object.keys).sort().join(' ');
  const isMarked = carried !== '' || current?.metadata.annotations?.[carriedAnnotation] !== undefined;
  return { labels, annotations: { ...annotations, ...(isMarked && { [carriedAnnotation]: carried }) }, traffic };
}

function termsOf(canary: Canary, role: 'primary' | 'canary', service: KubeObject): ServiceTerms {
  const isCarried = (on: CarriedMetadata['on'], key: string) =>
    carriedMetadata.some((one) => one.on === on && one.keys.some((pattern) => isLike(key, pattern)));
  const picked = (on: CarriedMetadata['on']): Labels =>
    Object.fromEntries(Object.entries(service.metadata[on] ?? {}).filter(([key]) => isCarried(on, key)));
  const { clientAffinity } = canary.spec.service;
  const { trafficDistribution, sessionAffinity, sessionAffinityConfig, internalTrafficPolicy } = specOf<ServiceSpec>(service);
  const keepsClients = sessionAffinity === 'ClientIP' && clientAffinity === undefined;
  return {
    labels: picked('labels'),
    annotations: picked('annotations'),
    traffic: {
      ...(trafficDistribution !== undefined && { trafficDistribution }),
      ...(keepsClients && { sessionAffinity, ...(sessionAffinityConfig && { sessionAffinityConfig }) }),
      // A canary has few pods: on most nodes its requests would be dropped.
      ...(internalTrafficPolicy === 'Local' && role === 'primary' && { internalTrafficPolicy }),
    },
  };
}

function isLike(key: string, pattern: string): boolean {
  if (pattern.endsWith('*')) return key.startsWith(pattern.slice(0, -1));
  return pattern.startsWith('*') ? key.endsWith(pattern.slice(1)) : key === pattern;
}
