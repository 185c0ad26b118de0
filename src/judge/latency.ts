import type { Counts, Window } from './window.ts';

/** Requests of one side in a window by duration: how many took no longer than each bound, as Prometheus counts them. The last bound is infinite and has all. */
export interface Buckets {
  boundsMs: readonly number[];
  cumulative: readonly number[];
}

/** Buckets of both sides between the same two moments. */
export interface BucketWindow {
  fromMs: number;
  toMs: number;
  canary: Buckets;
  primary: Buckets;
}

/** The two thresholds of a comparison of latencies. */
export interface LatencyPlan {
  /** The bound nearest to the primary's quantile. */
  primaryMs: number;
  /** The first bound at or above the tolerated multiple of it. */
  canaryMs: number;
  /** Tolerated factor after rounding: bounds of buckets are coarse. */
  tolerated: number;
}

/** Reason for which latencies cannot be compared. */
export type LatencyProblem = 'noRequests' | 'noSlowRequests' | 'noBucketAbove' | 'bucketsDiffer';

/**
 * Chooses the thresholds from the primary's history before the first compared window. They must not depend on the windows that are compared by them; keep them
 * for the release.
 */
export function planLatency(
  primary: Buckets,
  { quantile, tolerate }: { quantile: number; tolerate: number },
): LatencyPlan | LatencyProblem {
  const total = primary.cumulative.at(-1) ?? 0;
  if (!(total > 0)) return 'noRequests';
  let best: { bound: number; distance: number } | undefined;
  for (const bound of primary.boundsMs) {
    const slower = slowerThan(primary, bound) ?? 0;
    if (slower <= 0 || bound <= 0) continue;
    const distance = Math.abs(Math.log(slower / total / (1 - quantile)));
    if (best === undefined || distance < best.distance) best = { bound, distance };
  }
  if (best === undefined) return 'noSlowRequests';
  const wanted = best.bound * tolerate;
  const above = primary.boundsMs.find((bound) => bound >= wanted && Number.isFinite(bound));
  return above === undefined ? 'noBucketAbove' : { primaryMs: best.bound, canaryMs: above, tolerated: above / best.bound };
}

/**
 * A window in which slow requests are the failures: of the canary those above its threshold, of the primary those above the lower one. A canary whose latencies
 * are at most `tolerated` times the primary's has no larger share of slow requests under any distribution, so that `tolerate: 1` and `atLeast: 0` compare them.
 * A test of stochastic order for canary releases is in Lindon, Sanden and Shirikian, "Rapid Regression Detection in Software Deployments through Sequential
 * Testing" (arXiv 2205.14762); their test needs each duration, this one only two buckets.
 */
export function latencyWindow({ fromMs, toMs, canary, primary }: BucketWindow, plan: LatencyPlan): Window | LatencyProblem {
  const ofCanary = slowCounts(canary, plan.canaryMs);
  const ofPrimary = slowCounts(primary, plan.primaryMs);
  if (ofCanary === undefined || ofPrimary === undefined) return 'bucketsDiffer';
  return { fromMs, toMs, canary: ofCanary, primary: ofPrimary };
}

/** Counts of one side in which slow requests are the failures; undefined without a bucket of that bound. */
export function slowCounts(buckets: Buckets, boundMs: number): Counts | undefined {
  const failures = slowerThan(buckets, boundMs);
  return failures === undefined ? undefined : { requests: buckets.cumulative.at(-1) ?? 0, failures };
}

/** Requests above a bound; undefined without a bucket of that bound. Extrapolated counts of two buckets can cross by a little, so the result is at least 0. */
function slowerThan({ boundsMs, cumulative }: Buckets, boundMs: number): number | undefined {
  const within = cumulative[boundsMs.indexOf(boundMs)];
  return within === undefined ? undefined : Math.max(0, (cumulative.at(-1) ?? 0) - within);
}
