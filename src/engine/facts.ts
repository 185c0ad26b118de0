import type { BlockedObject, NewBlocker } from '../api/blocker.ts';
import type { Canary, Provider } from '../api/canary.ts';
import type { SeenConfig } from '../api/canary-status.ts';
import type { BlockerCode, Reason } from '../api/codes/codes.ts';
import type { ContainerImage } from '../api/container-image.ts';
import type { PodFailings } from '../api/pod-failing.ts';
import type { Readiness } from '../api/readiness.ts';
import type { Routes, UnreadableRoutes } from '../api/routes.ts';
import type { SeenRequest } from '../api/verb-request.ts';

/** How far a rollout has come, by what the cluster keeps of it. */
export interface Progress {
  /** When the workload's controller last reported another status. */
  lastMs: number;
  /** Available pods of the template that the workload has now, as far as they are known to be. */
  updated: number;
}

/** One side of a release, as the cluster shows it. */
export interface SideFacts {
  readiness: Readiness;
  /** At least one ready endpoint: it can answer a request now. */
  serving: boolean;
  /** `spec.replicas`. */
  replicas: number;
  /** Of a rollout that its controller reports on (E100). */
  progress?: Progress;
  /** Of its pod template; absent where it has none of its own. Shown, never decided on. */
  images?: readonly ContainerImage[];
}

/** Fields that distinguish one revision of the target from another. */
export interface Target {
  uid: string;
  generation: number;
  /** The count of templates that the kind keeps; absent where it keeps none. */
  rollout?: string;
  /** Template and configs together: what decides the pods. */
  revision: string;
  /** The revision of the template alone; absent where nothing else decides it. */
  template?: string;
  /** The configs that its pods read. Absent: none is tracked. */
  configs?: Readonly<Record<string, SeenConfig>>;
  /** Reason for which template or configs are not known now: `revision` is the recorded one, and nothing starts. */
  undetermined?: NewBlocker;
  /** Pods that exist or may be coming, ready or not; absent for kinds without. */
  pods?: number;
  /** How they fail; absent where they are not watched: then only time counts (E27b). */
  failing?: PodFailings;
}

/** Fewest and most pods that the scaler of one side keeps by its own wish. */
export interface ScalerLimits {
  min: number;
  max: number;
}

/** Knowledge of another controller's release without its hashes, which cannot be computed (02-15.4.35). */
export interface Adoption {
  /** The revision of the target that was compared. */
  target: string;
  /** The primary holds the target as it is now, rewritten. */
  equals: boolean;
  /** A revision that stands for what the primary holds; no target's, unless it is equal. */
  primaryRevision: string;
  /** The target was changed after the other controller had last written the status. */
  pushed: boolean;
}

/** Codes of refused specs: reason of the condition `Accepted` and of its event, too. */
export type RefusalCode = Extract<BlockerCode, Reason>;

/** An edit of the spec that cannot be run (E65). */
export interface RefusedEdit {
  reason: RefusalCode;
  /** In words that name the field. */
  message: string;
  /** The field to correct, where one decides it. */
  field?: string;
  /** The object that has it; absent: the Canary. */
  object?: BlockedObject;
  /** The spec accepted before it is not known, so that the canary cannot be checked: it has no traffic after this moment. */
  uncheckedUntilMs?: number;
}

/** Everything that the chart may know of the world at one moment. Gathered by the controller from watches; no call is made for it. */
export interface Facts {
  nowMs: number;
  /** While an edit of it is refused, as it was accepted before; or what is needed to route all traffic to the primary, where that is not known. */
  canary: Canary;
  refused?: RefusedEdit;
  provider: Provider;
  supports: { weights: boolean; mirroring: boolean; headerMatch: boolean; sessionAffinity: boolean };
  /** `analysis.interval` after the floor of `--min-analysis-interval`. */
  intervalMs: number;
  scaleDownDelayMs: number;
  /** Absent: the workload does not exist. `revision` is `s1:` and a SHA-256 of what decides its pods. */
  target?: SideFacts & Target;
  /** `carries`: the revision that it was written from (its `flagger-id`), when it is ours. */
  primary?: SideFacts & { carries?: string };
  /** Of a release that another controller has been running, where both sides are there. */
  adoption?: Adoption;
  /** The user's scaler as `kind/name`, and what it and the primary's keep; absent: none is named, or it does not exist. */
  scaler?: { name: string; target: ScalerLimits; primary: ScalerLimits };
  /** The routes that the objects in the cluster express; absent when there is none yet. */
  liveRoutes?: Routes | UnreadableRoutes;
  /** The cluster holds what `desiredStateOf()` asks for under the recorded status: every write was answered and none is pending. */
  converged: boolean;
  /** The traffic provider has not accepted the routes, and that alone keeps the cluster from having converged. */
  unconfirmed?: NewBlocker;
  /** Reason for which the cluster cannot be made to hold it (missing CRD, name taken …): no deadline counts meanwhile (E9). */
  blocker?: NewBlocker;
  /** Reason that keeps the router from sending a share to the canary, and since when that is known (E96). */
  unroutable?: NewBlocker & { sinceMs: number };
  /** The last request of a user, whether or not it was answered. */
  request?: SeenRequest;
  /** There is a receiver for the alerts of Canaries that name none. */
  globalAlerts?: boolean;
  /** There is a receiver for the events of Canaries without event webhooks. */
  globalEvents?: boolean;
  /** A random word for the cookies of this release; the chart uses it when it needs one. */
  cookieWord: string;
}
