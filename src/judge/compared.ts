import type { Buckets, LatencyPlan } from './latency.ts';
import type { Counts, Window } from './window.ts';

/** One metric of which the counts of both sides are to be read: data of a question. */
export interface ToCompare {
  /** `errors`, `latency`, or the name of an entry of `analysis.metrics`. */
  metric: string;
  /** The window begins here and ends with the newest sample; the history ends here. Epoch milliseconds. */
  fromMs: number;
  /** Read the primary's history of three hours before `fromMs` instead, in windows of this length. Milliseconds. */
  learnMs?: number;
  /** A sample was scraped at `fromMs`, with which the window before ended. */
  fromSample?: true;
  /** Thresholds of `latency`, once they are known. */
  plan?: LatencyPlan;
}

/**
 * Counts as they were read: a window of both sides, the primary's history, or why neither could be read. `isFinal`: the counters of a side began or were reset within
 * the window, so that a longer one would not count that side either. `endsAtSample`: the window ends when its newest sample was scraped.
 */
export type Compared = { metric: string } & (
  | { kind: 'window'; window: Window; isFinal?: true; endsAtSample?: true }
  /** Of `errors` and of MetricTemplates: windows that follow each other. Empty where the backend has no history. */
  | { kind: 'history'; primary: readonly Counts[] }
  /** Of `latency`: the same by buckets, and where the last one ends. */
  | { kind: 'buckets'; primary: readonly Buckets[]; toMs: number }
  | { kind: 'unknown'; reason: string }
);
