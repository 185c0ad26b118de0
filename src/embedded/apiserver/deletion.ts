import type { KubeObject } from '../../api/kube-object.ts';
import type { RawObject } from './json.ts';
import type { Resource } from './resources.ts';
import { conflict } from './status.ts';
import type { DeleteOptions } from './write-context.ts';

/** Refuses when the caller meant another object or version. */
export function checkPreconditions(resource: Resource, live: KubeObject, options: DeleteOptions): void {
  const { name } = live.metadata;
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (uid !== undefined && uid !== live.metadata.uid)
    throw conflict(resource, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`);
  if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion)
    throw conflict(
      resource,
      name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${live.metadata.resourceVersion}`,
    );
}

/** Bound pods end gracefully: the kubelet deletes them with grace 0. Everything else goes at once. */
export function graceSeconds(resource: Resource, live: RawObject, options: DeleteOptions): number {
  if (resource.storeKey !== '/pods' || !live.spec?.nodeName || ['Succeeded', 'Failed'].includes(live.status?.phase)) return 0;
  return options.gracePeriodSeconds ?? live.spec?.terminationGracePeriodSeconds ?? 30;
}

/** Nothing holds the object back: it can leave the store. */
export function isFinished(object: RawObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return false;
  if (object.kind === 'Pod' && object.spec?.nodeName && Number(object.metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !(object.kind === 'Namespace' && object.apiVersion === 'v1' && (object.spec?.finalizers ?? []).length > 0);
}

/** The finalizers that the propagation policy leaves or sets. */
export function deletionFinalizers(resource: Resource, live: KubeObject, options: DeleteOptions): string[] {
  const policy =
    options.propagationPolicy ?? (options.orphanDependents === undefined ? undefined : options.orphanDependents ? 'Orphan' : 'Background');
  const now = live.metadata.finalizers ?? [];
  const kept = policy === undefined ? now : now.filter((name) => name !== 'foregroundDeletion' && name !== 'orphan');
  if (policy === 'Foreground') return [...kept, 'foregroundDeletion'];
  if (policy === 'Orphan') return [...kept, 'orphan'];
  if (resource.storeKey === 'apiextensions.k8s.io/customresourcedefinitions' && live.metadata.deletionTimestamp === undefined)
    return [...new Set([...kept, 'customresourcecleanup.apiextensions.k8s.io'])];
  return kept;
}
