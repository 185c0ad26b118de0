import type { Provider } from '../api/canary.ts';
import type { Permission, Verb } from '../api/permission.ts';

const MADE: readonly Verb[] = ['get', 'list', 'watch', 'create', 'patch'];
const MADE_AND_REMOVED: readonly Verb[] = [...MADE, 'delete'];

/** Everything is watched, written by server-side apply, and read once when it is adopted or restored. */
function routes(group: string, resources: readonly string[], verbs: readonly Verb[] = MADE): Permission {
  return { group, resources, verbs, purpose: 'routes' };
}

const istio = [routes('networking.istio.io', ['virtualservices']), routes('networking.istio.io', ['destinationrules'], MADE_AND_REMOVED)];
const splits = routes('split.smi-spec.io', ['trafficsplits'], MADE_AND_REMOVED);
const smi = [splits, routes('specs.smi-spec.io', ['httproutegroups'], MADE_AND_REMOVED)];
const ingresses = [routes('networking.k8s.io', ['ingresses'], MADE_AND_REMOVED)];

/**
 * Permissions of each provider's router besides Services. A kind may be deleted where the router itself removes what it has made; what it leaves
 * behind for a while is collected with the anchor.
 */
export const routerPermissions: Readonly<Record<Provider, readonly Permission[]>> = {
  apisix: [routes('apisix.apache.org', ['apisixroutes'], MADE_AND_REMOVED)],
  appmesh: [routes('appmesh.k8s.aws', ['virtualnodes', 'virtualservices'], MADE_AND_REMOVED)],
  'appmesh:v1beta2': [routes('appmesh.k8s.aws', ['virtualnodes', 'virtualrouters', 'virtualservices'], MADE_AND_REMOVED)],
  contour: [routes('projectcontour.io', ['httpproxies'])],
  'gatewayapi:v1': [routes('gateway.networking.k8s.io', ['httproutes', 'grpcroutes'])],
  'gatewayapi:v1beta1': [routes('gateway.networking.k8s.io', ['httproutes'])],
  gloo: [routes('gateway.solo.io', ['routetables']), routes('gloo.solo.io', ['upstreams'])],
  istio,
  // The Service that is the target: its permissions are those of the workload.
  knative: [],
  kubernetes: [],
  kuma: [routes('kuma.io', ['trafficroutes'], MADE_AND_REMOVED)],
  linkerd: [splits],
  nginx: ingresses,
  none: [],
  osm: [splits],
  skipper: ingresses,
  'smi:v1alpha1': [splits],
  'smi:v1alpha2': [splits],
  'smi:v1alpha3': smi,
  'smi:v1alpha4': smi,
  traefik: [routes('traefik.io', ['traefikservices'], MADE_AND_REMOVED)],
};

/** The services of the core group that every provider has, the ones that traffic leaves by. */
export const servicePermissions: readonly Permission[] = [
  { group: '', resources: ['services'], verbs: MADE, purpose: 'the apex, primary and canary Services' },
];
