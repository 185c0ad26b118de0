import type { Provider } from '../../../src/api/canary.ts';

export interface Upstream {
  /** Of test/golden; absent: there are none. */
  golden?: string;
  /** Of the published CRDs; absent: its kinds are built in. */
  crds?: string;
}

const smi = { golden: 'smi', crds: 'smi.yaml' };
const gatewayApi = { golden: 'gateway-api', crds: 'gateway-api.yaml' };

/** Where the golden files and the published CRDs of each provider are. One that writes routing objects and is not here fails the suite. */
export const upstreams: Readonly<Partial<Record<Provider, Upstream>>> = {
  apisix: { golden: 'apisix', crds: 'apisix.yaml' },
  'appmesh:v1beta2': { golden: 'appmesh', crds: 'appmesh.yaml' },
  contour: { golden: 'contour', crds: 'contour.yaml' },
  'gatewayapi:v1': gatewayApi,
  'gatewayapi:v1beta1': gatewayApi,
  gloo: { golden: 'gloo', crds: 'gloo.yaml' },
  istio: { golden: 'istio', crds: 'istio.yaml' },
  knative: { crds: 'knative.yaml' },
  kuma: { golden: 'kuma', crds: 'kuma.yaml' },
  linkerd: smi,
  nginx: { golden: 'nginx' },
  osm: smi,
  skipper: { golden: 'skipper' },
  'smi:v1alpha1': smi,
  'smi:v1alpha2': smi,
  'smi:v1alpha3': smi,
  'smi:v1alpha4': smi,
  traefik: { golden: 'traefik', crds: 'traefik.yaml' },
};

/** Of App Mesh v1beta1 no CRD is published that Kubernetes takes since 1.22. */
export const withoutUpstream: readonly Provider[] = ['appmesh'];
