import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** Fewest and most pods that a scaler keeps. */
export interface ReplicaLimits {
  min: number;
  max: number;
}

/** A JSON merge patch of one object, with the resourceVersion that it was computed from. */
export type MergePatch = { metadata: { resourceVersion?: string; annotations?: Record<string, string | null> }; spec?: object };

export interface RenderedScaler {
  /** Without owner references: the caller adds the anchor. */
  object: KubeObject;
  /** For the operator: why the primary may scale otherwise than it looks. */
  warnings: readonly string[];
}

/**
 * A kind of autoscaler that a Canary can name in `spec.autoscalerRef`. The user's own scaler goes on scaling the target; a copy of it,
 * `<a>-primary`, scales the primary (03-6). Every verb is pure and works on raw objects, so that fields of newer versions survive.
 */
export interface Scaler {
  readonly apiVersion: string;
  readonly kind: string;
  /** The minimum that the user's scaler asks for: one that we have raised for a release does not count. */
  limits(scaler: KubeObject): ReplicaLimits;
  /** Pods that a target at zero is raised to, 03-W36 (3): what the scaler would keep at least. */
  startReplicas(scaler: KubeObject): number;
  /** The primary's scaler made from the user's; `atLeast` raises its minimum within its maximum. */
  renderPrimary(canary: Canary, scaler: KubeObject, options?: { atLeast?: number | undefined }): RenderedScaler;
  /** The primary's scaler as the last promotion made it, by its own note; undefined: it has none, of an earlier version of Serin. */
  renderKept(canary: Canary, primary: KubeObject, options?: { atLeast?: number | undefined }): KubeObject | undefined;
  /**
   * Raises the minimum of a scaler to `atLeast`, or, when that is undefined, puts its own back, which the object remembers itself. `limits`
   * become its own. Undefined: it is so already.
   */
  raisePatch(scaler: KubeObject, atLeast: number | undefined, limits?: Partial<ReplicaLimits>): MergePatch | undefined;
  /** Keeps the user's scaler from scaling up an idle target; undefined: it is paused already, or pauses by itself (03-A9). */
  pausePatch(scaler: KubeObject): MergePatch | undefined;
  /** Ends the pause; undefined: the scaler is not paused. */
  resumePatch(scaler: KubeObject): MergePatch | undefined;
}
