import type { Canary } from '../api/canary.ts';
import type { ObjectMeta, ObjectRef } from '../api/kube-object.ts';
import { fluxOff, names } from '../api/names.ts';
import { originalConfig, withoutSpecRecords } from '../api/tracking-metadata.ts';

/** The routing object of a kind under the apex name. */
export function refUnderApex(canary: Canary, apiVersion: string, kind: string): ObjectRef {
  return { apiVersion, kind, name: names(canary).apexService, namespace: canary.metadata.namespace };
}

/**
 * Metadata of a routing object under the apex name: `service.apex.{labels,annotations}` and the mark that keeps Flux from it. `original`: the spec of
 * an object found in place, as text.
 */
export function routingMetadata(canary: Canary, original: string | undefined): ObjectMeta {
  const { apex } = canary.spec.service;
  return {
    name: names(canary).apexService,
    namespace: canary.metadata.namespace,
    ...(apex?.labels ? { labels: { ...apex.labels } } : {}),
    annotations: {
      ...withoutSpecRecords(apex?.annotations),
      ...fluxOff,
      ...(original === undefined ? {} : { [originalConfig]: original }),
    },
  };
}
