/** Whether a workload's pods can take its load. `stalled`: its own controller gave up and only an edit helps. */
export type Readiness = {
  state: 'ready' | 'waiting' | 'stalled';
  /** Available pods. */
  ready: number;
  /** Pods that the workload asks for. */
  wanted: number;
  /** For a person: why it is not ready. */
  reason?: string;
};
