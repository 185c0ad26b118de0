import type { Canary } from '../api/canary.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { adoptAnnotation, names, ownerAnnotation } from '../api/names.ts';

/** Made by us for this Canary, or by the established controller for one of this name, or handed over by an annotation (03 B25). */
export function isOurs(canary: Canary, object: KubeObject): boolean {
  const { annotations, ownerReferences } = object.metadata;
  return (
    isMarked(canary, object) ||
    annotations?.[adoptAnnotation] === 'true' ||
    // Made by the established controller, for a Canary of this name.
    (ownerReferences ?? []).some((owner) => owner.kind === 'Canary' && owner.name === canary.metadata.name) ||
    (ownerReferences ?? []).some((owner) => owner.kind === 'ControllerRevision' && owner.name === names(canary).anchor)
  );
}

/** Made by us for this Canary. */
export function isMarked(canary: Canary, { metadata }: KubeObject): boolean {
  return metadata.annotations?.[ownerAnnotation] === canary.metadata.uid;
}

/** Whether the garbage collector takes it along with the anchor: what belongs to no namespace can have no owner in one. */
export function isCollected({ namespace }: ObjectRef): boolean {
  return namespace !== undefined;
}
