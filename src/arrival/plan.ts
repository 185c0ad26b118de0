import type { NewBlocker } from '../api/blocker.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import type { Companion } from '../workloads/companions/index.ts';
import type { UnreadKind } from './world.ts';

/** A function of the application that would stop at an arrival. */
export type LossKind = 'endpoints' | 'unweighted' | 'security' | 'availability' | 'scaling' | 'monitoring' | 'traffic';

/** An object that refers to the application and would stop to apply to it, or would begin to. It has the shape of a blocker, since a refusal becomes one. */
export interface Loss extends Pick<NewBlocker, 'field' | 'detail'> {
  code: 'EndpointsWouldBeLost' | 'PolicyWouldBeLost' | 'WouldBeLost';
  kind: LossKind;
  /** The Canary is refused unless its primary already serves; otherwise the loss is a warning. */
  isRefused: boolean;
  /** No release could continue, so that the user cannot accept it. */
  isFirm?: true;
  /** Only an edit of the Canary would cause it, also while its primary serves. */
  isNew?: true;
  /** The user accepts it, by the annotation on the object. */
  isAccepted?: true;
  object: ObjectRef;
  /** A clause: the broken rule. */
  detail: string;
  /** A clause: the action that avoids the loss. */
  remedy: string;
  /** The object that avoids the loss, ready for Git. */
  manifest?: KubeObject | undefined;
}

/** A Service whose selector follows that of the apex Service. */
export interface Follower {
  object: ObjectRef;
  /** It already leads to the primary. */
  isFollowing: boolean;
}

/** Writes and losses of an arrival. */
export interface ArrivalPlan {
  /** Objects that Serin makes, or whose selector it changes. */
  writes: readonly ObjectRef[];
  /** Objects that refer to the application now, and still will. */
  keeps: readonly ObjectRef[];
  follows: readonly Follower[];
  companions: readonly Companion[];
  /** Refused losses first. */
  losses: readonly Loss[];
  unchecked: readonly UnreadKind[];
}
