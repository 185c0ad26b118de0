import type { KubeObject } from '../api/kube-object.ts';

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
/** APISIX's own CRD merges rules by their names: an apply leaves in each what others have put there. */
const rulesByName = {
  ...open,
  properties: {
    http: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { ...open, required: ['name'], properties: { name: { type: 'string' } } },
    },
  },
};

/** The routing kinds that the embedded mesh honours, as CRDs without a schema of their own: what is in them is the mesh's to judge. */
export function routingCrds(): KubeObject[] {
  return [
    crd('gateway.networking.k8s.io', 'Gateway', 'gateways', ['v1', 'v1beta1']),
    crd('gateway.networking.k8s.io', 'HTTPRoute', 'httproutes', ['v1', 'v1beta1']),
    crd('gateway.networking.k8s.io', 'GRPCRoute', 'grpcroutes', ['v1']),
    crd('gateway.networking.k8s.io', 'ReferenceGrant', 'referencegrants', ['v1beta1', 'v1']),
    crd('networking.istio.io', 'VirtualService', 'virtualservices', ['v1beta1', 'v1alpha3', 'v1']),
    crd('networking.istio.io', 'DestinationRule', 'destinationrules', ['v1beta1', 'v1alpha3', 'v1']),
    crd('split.smi-spec.io', 'TrafficSplit', 'trafficsplits', ['v1alpha2', 'v1alpha1', 'v1alpha3', 'v1alpha4']),
    crd('gateway.solo.io', 'VirtualService', 'virtualservices', ['v1']),
    crd('gateway.solo.io', 'RouteTable', 'routetables', ['v1']),
    crd('gloo.solo.io', 'Upstream', 'upstreams', ['v1']),
    crd('projectcontour.io', 'HTTPProxy', 'httpproxies', ['v1']),
    crd('traefik.io', 'TraefikService', 'traefikservices', ['v1alpha1']),
    crd('traefik.io', 'IngressRoute', 'ingressroutes', ['v1alpha1']),
    crd('apisix.apache.org', 'ApisixRoute', 'apisixroutes', ['v2'], rulesByName),
    crd('specs.smi-spec.io', 'HTTPRouteGroup', 'httproutegroups', ['v1alpha4', 'v1alpha3', 'v1alpha2', 'v1alpha1']),
  ];
}

/** Those of Knative, whose Services are routes and targets in one. */
export const kedaCrds = (): KubeObject[] => [crd('keda.sh', 'ScaledObject', 'scaledobjects', ['v1alpha1'])];

export function knativeCrds(): KubeObject[] {
  const group = 'serving.knative.dev';
  return [
    crd(group, 'Service', 'services', ['v1'], open, ['kservice', 'ksvc']),
    crd(group, 'Revision', 'revisions', ['v1'], open, ['rev']),
  ];
}

function crd(
  group: string,
  kind: string,
  plural: string,
  versions: readonly string[],
  spec: object = open,
  shortNames: readonly string[] = [],
): KubeObject {
  const schema = { openAPIV3Schema: { ...open, properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, ...(shortNames.length > 0 && { shortNames }) },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema, subresources: { status: {} } })),
    },
  };
}
