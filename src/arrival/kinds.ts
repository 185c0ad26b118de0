import type { Provider } from '../api/canary.ts';
import { inNamespace, type Permission, rule } from '../api/permission.ts';
import { selectingKinds } from './selecting-kinds.ts';

/** A kind whose objects are read at an arrival. */
export interface ReadKind {
  group: string;
  /** The newest first; a cluster serves at most one of them. */
  versions: readonly string[];
  kind: string;
  /** Plural, as the API names it. */
  resource: string;
  /** Objects of other namespaces can also affect the application. */
  isOfAll?: boolean;
  /** Only Canaries of these providers need it, and their rules grant the rights. */
  providers?: readonly Provider[];
}

/** A kind matters to Canaries of this provider. If `provider` is undefined, it is not known, and all kinds count. */
export function isAbout({ providers }: ReadKind, provider: Provider | undefined): boolean {
  return providers === undefined || provider === undefined || providers.includes(provider);
}

const MATCHING: readonly Provider[] = ['smi:v1alpha3', 'smi:v1alpha4'];
const SPLITTING: readonly Provider[] = ['linkerd', 'osm', 'smi:v1alpha1', 'smi:v1alpha2', ...MATCHING];
const APP_MESH: readonly Provider[] = ['appmesh', 'appmesh:v1beta2'];

