import type { Verdict } from '../../api/canary-status.ts';

/** Reason for which a query could not be run, if it is known; without a code the backend gives no usable response. */
export type MeasureProblem = Pick<Verdict, 'code' | 'object' | 'field' | 'query'>;

/** Result of one query. A failure to measure is never a value (I11). */
export type Measurement =
  | { kind: 'value'; value: number }
  /** The backend answered without a value: no series, or NaN, which means that it did count something. */
  | ({ kind: 'noData'; reason: string; isNaN?: true } & Pick<Verdict, 'code' | 'field' | 'query'>)
  /** No usable response. `reason` contains no credentials. */
  | ({ kind: 'error'; reason: string; isUnreachable?: true } & MeasureProblem);

/** A metric backend. Neither verb throws. */
export interface MetricProvider {
  runQuery(query: string, signal: AbortSignal): Promise<Measurement>;
  /** Reason for which the backend cannot be queried; undefined if it can. */
  isOnline(signal: AbortSignal): Promise<string | undefined>;
}

/** One series of an answer. `points`: seconds since 1970 and value, in order of time; a value can be NaN or infinite. */
export interface LabelledSeries {
  labels: Readonly<Record<string, string>>;
  points: readonly (readonly [atSeconds: number, value: number])[];
}

/** All series of one query, possibly none. */
export type SeriesResult = { kind: 'series'; series: readonly LabelledSeries[] } | ({ kind: 'error'; reason: string } & MeasureProblem);

/** A backend that also returns series with their labels. */
export interface SeriesProvider extends MetricProvider {
  /** Runs an instant query that gives a vector or a matrix, and returns its series. Does not throw. */
  readSeries(query: string, signal: AbortSignal): Promise<SeriesResult>;
}

/** A backend that is created for each query, so that a new credential counts at once, or the reason for which it cannot be. */
export function connecting(
  connect: (signal: AbortSignal) => Promise<MetricProvider | ({ reason: string } & MeasureProblem)>,
): MetricProvider {
  return {
    async runQuery(query, signal) {
      const backend = await connect(signal);
      return 'reason' in backend ? { kind: 'error', ...backend } : backend.runQuery(query, signal);
    },
    async isOnline(signal) {
      const backend = await connect(signal);
      return 'reason' in backend ? backend.reason : backend.isOnline(signal);
    },
  };
}
