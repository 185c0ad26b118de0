import type { Canary, Provider } from './canary.ts';

/** Features of a traffic provider, as its router's `supports` has them. */
export interface Capabilities {
  /** A share of requests by percent. */
  weights: boolean;
  /** Copies of requests whose answers are thrown away. */
  mirroring: boolean;
  /** A condition on request headers, for A/B releases. */
  headerMatch: boolean;
  /** Cookies that keep a user on one side. */
  sessionAffinity: boolean;
}

const nothing: Capabilities = { weights: false, mirroring: false, headerMatch: false, sessionAffinity: false };
const weightsOnly: Capabilities = { ...nothing, weights: true };
const withMatch: Capabilities = { ...weightsOnly, headerMatch: true };
const everything: Capabilities = { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true };

/**
 * Source: 04-5, the table of strategies by provider; what is a hazard there counts as absent here. Where there is a
 * router, its `supports` is the truth, and the contract suite compares the two: SMI v1alpha3 and v1alpha4 match by an HTTPRouteGroup
 * (04-4.3), which Flagger does not write.
 */
export const providerCapabilities: Readonly<Record<Provider, Capabilities>> = {
  apisix: withMatch,
  appmesh: withMatch,
  'appmesh:v1beta2': withMatch,
  contour: { ...withMatch, mirroring: true },
  'gatewayapi:v1': everything,
  'gatewayapi:v1beta1': everything,
  gloo: everything,
  istio: everything,
  knative: weightsOnly,
  kubernetes: nothing,
  kuma: weightsOnly,
  linkerd: weightsOnly,
  nginx: withMatch,
  none: nothing,
  osm: weightsOnly,
  skipper: withMatch,
  'smi:v1alpha1': weightsOnly,
  'smi:v1alpha2': weightsOnly,
  'smi:v1alpha3': withMatch,
  'smi:v1alpha4': withMatch,
  traefik: { ...weightsOnly, mirroring: true },
};

type Specified = Pick<Canary, 'spec'>;

/** Istio's TCP routes have weights only. */
export const isIstioTcp = ({ spec: { service } }: Specified, provider: Provider): boolean =>
  provider === 'istio' && service.appProtocol?.toLowerCase() === 'tcp';

/** Capabilities of a provider that this spec leaves in force. */
export function capabilitiesFor(canary: Specified, provider: Provider, can: Capabilities = providerCapabilities[provider]): Capabilities {
  return isIstioTcp(canary, provider) ? { ...nothing, weights: can.weights } : can;
}

/** The analysis chooses the users of the canary by conditions; with weights alone, `match` narrows the weights where that is possible. */
export const choosesUsers = ({ spec: { analysis } }: Specified): boolean =>
  (analysis.match?.length ?? 0) > 0 && (analysis.iterations ?? 0) > 0;

/** A stage of copied requests comes before the first weight. With iterations, copies are an extra. */
export const beginsMirrored = ({ spec: { analysis } }: Specified): boolean => analysis.mirror === true && (analysis.iterations ?? 0) <= 0;
