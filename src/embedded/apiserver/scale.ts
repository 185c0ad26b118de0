import type { KubeObject } from '../../api/kube-object.ts';
import { clone, isRecord, type Json, type JsonObject, setAt, valueAtPath } from './json.ts';
import type { Resource } from './resources.ts';
import { kubectlSelectorText } from './selectors.ts';
import { badRequest, invalid, invalidValue } from './status.ts';

/** The scale subresource of an object. */
export function scaleOf(resource: Resource, object: KubeObject): JsonObject {
  const paths = resource.scale;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = valueAtPath(object, paths?.selector ?? '');
  const text = isRecord(selector) ? kubectlSelectorText(selector) : selector;
  const replicas = valueAtPath(object, paths?.spec ?? '');
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: {
      replicas: valueAtPath(object, paths?.status ?? '') ?? 0,
      ...(paths?.selector && typeof text === 'string' ? { selector: text } : {}),
    },
  };
}

/** The object with the replicas (and preconditions) of a scale that a client sent. */
export function withScale(resource: Resource, object: KubeObject, scale: Json): KubeObject {
  const replicas = scale?.spec?.replicas ?? 0;
  if (!Number.isInteger(replicas)) throw badRequest('Scale: spec.replicas must be an integer');
  if (replicas < 0)
    throw invalid({ kind: 'Scale', group: 'autoscaling' }, object.metadata.name, [
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  const next = clone(object);
  setAt(next, resource.scale?.spec ?? '', replicas);
  for (const field of ['resourceVersion', 'uid'] as const) {
    const given = scale?.metadata?.[field];
    if (given) next.metadata[field] = given;
    else delete next.metadata[field];
  }
  return next;
}
