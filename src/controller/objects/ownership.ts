import { adoptAnnotation } from '../../api/adopt-annotation.ts';
import type { Canary } from '../../api/canary.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { madeForAnnotation, names, ownerAnnotation } from '../../api/names.ts';
import { isMeshKind } from '../../routers/mesh-kinds.ts';
import type { ControllerConfig } from '../config.ts';

/** Made by us for this Canary, or by Flagger for one of this name, or handed over by an annotation. */
export function isOurs(canary: Canary, object: KubeObject): boolean {
  const { annotations, ownerReferences } = object.metadata;
  return (
    annotations?.[ownerAnnotation] === canary.metadata.uid ||
    annotations?.[adoptAnnotation] === 'true' ||
    // Made by Flagger, for a Canary of this name.
    (ownerReferences ?? []).some((owner) => owner.kind === 'Canary' && owner.name === canary.metadata.name) ||
    (ownerReferences ?? []).some((owner) => owner.kind === 'ControllerRevision' && owner.name === names(canary).anchor)
  );
}

/** True for a route that we made for this Canary or for an earlier Canary of its apex: no garbage collector took it, or it was left to serve an edge. */
export function isOurRoute(canary: Canary, object: KubeObject, config: Pick<ControllerConfig, 'remoteRoutes'>): boolean {
  const { [ownerAnnotation]: mark, [madeForAnnotation]: madeFor } = object.metadata.annotations ?? {};
  const isLeft = !isCollected(refOf(object), config) || madeFor === apexKey(canary);
  return isOurs(canary, object) || (mark !== undefined && isLeft);
}

/** The value of `madeForAnnotation`: copied into another namespace it says nothing. */
export function apexKey(canary: Canary): string {
  return `${canary.metadata.namespace}/${names(canary).apexService}`;
}

/**
 * True if the garbage collector takes it along with the anchor: an object without a namespace, or in another cluster, can have no owner in a namespace of this
 * one.
 */
export function isCollected({ apiVersion, namespace }: ObjectRef, { remoteRoutes }: Pick<ControllerConfig, 'remoteRoutes'>): boolean {
  return namespace !== undefined && !(remoteRoutes && isMeshKind(apiVersion));
}
