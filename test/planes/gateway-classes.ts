import type { KubeObject } from '../../src/api/kube-object.ts';

/** istiod does not become ready without the definition, though these scenarios have no GatewayClass. */
export const gatewayClasses: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'gatewayclasses.gateway.networking.k8s.io',
    // The API server requires it of every definition of this group.
    annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/gateway-api/pull/2997' },
  },
  spec: {
    group: 'gateway.networking.k8s.io',
    scope: 'Cluster',
    names: { kind: 'GatewayClass', listKind: 'GatewayClassList', plural: 'gatewayclasses', singular: 'gatewayclass' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
