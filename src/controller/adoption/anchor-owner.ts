import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { canaryNameOf, ownerAnnotation } from '../../api/names.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { withPriority } from '../../kube/with-priority.ts';
import { priorityOf } from '../watch/stored-priority.ts';

/** The part of a Canary by which its anchor is found. */
export interface AnchorOwner {
  metadata: Pick<Canary['metadata'], 'namespace' | 'uid'>;
}

/** The same with the name, from which the anchor's follows, and with the status if it is known. */
export type NamedOwner = AnchorOwner & { metadata: { name: string }; status?: Canary['status'] };

/** The Canary of an anchor, only by the anchor's metadata. */
export function anchorOwnerOf({
  metadata: { name, namespace = '', annotations },
}: KubeObject): AnchorOwner & { metadata: { name: string } } {
  return { metadata: { name: canaryNameOf(name), namespace, uid: annotations?.[ownerAnnotation] ?? '' } };
}

/** The uid is not enough: it might have been copied into the anchor of another namespace. */
export const ownerKey = ({ metadata: { namespace, uid } }: AnchorOwner): string => `${namespace}/${uid}`;

export function identity(anchor: KubeObject): { name: string; uid: string } {
  return { name: anchor.metadata.name, uid: anchor.metadata.uid ?? '' };
}

/** A client with the urgency of this Canary's other requests, if its status is known. */
export function atUrgencyOf({ status }: { status?: Canary['status'] }, cluster: Cluster): Cluster {
  return status === undefined ? cluster : withPriority(cluster, priorityOf(status));
}

/** True if nothing of this Canary was promoted yet, by its status. */
export function isFirst({ status }: Canary): boolean {
  return (status?.phase || 'Initializing') === 'Initializing' && status?.release?.promotedRevision === undefined;
}
