import type { Provider } from '../api/canary.ts';

export type Side = 'primary' | 'canary';

const BOTH: readonly Side[] = ['primary', 'canary'];
const NONE: readonly Side[] = [];

/** The sides to which requests go without passing the apex Service: by the routes of the provider to the Service of that side. */
const past = {
  apisix: BOTH,
  appmesh: BOTH,
  'appmesh:v1beta2': BOTH,
  contour: BOTH,
  'gatewayapi:v1': BOTH,
  'gatewayapi:v1beta1': BOTH,
  gloo: BOTH,
  istio: BOTH,
  // Revisions, which have Services of Knative's.
  knative: NONE,
  kubernetes: NONE,
  kuma: BOTH,
  linkerd: BOTH,
  // Your Ingress leads to the apex Service, and the copy beside it to the canary's.
  nginx: ['canary'],
  none: NONE,
  osm: BOTH,
  skipper: BOTH,
  'smi:v1alpha1': BOTH,
  'smi:v1alpha2': BOTH,
  'smi:v1alpha3': BOTH,
  'smi:v1alpha4': BOTH,
  traefik: BOTH,
} as const satisfies Record<Provider, readonly Side[]>;

/** What is attached to the apex Service by its name (a BackendTLSPolicy, a ServiceProfile) does not hold for these sides. */
export const routesPastApex = (provider: Provider): readonly Side[] => past[provider];
