import type { Provider } from '../../../src/api/canary.ts';

export interface Upstream {
  /** Of test/golden; absent: there are none. */
  golden?: string;
  /** Of test/fixtures/published-crds; absent: its kinds are built in. */
  crds?: string;
}

const smi = { golden: 'smi', crds: 'smi' };
const gatewayApi = { golden: 'gateway-api', crds: 'gateway-api' };

/** Where the golden files and the published CRDs of each provider are. One that writes routing objects and is not here fails the suite. */
export const upstreams: Readonly<Partial<Record<Provider, Upstream>>> = {
  apisix: { golden: 'apisix', crds: 'apisix' },
  'appmesh:v1beta2': { golden: 'appmesh', crds: 'appmesh' },
  contour: { golden: 'contour', crds: 'contour' },
  'gatewayapi:v1': gatewayApi,
  'gatewayapi:v1beta1': gatewayApi,
  gloo: { golden: 'gloo', crds: 'gloo' },
  istio: { golden: 'istio', crds: 'istio' },
  knative: { crds: 'knative' },
  kuma: { golden: 'kuma', crds: 'kuma' },
  linkerd: smi,
  nginx: { golden: 'nginx' },
  osm: smi,
  skipper: { golden: 'skipper' },
  'smi:v1alpha1': smi,
  'smi:v1alpha2': smi,
  'smi:v1alpha3': smi,
  'smi:v1alpha4': smi,
  traefik: { golden: 'traefik', crds: 'traefik' },
};

/** Of App Mesh v1beta1 no CRD is published that Kubernetes takes since 1.22. */
export const withoutUpstream: readonly Provider[] = ['appmesh'];
