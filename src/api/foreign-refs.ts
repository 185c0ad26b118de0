import type { Canary } from './canary.ts';

/** A reference to an object of another namespace, by the path of the field that names it (05-T23). */
export interface ForeignRef {
  path: string;
  namespace: string;
}

/** All of them, in the order of the spec. */
export function foreignRefs({ metadata, spec }: Pick<Canary, 'metadata' | 'spec'>): ForeignRef[] {
  const refs: [string, string | undefined][] = [
    ['spec.upstreamRef.namespace', spec.upstreamRef?.namespace],
    ...(spec.analysis.metrics ?? []).map((one, index): [string, string | undefined] => [
      `spec.analysis.metrics[${index}].templateRef.namespace`,
      one.templateRef?.namespace,
    ]),
    ...(spec.analysis.alerts ?? []).map((one, index): [string, string | undefined] => [
      `spec.analysis.alerts[${index}].providerRef.namespace`,
      one.providerRef.namespace,
    ]),
  ];
  const copies = (spec.service.mirror ?? []).map(({ backendRef }, index): [string, string | undefined] => [
    `spec.service.mirror[${index}].backendRef.namespace`,
    backendRef?.namespace,
  ]);
  return [...refs, ...copies].flatMap(([path, namespace]) => (namespace && namespace !== metadata.namespace ? [{ path, namespace }] : []));
}
