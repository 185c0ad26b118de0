import type { Cause } from './codes/codes.ts';

/** Readiness of a workload for its load. `stalled`: its own controller has stopped trying, and only an edit helps. */
export type Readiness = {
  state: 'ready' | 'waiting' | 'stalled';
  /** Available pods. */
  ready: number;
  /** Desired pods of the workload. */
  wanted: number;
  /** Reason for which it is not ready, for users. */
  reason?: string;
  /** The same as `serin why` names it, where the workload itself says it. */
  cause?: Cause;
  /** The field of the object because of which no Service reaches its pods, also when they are available: only an edit of it helps. */
  field?: string;
};
