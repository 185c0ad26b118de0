import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { adoptAnnotation, names, ownerAnnotation } from '../api/names.ts';

/** Made by us for this Canary, or by the established controller for one of this name, or handed over by an annotation (03 B25). */
export function isOurs(canary: Canary, object: KubeObject): boolean {
  const { annotations, ownerReferences } = object.metadata;
  return (
    annotations?.[ownerAnnotation] === canary.metadata.uid ||
    annotations?.[adoptAnnotation] === 'true' ||
    // Made by the established controller, for a Canary of this name.
    (ownerReferences ?? []).some((owner) => owner.kind === 'Canary' && owner.name === canary.metadata.name) ||
    (ownerReferences ?? []).some((owner) => owner.kind === 'ControllerRevision' && owner.name === names(canary).anchor)
  );
}
