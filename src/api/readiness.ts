/** Readiness of a workload for its load. `stalled`: its own controller gave up, and only an edit helps. */
export type Readiness = {
  state: 'ready' | 'waiting' | 'stalled';
  /** Available pods. */
  ready: number;
  /** Pods that the workload asks for. */
  wanted: number;
  /** Why it is not ready, for users. */
  reason?: string;
  /** The field of the object for which no Service reaches its pods, however available they are: only an edit of it helps. */
  field?: string;
};
