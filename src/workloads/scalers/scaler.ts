import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** Minimum and maximum of pods that a scaler keeps. */
export interface ReplicaLimits {
  min: number;
  max: number;
}

/** A JSON merge patch of one object, with the resourceVersion from which it was computed. */
export type MergePatch = { metadata: { resourceVersion?: string; annotations?: Record<string, string | null> }; spec?: object };

export interface RenderedScaler {
  /** Without owner references: the caller adds the anchor. */
  object: KubeObject;
  /** For the operator: reason for which the primary could scale differently than expected. */
  warnings: readonly string[];
}

/**
 * A kind of autoscaler that a Canary can name in `spec.autoscalerRef`. The user's own scaler still scales the target; a copy of it, `<a>-primary`, scales the
 * primary. Every verb is pure and works on raw objects, so that fields of newer versions survive.
 */
export interface Scaler {
  readonly apiVersion: string;
  readonly kind: string;
  /** The minimum of the user's scaler: a minimum that we have raised for a release does not count. */
  limits(scaler: KubeObject): ReplicaLimits;
  /** Pods to which a target at zero is scaled: at least the number that the scaler would keep. */
  startReplicas(scaler: KubeObject): number;
  /** The primary's scaler made from the user's; `atLeast` raises its minimum within its maximum. */
  renderPrimary(canary: Canary, scaler: KubeObject, options?: { atLeast?: number | undefined }): RenderedScaler;
  /** The primary's scaler from the last promotion, by its own note; undefined if an earlier version of Serin has left none. */
  renderKept(canary: Canary, primary: KubeObject, options?: { atLeast?: number | undefined }): KubeObject | undefined;
  /**
   * Raises the minimum of a scaler to `atLeast`, or, if that is undefined, restores its own, which the object remembers itself. `limits` become its own.
   * Undefined if nothing changes.
   */
  raisePatch(scaler: KubeObject, atLeast: number | undefined, limits?: Partial<ReplicaLimits>): MergePatch | undefined;
  /** Keeps the user's scaler from scaling up an idle target; undefined if it is paused already, or pauses by itself. */
  pausePatch(scaler: KubeObject): MergePatch | undefined;
  /** Ends the pause; undefined if the scaler is not paused. */
  resumePatch(scaler: KubeObject): MergePatch | undefined;
}
