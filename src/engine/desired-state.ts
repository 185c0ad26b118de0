import type { Routes } from '../api/routes.ts';

/** Desired state of the cluster under the recorded status, before routers and workloads turn it into objects (rules D1 …). */
export interface DesiredState {
  /** Nothing is written (suspended, or not ours to touch). */
  frozen: boolean;
  /** The primary and canary Services and the primary workload exist. */
  prepared: boolean;
  /** The apex Service selects the primary's pods; if false, it is left as found (bootstrap, I5). */
  apexOnPrimary: boolean;
  /** Absent if routing objects are not written yet. */
  routes?: Routes;
  /**
   * Replicas are corrected only between zero and non-zero: `up` means at least one, or the number that the side needs for its load; `idle` means that it was at
   * zero, and that a later number of another writer is kept (E90).
   */
  target: 'zero' | 'idle' | 'up' | 'untouched';
  /** Number of pods with which a target at zero starts, if it had pods in this release (E91); if absent, its kind decides. */
  targetStart?: number;
  primary: 'up' | 'untouched';
  /** Minimum of pods of a side while a release needs them there (D8). */
  atLeast: { primary?: number; target?: number };
  /** Minimum of the user's scaler during the release (E101); its own if absent. */
  targetMinimum?: number;
  /** The primary's scaler follows the user's, or is not touched. */
  primaryScaler: 'followed' | 'kept';
}
