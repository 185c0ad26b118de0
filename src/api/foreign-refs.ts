import type { Canary } from './canary.ts';

/** A reference to an object of another namespace, by the path of the field that names it. */
export interface ForeignRef {
  path: string;
  namespace: string;
}

/** All of them, in the order of the spec. */
export function foreignRefs({ metadata, spec }: Pick<Canary, 'metadata' | 'spec'>): ForeignRef[] {
  const { metrics = [], alerts = [] } = spec.analysis;
  const refs = [
    { path: 'spec.upstreamRef', ref: spec.upstreamRef },
    ...metrics.map(({ templateRef: ref }, index) => ({ path: `spec.analysis.metrics[${index}].templateRef`, ref })),
    ...alerts.map(({ providerRef: ref }, index) => ({ path: `spec.analysis.alerts[${index}].providerRef`, ref })),
    ...(spec.service.mirror ?? []).map(({ backendRef: ref }, index) => ({ path: `spec.service.mirror[${index}].backendRef`, ref })),
  ];
  return refs.flatMap(({ path, ref: { namespace } = {} }) =>
    namespace && namespace !== metadata.namespace ? [{ path: `${path}.namespace`, namespace }] : [],
  );
}
