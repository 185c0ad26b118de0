import { asEndpointSlice, type EndpointSlice } from '../../api/kinds/endpoint-slice.ts';
import { asService } from '../../api/kinds/service.ts';
import type { KubeObject, ObjectRef, Slim } from '../../api/kube-object.ts';
import type { WatchedObjects } from '../workload.ts';

const SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' } as const;
const SERVICE_LABEL = 'kubernetes.io/service-name';

/** All EndpointSlices of a namespace: their names do not contain their Service. */
export const slicesOf = (namespace: string): ObjectRef => ({ ...SLICE, namespace, name: '' });

/** The Service of an EndpointSlice and the number of its ready endpoints: addresses change, and Serin does not call them. */
export function slimSlice(slice: KubeObject): Slim<EndpointSlice> {
  const endpoints = asEndpointSlice(slice).endpoints ?? [];
  const { name, namespace, resourceVersion, labels } = slice.metadata;
  const metadata = { name, ...(namespace && { namespace }), ...(resourceVersion && { resourceVersion }), ...(labels && { labels }) };
  // An absent `ready` is unknown, and counts as ready (EndpointSlice API).
  return { ...SLICE, metadata, ready: endpoints.filter(({ conditions }) => conditions?.ready !== false).length };
}

/**
 * Ready endpoints of a Service. Undefined if it has no slices, since it selects no pods or is a name for another host; then only its users know if it answers.
 */
export function readyEndpoints(service: Slim, watched: WatchedObjects): number | undefined {
  const { selector, type } = asService(service).spec ?? {};
  if (type === 'ExternalName' || !selector || Object.keys(selector).length === 0) return undefined;
  const { name, namespace } = service.metadata;
  return watched
    .all(SLICE)
    .map(({ object }) => asEndpointSlice(object))
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[SERVICE_LABEL] === name)
    .reduce((sum, { ready }) => sum + (ready ?? 0), 0);
}
