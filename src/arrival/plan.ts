import type { NewBlocker } from '../api/blocker.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import type { Companion } from '../workloads/companions/index.ts';
import type { UnreadKind } from './world.ts';

/** What would stop to hold by an arrival. */
export type LossKind = 'endpoints' | 'unweighted' | 'security' | 'availability' | 'scaling' | 'monitoring' | 'traffic';

/** Something that knows the application and would stop to do so, or would begin to. It has the shape of a blocker, so that a refusal is one. */
export interface Loss extends Pick<NewBlocker, 'field' | 'detail'> {
  code: 'EndpointsWouldBeLost' | 'PolicyWouldBeLost' | 'WouldBeLost';
  kind: LossKind;
  /** The Canary is refused, where its primary does not serve yet; otherwise it is a warning. */
  isRefused: boolean;
  /** No release could go on: it is not the user's to accept. */
  isFirm?: true;
  /** Only an edit of the Canary would bring it about, also where its primary serves. */
  isNew?: true;
  /** The user accepts it, by the annotation on the object. */
  isAccepted?: true;
  object: ObjectRef;
  /** A clause: the rule that is broken. */
  detail: string;
  /** A clause: what to do about it. */
  remedy: string;
  /** The object that keeps it, ready for Git. */
  manifest?: KubeObject | undefined;
}

/** A Service whose selector follows that of the apex Service. */
export interface Follower {
  object: ObjectRef;
  /** It leads to the primary already. */
  isFollowing: boolean;
}

/** What an arrival does and costs. */
export interface ArrivalPlan {
  /** Objects that Serin makes, or whose selector it changes. */
  writes: readonly ObjectRef[];
  /** Objects that know the application now, and will. */
  keeps: readonly ObjectRef[];
  follows: readonly Follower[];
  companions: readonly Companion[];
  /** The refusals first. */
  losses: readonly Loss[];
  unchecked: readonly UnreadKind[];
}