/** Workloads whose pods a selector can also select, objects that select pods, and objects that name a Service or workload. */
export const readKinds: readonly ReadKind[] = [
  { group: '', versions: ['v1'], kind: 'Service', resource: 'services' },
  { group: 'apps', versions: ['v1'], kind: 'Deployment', resource: 'deployments' },
  { group: 'apps', versions: ['v1'], kind: 'StatefulSet', resource: 'statefulsets' },
  { group: 'apps', versions: ['v1'], kind: 'DaemonSet', resource: 'daemonsets' },
  { group: 'batch', versions: ['v1'], kind: 'CronJob', resource: 'cronjobs' },
  { group: 'batch', versions: ['v1'], kind: 'Job', resource: 'jobs' },
  { group: 'autoscaling', versions: ['v2'], kind: 'HorizontalPodAutoscaler', resource: 'horizontalpodautoscalers' },
  { group: 'autoscaling.k8s.io', versions: ['v1'], kind: 'VerticalPodAutoscaler', resource: 'verticalpodautoscalers' },
  ...selectingKinds.map(({ group, versions, kind, resource }) => ({
    ...{ group, versions, kind, resource },
    ...(kind === 'NetworkPolicy' && { isOfAll: true as const }),
  })),
  { group: 'gateway.networking.k8s.io', versions: ['v1', 'v1alpha3'], kind: 'BackendTLSPolicy', resource: 'backendtlspolicies' },
  { group: 'gateway.networking.x-k8s.io', versions: ['v1alpha1'], kind: 'XBackendTrafficPolicy', resource: 'xbackendtrafficpolicies' },
  { group: 'gateway.envoyproxy.io', versions: ['v1alpha1'], kind: 'BackendTrafficPolicy', resource: 'backendtrafficpolicies' },
  { group: 'linkerd.io', versions: ['v1alpha2'], kind: 'ServiceProfile', resource: 'serviceprofiles' },
  {
    ...{ group: 'networking.istio.io', versions: ['v1', 'v1beta1'], kind: 'VirtualService', resource: 'virtualservices' },
    ...{ isOfAll: true, providers: ['istio'] },
  },
  {
    ...{ group: 'networking.istio.io', versions: ['v1', 'v1beta1'], kind: 'DestinationRule', resource: 'destinationrules' },
    ...{ isOfAll: true, providers: ['istio'] },
  },
  {
    ...{ group: 'gateway.networking.k8s.io', versions: ['v1', 'v1beta1'], kind: 'HTTPRoute', resource: 'httproutes' },
    ...{ isOfAll: true, providers: ['gatewayapi:v1', 'gatewayapi:v1beta1'] },
  },
  {
    ...{ group: 'gateway.networking.k8s.io', versions: ['v1'], kind: 'GRPCRoute', resource: 'grpcroutes' },
    ...{ isOfAll: true, providers: ['gatewayapi:v1'] },
  },
  // Policies that can be attached to one rule of a route.
  {
    ...{ group: 'gateway.envoyproxy.io', versions: ['v1alpha1'], kind: 'SecurityPolicy', resource: 'securitypolicies' },
    providers: ['gatewayapi:v1', 'gatewayapi:v1beta1'],
  },
  {
    ...{ group: 'gateway.envoyproxy.io', versions: ['v1alpha1'], kind: 'EnvoyExtensionPolicy', resource: 'envoyextensionpolicies' },
    providers: ['gatewayapi:v1', 'gatewayapi:v1beta1'],
  },
  {
    ...{ group: 'kuadrant.io', versions: ['v1'], kind: 'AuthPolicy', resource: 'authpolicies' },
    providers: ['gatewayapi:v1', 'gatewayapi:v1beta1'],
  },
  {
    ...{ group: 'kuadrant.io', versions: ['v1'], kind: 'RateLimitPolicy', resource: 'ratelimitpolicies' },
    providers: ['gatewayapi:v1', 'gatewayapi:v1beta1'],
  },
  {
    ...{ group: 'projectcontour.io', versions: ['v1'], kind: 'HTTPProxy', resource: 'httpproxies' },
    ...{ isOfAll: true, providers: ['contour'] },
  },
  { group: 'networking.k8s.io', versions: ['v1'], kind: 'Ingress', resource: 'ingresses', providers: ['nginx', 'skipper'] },
  { group: 'apisix.apache.org', versions: ['v2'], kind: 'ApisixRoute', resource: 'apisixroutes', providers: ['apisix'] },
  { group: 'traefik.io', versions: ['v1alpha1'], kind: 'TraefikService', resource: 'traefikservices', providers: ['traefik'] },
  { group: 'traefik.io', versions: ['v1alpha1'], kind: 'IngressRoute', resource: 'ingressroutes', providers: ['traefik'] },
  { group: 'gateway.solo.io', versions: ['v1'], kind: 'RouteTable', resource: 'routetables', providers: ['gloo'] },
  { group: 'gloo.solo.io', versions: ['v1'], kind: 'Upstream', resource: 'upstreams', providers: ['gloo'] },
  {
    ...{ group: 'split.smi-spec.io', versions: ['v1alpha4', 'v1alpha3', 'v1alpha2', 'v1alpha1'] },
    ...{ kind: 'TrafficSplit', resource: 'trafficsplits', providers: SPLITTING },
  },
  {
    ...{ group: 'specs.smi-spec.io', versions: ['v1alpha4', 'v1alpha3'] },
    ...{ kind: 'HTTPRouteGroup', resource: 'httproutegroups', providers: MATCHING },
  },
  { group: 'kuma.io', versions: ['v1alpha1'], kind: 'TrafficRoute', resource: 'trafficroutes', isOfAll: true, providers: ['kuma'] },
  {
    ...{ group: 'appmesh.k8s.aws', versions: ['v1beta2', 'v1beta1'] },
    ...{ kind: 'VirtualNode', resource: 'virtualnodes', providers: APP_MESH },
  },
  {
    ...{ group: 'appmesh.k8s.aws', versions: ['v1beta2', 'v1beta1'] },
    ...{ kind: 'VirtualService', resource: 'virtualservices', providers: APP_MESH },
  },
  { group: 'appmesh.k8s.aws', versions: ['v1beta2'], kind: 'VirtualRouter', resource: 'virtualrouters', providers: ['appmesh:v1beta2'] },
];

/** Kinds that are listed and watched in any case. */
const WATCHED: readonly string[] = ['Service', 'Deployment'];

/** One rule for each group. A right on a kind that is not installed grants nothing; without a right, the kind is reported as not checked. */
export const arrivalPermissions: readonly Permission[] = [
  ...Map.groupBy(
    readKinds.filter(({ kind, providers }) => !WATCHED.includes(kind) && providers === undefined),
    ({ group, isOfAll = false }) => `${group} ${isOfAll}`,
  ),
].map(([, kinds]) => {
  const listed = rule(
    kinds[0]?.group ?? '',
    kinds.map(({ resource }) => resource),
    ['list'],
    'what knows the application that a Canary arrives over; without it that is not checked',
  );
  return kinds[0]?.isOfAll ? listed : inNamespace(listed);
});
