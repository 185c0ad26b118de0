/**
 * Requests of one side in a window, and how many of them count against it. Prometheus extrapolates, so that both may be fractions: they are used as
 * they are, since rounding would hide low rates. What extrapolation adds to a single failure shows as dispersion, and widens the test.
 */
export interface Counts {
  requests: number;
  failures: number;
}

/** What was counted of one pod; a name is known only by being the same in each window. */
export interface PodCounts extends Counts {
  name: string;
}

/** What was counted of both sides between the same two moments. */
export interface Window {
  fromMs: number;
  toMs: number;
  canary: Counts;
  primary: Counts;
  /** The same by pod, where the provider can tell pods apart. */
  pods?: { canary: readonly PodCounts[]; primary: readonly PodCounts[] };
}

/** Why a window is not used. */
export type SkipReason = 'invalid' | 'overlap' | 'warmUp' | 'noCanary' | 'noPrimary';

/** Extrapolation gives each series a factor of its own, so that failures may pass requests by a little. */
const EXTRAPOLATED = 1.1;

/** What keeps a window out of the comparison; undefined when it is used. */
export function skipReason(window: Window, after: { untilMs: number; warmUntilMs: number }): SkipReason | undefined {
  const { fromMs, toMs, canary, primary } = window;
  if (!(Number.isFinite(fromMs) && Number.isFinite(toMs) && fromMs < toMs && isCounted(canary) && isCounted(primary))) return 'invalid';
  if (fromMs < after.untilMs) return 'overlap';
  if (fromMs < after.warmUntilMs) return 'warmUp';
  if (!isServed(canary)) return 'noCanary';
  if (!isServed(primary)) return 'noPrimary';
  return undefined;
}

/** Less than this is what extrapolation leaves of nothing. */
const FEWEST_REQUESTS = 0.001;

/** Whether a side had requests. */
export const isServed = ({ requests }: Counts): boolean => requests >= FEWEST_REQUESTS;

/** Whether counts can be what Prometheus answered: finite, and with no more failures than requests. */
export function isCounted({ requests, failures }: Counts): boolean {
  return Number.isFinite(requests) && requests >= 0 && failures >= 0 && failures <= requests * EXTRAPOLATED;
}

/**
 * What two readings of the counters of one side say; undefined when a counter went down, as it does when a pod restarts: how much was counted before the
 * reset is unknown, and the window must be skipped.
 */
export function countsBetween(before: Counts, after: Counts): Counts | undefined {
  if (after.requests < before.requests || after.failures < before.failures) return undefined;
  return { requests: after.requests - before.requests, failures: after.failures - before.failures };
}
