/**
 * Requests of one side in a window, and those of them that count against it. Prometheus extrapolates, so that both can be fractions: they are not rounded,
 * since that would hide low rates. A single failure that extrapolation enlarges shows as dispersion, and widens the test.
 */
export interface Counts {
  requests: number;
  failures: number;
}

/** Counts of one pod. Its name only has to be the same in each window. */
export interface PodCounts extends Counts {
  name: string;
}

/** Counts of both sides between the same two moments. */
export interface Window {
  fromMs: number;
  toMs: number;
  canary: Counts;
  primary: Counts;
  /** The same by pod, where the provider can tell pods apart. */
  pods?: { canary: readonly PodCounts[]; primary: readonly PodCounts[] };
}

/** Reason for which a window is not used. */
export type SkipReason = 'invalid' | 'overlap' | 'warmUp' | 'noCanary' | 'noPrimary';

/** Extrapolation gives each series a factor of its own, so that failures can pass requests by a little. */
const EXTRAPOLATED = 1.1;

/** Reason for which a window is left out of the comparison; undefined if it is used. */
export function skipReason(window: Window, after: { untilMs: number; warmUntilMs: number }): SkipReason | undefined {
  const { fromMs, toMs, canary, primary } = window;
  if (!(Number.isFinite(fromMs) && Number.isFinite(toMs) && fromMs < toMs && isCounted(canary) && isCounted(primary))) return 'invalid';
  if (fromMs < after.untilMs) return 'overlap';
  if (fromMs < after.warmUntilMs) return 'warmUp';
  if (!isServed(canary)) return 'noCanary';
  if (!isServed(primary)) return 'noPrimary';
  return undefined;
}

/** Fewer requests than this are a remainder of extrapolation. */
const FEWEST_REQUESTS = 0.001;

/** A side had requests. */
export const isServed = ({ requests }: Counts): boolean => requests >= FEWEST_REQUESTS;

/** Counts are a possible answer of Prometheus: finite, and with no more failures than requests. */
export function isCounted({ requests, failures }: Counts): boolean {
  return Number.isFinite(requests) && requests >= 0 && failures >= 0 && failures <= requests * EXTRAPOLATED;
}
