import type { Provider } from '../../../src/api/canary.ts';

export interface Upstream {
  /** Of test/golden; absent: there are none. */
  golden?: string;
  /** Of the published CRDs; absent: its kinds are built in. */
  crds?: string;
}

/** Where the golden files and the published CRDs of each provider are. One that has objects of its own and is not here fails the suite. */
export const upstreams: Readonly<Partial<Record<Provider, Upstream>>> = {
  istio: { golden: 'istio', crds: 'istio.yaml' },
  knative: { crds: 'knative.yaml' },
  linkerd: { golden: 'smi', crds: 'smi.yaml' },
  osm: { golden: 'smi', crds: 'smi.yaml' },
  'smi:v1alpha1': { golden: 'smi', crds: 'smi.yaml' },
  'smi:v1alpha2': { golden: 'smi', crds: 'smi.yaml' },
  'smi:v1alpha3': { golden: 'smi', crds: 'smi.yaml' },
  'smi:v1alpha4': { golden: 'smi', crds: 'smi.yaml' },
};
