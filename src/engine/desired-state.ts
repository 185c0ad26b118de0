import type { Routes } from '../api/routes.ts';

/** Desired state of the cluster under the recorded status, before routers and workloads turn it into objects (rules D1 …). */
export interface DesiredState {
  /** Nothing at all is written (suspended, or not ours to touch). */
  frozen: boolean;
  /** The primary and canary Services and the primary workload exist. */
  prepared: boolean;
  /** The apex Service selects the primary's pods; false leaves it as found (bootstrap, I5). */
  apexOnPrimary: boolean;
  /** Absent: routing objects are not written yet. */
  routes?: Routes;
  /**
   * Replicas are corrected only between zero and non-zero: `up` means at least one, or what the side needs for its load; `idle` that it was at
   * zero, and what another writer has asked for since stays (E90).
   */
  target: 'zero' | 'idle' | 'up' | 'untouched';
  /** Pods with which a target at zero starts, where it had some in this release (E91); absent: as its kind starts. */
  targetStart?: number;
  primary: 'up' | 'untouched';
  /** Fewest pods of a side while a release needs them there (D8). */
  atLeast: { primary?: number; target?: number };
  /** The minimum of the user's scaler for the time of the release (E101); absent: its own. */
  targetMinimum?: number;
  /** The primary's scaler follows the user's (03-A2), or is left as it is. */
  primaryScaler: 'followed' | 'kept';
}
