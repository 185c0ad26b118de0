import { asService, type ServiceSpec } from '../../api/kinds/service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import { changeOf, type JsonPatchOperation, type PrimarySpec } from '../workload.ts';
import { isAllocated, withNodePortsOf } from './allocated.ts';

/** The promoted part of a Service: its revision, and its spec without allocated fields. */
export interface PromotedService extends PrimarySpec {
  revision: string;
  service: ServiceSpec;
}

/**
 * JSON patch that makes the primary Service route as the target does. Addresses, node ports, owners and foreign metadata are kept: they belong to the server,
 * the anchor and other writers. A headless Service cannot become another type, and the server rejects that.
 */
export function servicePromotionPatch(primary: KubeObject, spec: PrimarySpec): JsonPatchOperation[] {
  const { service, revision } = spec as PromotedService;
  const current = asService(primary).spec ?? {};
  const wanted: ServiceSpec = { ...service, ...(service.ports ? { ports: withNodePortsOf(current.ports, service.ports) } : {}) };
  const fields = [...new Set([...Object.keys(wanted), ...Object.keys(current)])].filter((field) => !isAllocated(field)).sort();
  const { annotations } = primary.metadata;
  const id = annotations
    ? changeOf(`/metadata/annotations/${revisionAnnotation}`, annotations[revisionAnnotation], revision)
    : changeOf('/metadata/annotations', undefined, { [revisionAnnotation]: revision });
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: primary.metadata.resourceVersion },
    ...id,
    ...fields.flatMap((field) => changeOf(`/spec/${field}`, current[field], wanted[field])),
  ];
}
