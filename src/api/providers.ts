/** Features that a traffic provider can express. */
export interface Capabilities {
  /** Weights in percent of requests. */
  weights: boolean;
  /** Copies of requests whose responses are discarded. */
  mirroring: boolean;
  /** A condition on request headers, for A/B releases. */
  headerMatch: boolean;
  /** Cookies that keep a user on one side. */
  sessionAffinity: boolean;
}

/** Fields of `spec` that only some providers read. */
export const providerFields = [
  'ingressRef',
  'routeRef',
  'upstreamRef',
  'service.gateways',
  'service.gatewayRefs',
  'service.hosts',
  'service.delegation',
  'service.trafficPolicy',
  'service.match',
  'service.rewrite',
  'service.headers',
  'service.corsPolicy',
  'service.mirror',
  'service.timeout',
  'service.backendTimeout',
  'service.retries',
  'service.meshName',
  'service.backends',
] as const;
export type ProviderField = (typeof providerFields)[number];

/** Facts of a traffic provider that decide whether a Canary is valid. Its code is its folder in `src/routers`. */
export interface ProviderFacts {
  can: Capabilities;
  /** The others have no effect. */
  reads: readonly ProviderField[];
  /** The field that a route needs, and the way to set it. */
  requires?: { field: ProviderField; remedy: string };
  /** Kinds of routes of the user's that it splits in place, and that `spec.routeRefs` may name. */
  splits?: readonly { group: string; kind: string }[];
  /** Fields of `spec.service` in its routes: a text or time that cannot be used there is an error; in other fields it has no effect. */
  writes: 'nothing' | 'texts' | 'texts and times';
  /** The built-in queries can be run for the primary. Queries by Service or route find nothing under a workload's name. */
  measuresPrimary: 'always' | 'never' | 'unless the target is a Service';
  /** Set where the built-in queries count both sides of a split together: the reason. */
  countsBothSides?: string;
  /** Set if the upstream project has ended: what happened, and where to migrate. Serin still writes its routes, and tests them only by rendering. */
  ended?: string;
}

const nothing: Capabilities = { weights: false, mirroring: false, headerMatch: false, sessionAffinity: false };
const weightsOnly: Capabilities = { ...nothing, weights: true };
const withMatch: Capabilities = { ...weightsOnly, headerMatch: true };
const everything: Capabilities = { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true };

const requiresIngress = { field: 'ingressRef', remedy: 'name the Ingress of the application' } as const;

const appmesh: ProviderFacts = {
  can: withMatch,
  reads: ['service.match', 'service.timeout', 'service.retries', 'service.meshName', 'service.backends'],
  writes: 'texts and times',
  measuresPrimary: 'always',
  ended:
    'AWS has ended App Mesh (September 2026): move to another mesh, such as istio, linkerd, or gatewayapi:v1 with the Amazon VPC Lattice controller',
};
const gatewayapi: ProviderFacts = {
  can: everything,
  reads: [
    ...(['service.gatewayRefs', 'service.hosts', 'service.match', 'service.rewrite', 'service.headers'] as const),
    ...(['service.corsPolicy', 'service.mirror', 'service.timeout', 'service.backendTimeout'] as const),
  ],
  requires: { field: 'service.gatewayRefs', remedy: 'name the Gateway or the Service that the route belongs to' },
  writes: 'texts and times',
  measuresPrimary: 'always',
};
const gatewayGroup = 'gateway.networking.k8s.io';
const services: ProviderFacts = { can: nothing, reads: [], writes: 'nothing', measuresPrimary: 'always' };
const smi: ProviderFacts = {
  can: weightsOnly,
  reads: ['service.gateways', 'service.hosts'],
  writes: 'texts',
  measuresPrimary: 'unless the target is a Service',
};

/**
 * Every value of `spec.provider`. A strategy that is a hazard with Flagger counts as absent from `can`. SMI v1alpha3 and v1alpha4 match
 * by an HTTPRouteGroup, which Flagger does not write.
 */
export const providerFacts = {
  apisix: {
    can: withMatch,
    reads: ['routeRef'],
    requires: { field: 'routeRef', remedy: 'name the ApisixRoute of the application' },
    writes: 'nothing',
    measuresPrimary: 'never',
    countsBothSides: 'APISIX counts both sides as one route',
  },
  appmesh: { ...appmesh, requires: { field: 'service.meshName', remedy: 'name the mesh' } },
  'appmesh:v1beta2': appmesh,
  contour: {
    can: { ...withMatch, mirroring: true },
    splits: [{ group: 'projectcontour.io', kind: 'HTTPProxy' }],
    reads: ['service.match', 'service.timeout', 'service.retries'],
    writes: 'texts and times',
    measuresPrimary: 'never',
  },
  'gatewayapi:v1': {
    ...gatewayapi,
    splits: [
      { group: gatewayGroup, kind: 'HTTPRoute' },
      { group: gatewayGroup, kind: 'GRPCRoute' },
    ],
  },
  'gatewayapi:v1beta1': { ...gatewayapi, splits: [{ group: gatewayGroup, kind: 'HTTPRoute' }] },
  gloo: { can: everything, reads: ['upstreamRef'], writes: 'texts and times', measuresPrimary: 'never' },
  istio: {
    can: everything,
    splits: [{ group: 'networking.istio.io', kind: 'VirtualService' }],
    reads: [
      ...(['service.gateways', 'service.hosts', 'service.delegation', 'service.trafficPolicy', 'service.match'] as const),
      ...(['service.rewrite', 'service.headers', 'service.corsPolicy', 'service.timeout', 'service.retries'] as const),
    ],
    writes: 'texts and times',
    measuresPrimary: 'unless the target is a Service',
  },
  knative: { can: weightsOnly, reads: [], writes: 'nothing', measuresPrimary: 'never' },
  kubernetes: services,
  kuma: {
    can: weightsOnly,
    reads: [],
    writes: 'nothing',
    measuresPrimary: 'never',
    ended: 'Kuma has taken TrafficRoute out: move to gatewayapi:v1, which Kuma serves too',
  },
  linkerd: smi,
  nginx: { can: withMatch, reads: ['ingressRef'], requires: requiresIngress, writes: 'nothing', measuresPrimary: 'never' },
  none: services,
  osm: {
    ...smi,
    measuresPrimary: 'always',
    ended: 'Open Service Mesh is archived: move to a mesh that is kept up, such as istio, linkerd or gatewayapi:v1',
  },
  skipper: { can: withMatch, reads: ['ingressRef'], requires: requiresIngress, writes: 'nothing', measuresPrimary: 'never' },
  'smi:v1alpha1': smi,
  'smi:v1alpha2': smi,
  'smi:v1alpha3': { ...smi, can: withMatch },
  'smi:v1alpha4': { ...smi, can: withMatch },
  traefik: { can: { ...weightsOnly, mirroring: true }, reads: [], writes: 'nothing', measuresPrimary: 'never' },
} satisfies Record<string, ProviderFacts>;

export type ProviderName = keyof typeof providerFacts;
export const providers = Object.keys(providerFacts) as readonly ProviderName[];

export const factsOf = (provider: ProviderName): ProviderFacts => providerFacts[provider];
