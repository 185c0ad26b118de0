/** The result of one query. A failure to measure is never a value (I11). */
export type Measurement =
  | { kind: 'value'; value: number }
  /** The backend answered without a value: no series, or NaN. */
  | { kind: 'noData'; reason: string }
  /** No answer that can be used. `reason` holds no credentials. */
  | { kind: 'error'; reason: string };

/** A metric backend. Neither verb throws. */
export interface MetricProvider {
  runQuery(query: string, signal: AbortSignal): Promise<Measurement>;
  /** Why the backend cannot be asked; undefined when it can. */
  isOnline(signal: AbortSignal): Promise<string | undefined>;
}
