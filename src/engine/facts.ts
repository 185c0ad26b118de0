import type { BlockedObject, NewBlocker } from '../api/blocker.ts';
import type { Canary, Provider } from '../api/canary.ts';
import type { SeenConfig } from '../api/canary-status.ts';
import type { BlockerCode, Reason } from '../api/codes/codes.ts';
import type { ContainerImage } from '../api/container-image.ts';
import type { PodFailing, PodFailings } from '../api/pod-failing.ts';
import type { Readiness } from '../api/readiness.ts';
import type { Routes, UnreadableRoutes } from '../api/routes.ts';
import type { SeenRequest } from '../api/verb-request.ts';

/** Progress of a rollout, as recorded in the cluster. */
export interface Progress {
  /** Time of the last changed status of the workload's controller. */
  lastMs: number;
  /** Available pods that are known to have the workload's present template. */
  updated: number;
}

/** One side of a release in the cluster. */
export interface SideFacts {
  readiness: Readiness;
  /** At least one ready endpoint: it can answer a request now. */
  serving: boolean;
  /** `spec.replicas`. */
  replicas: number;
  /** Set for a rollout that its controller reports on (E100). */
  progress?: Progress;
  /** The most telling problem of its pods, if they were read: those of a primary that is waited for too long. */
  problem?: PodFailing;
  /** Images of its pod template; absent if it has no template of its own. Shown, never decided on. */
  images?: readonly ContainerImage[];
}

/** Fields that distinguish one revision of the target from another. */
export interface TargetRevision {
  uid: string;
  generation: number;
  /** Counter of templates that the kind keeps; absent if it keeps none. */
  rollout?: string;
  /** Template and configs together, which decide the pods. */
  revision: string;
  /** The revision of only the template; absent if only the template decides. */
  template?: string;
  /** The configs that its pods read. Absent if none is tracked. */
  configs?: Readonly<Record<string, SeenConfig>>;
  /** Reason for which template or configs are not known now: `revision` is then the recorded one, and nothing starts. */
  undetermined?: NewBlocker;
  /** Pods that exist or could be starting, ready or not; absent for kinds without pods. */
  pods?: number;
  /** Failures of the pods; absent if they are not watched: then only time counts (E27b). */
  failing?: PodFailings;
}

/** Minimum and maximum of pods that the scaler of one side keeps by itself. */
export interface ScalerLimits {
  min: number;
  max: number;
}

/** Knowledge of another controller's release without its hashes, which cannot be computed. */
export interface Adoption {
  /** The revision of the target that was compared. */
  target: string;
  /** The primary has the rewritten template of the present target. */
  equals: boolean;
  /** A revision that identifies the state of the primary; no target has it, unless both are equal. */
  primaryRevision: string;
  /** The target was changed after the other controller's last write of the status. */
  pushed: boolean;
}

/** Codes of refused specs, also the reasons of the condition `Accepted` and of its event. */
export type RefusalCode = Extract<BlockerCode, Reason>;

/** An edit of the spec that cannot be run (E65). */
export interface RefusedEdit {
  reason: RefusalCode;
  /** Message that names the field. */
  message: string;
  /** The field to correct, if a single field decides. */
  field?: string;
  /** The object of the field; the Canary if absent. */
  object?: BlockedObject;
  /** The previously accepted spec is not known, so that the canary cannot be checked: it gets no traffic after this time. */
  uncheckedUntilMs?: number;
}

/** Everything that the chart can know of the world at one moment. The controller gathers it from watches, without a call. */
export interface Facts {
  nowMs: number;
  /** Time by which the clock of the process that wrote the status was behind ours, negative if it was ahead; absent if they are about the same (E144). */
  writerBehindMs?: number;
  /**
   * While an edit is refused, the Canary with the previously accepted spec; if that is not known, with the fields that are needed to route all traffic to the
   * primary.
   */
  canary: Canary;
  refused?: RefusedEdit;
  provider: Provider;
  supports: { weights: boolean; mirroring: boolean; headerMatch: boolean; sessionAffinity: boolean };
  /** `analysis.interval` after the floor of `--min-analysis-interval`. */
  intervalMs: number;
  scaleDownDelayMs: number;
  /** Absent if the workload does not exist. `revision` is `s1:` and a SHA-256 of the fields that decide its pods. */
  target?: SideFacts & TargetRevision;
  /** `carries`: the revision from which Serin wrote it (its `flagger-id`). */
  primary?: SideFacts & { carries?: string };
  /** Set for a release of another controller, if both sides exist. */
  adoption?: Adoption;
  /** The user's scaler as `kind/name`, with its limits and those of the primary's; absent if none is named or found. */
  scaler?: { name: string; target: ScalerLimits; primary: ScalerLimits };
  /** The routes that the objects in the cluster express; absent while no object exists. */
  liveRoutes?: Routes | UnreadableRoutes;
  /** The cluster has the state of `desiredStateOf()` under the recorded status: every write was answered and none is pending. */
  converged: boolean;
  /** The traffic provider has not accepted the routes, which is the only reason for which the cluster has not converged. */
  unconfirmed?: NewBlocker;
  /** Reason for which the cluster cannot reach that state (missing CRD, name taken …): no deadline counts meanwhile (E9). */
  blocker?: NewBlocker;
  /** Reason for which the router cannot send a weight to the canary, and the time since which that is known (E96). */
  unroutable?: NewBlocker & { sinceMs: number };
  /** The last request of a user, answered or not. */
  request?: SeenRequest;
  /** A receiver for the alerts of Canaries without alerts in their spec exists. */
  globalAlerts?: boolean;
  /** A receiver for the events of Canaries without event webhooks exists. */
  globalEvents?: boolean;
  /** A random word for the cookies of this release; the chart uses it when it needs one. */
  cookieWord: string;
}
