import type { Verdict } from '../api/canary-status.ts';
import type { Buckets, LatencyPlan } from './latency.ts';
import type { Counts, Window } from './window.ts';

/** One metric whose counts of both sides must be read: the data of a check. */
export interface ToCompare {
  /** `errors`, `latency`, or the name of an entry of `analysis.metrics`. */
  metric: string;
  /** The window begins here and ends with the newest sample; the history ends here. Epoch milliseconds. */
  fromMs: number;
  /** Read the primary's history of three hours before `fromMs` instead, in windows of this length. Milliseconds. */
  learnMs?: number;
  /** A sample was scraped at `fromMs`, where the previous window ended. */
  fromSample?: true;
  /** Thresholds of `latency`, once they are known. */
  plan?: LatencyPlan;
}

/**
 * Counts of both sides: a window, the primary's history, or the reason for which neither could be read. `isFinal`: a side has no requests, and a counter of it
 * began or was reset within the window, so that a longer window would never count what that counter shows. `endsAtSample`: the window ends when its newest
 * sample was scraped.
 */
export type Compared = { metric: string } & (
  | { kind: 'window'; window: Window; isFinal?: true; endsAtSample?: true }
  /** Of `errors` and of MetricTemplates: windows that follow each other. Empty if the backend has no history. */
  | { kind: 'history'; primary: readonly Counts[] }
  /** Of `latency`: the same by buckets, and the end of the last window. */
  | { kind: 'buckets'; primary: readonly Buckets[]; toMs: number }
  | { kind: 'unknown'; reason: string }
);

/**
 * Result of both kinds of check at one moment: a verdict for each metric with limits, and counts of both sides for each compared metric. Engine, journal and
 * status take it unmodified. Counts have no verdict yet: they are judged with those of the whole release, and again under other limits when a journal is
 * replayed.
 */
export interface Measured {
  verdicts: readonly Verdict[];
  compared?: readonly Compared[];
}
