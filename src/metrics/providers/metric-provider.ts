import type { Verdict } from '../../api/canary-status.ts';

/** Why a query could not be asked, where that is known; without a code the backend gives no answer that counts. */
export type MeasureProblem = Pick<Verdict, 'code' | 'object' | 'field'>;

/** What one query gave. A failure to measure is never a value (I11). */
export type Measurement =
  | { kind: 'value'; value: number }
  /** The backend answered without a value: no series, or NaN, which says that it did count something. */
  | { kind: 'noData'; reason: string; isNaN?: true }
  /** No answer that can be used. `reason` holds no credentials. */
  | ({ kind: 'error'; reason: string } & MeasureProblem);

/** A metric backend. Neither verb throws. */
export interface MetricProvider {
  runQuery(query: string, signal: AbortSignal): Promise<Measurement>;
  /** Why the backend cannot be asked; undefined when it can. */
  isOnline(signal: AbortSignal): Promise<string | undefined>;
}

/** One series of an answer. `points`: seconds since 1970 and value, in order of time; a value may be NaN or infinite. */
export interface LabelledSeries {
  labels: Readonly<Record<string, string>>;
  points: readonly (readonly [atSeconds: number, value: number])[];
}

/** All series that one query gave; there may be none. */
export type SeriesAnswer = { kind: 'series'; series: readonly LabelledSeries[] } | ({ kind: 'error'; reason: string } & MeasureProblem);

/** A backend that gives series with their labels, too. */
export interface SeriesProvider extends MetricProvider {
  /** Series of an instant query that gives a vector or a matrix. Does not throw. */
  readSeries(query: string, signal: AbortSignal): Promise<SeriesAnswer>;
}

/** A backend that is connected to for each query, so that a new credential counts at once; or why it cannot be. */
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
