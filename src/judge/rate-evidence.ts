import { gridFactor, logFactorOf, logMeanExp } from './mixture.ts';
import type { Counts } from './window.ts';

/**
 * Log of the e-value against "the rate is at most `rate`", of all requests and failures so far. A term is the likelihood ratio of two Poisson rates, and stays
 * below 1 on average for Bernoulli failures by the same bound as that of the ratio. The rate may drift: the test is about its mean over the requests so far.
 */
export const logAgainstRateAtMost = ({ requests, failures }: Counts, rate: number, dispersion: number): number =>
  logMeanExp((step) => growthOfRate({ requests, failures }, rate, step) / dispersion);

/** Log of the e-value against "the rate is at least `rate`". */
export const logAgainstRateAtLeast = ({ requests, failures }: Counts, rate: number, dispersion: number): number =>
  logMeanExp((step) => growthOfRate({ requests, failures }, rate, -step) / dispersion);

/** Log of the likelihood ratio of `step` steps above `rate` to `rate`. */
export function growthOfRate({ requests, failures }: Counts, rate: number, step: number): number {
  const factor = gridFactor(step);
  return failures * logFactorOf(step) - (factor - 1) * rate * requests;
}

/** Halvings of the interval in which a bound of a rate is searched: well below a millionth of it. */
const HALVINGS = 40;

/** Confidence sequence of a rate: the rates that neither of the two e-values above excludes at `logBoundary`. */
export function rateBounds(counts: Counts, dispersion: number, logBoundary: number): { low: number; high: number } {
  if (counts.requests === 0) return { low: 0, high: 1 };
  const observed = Math.min(1, counts.failures / counts.requests);
  const low = search(0, observed, (rate) => logAgainstRateAtMost(counts, rate, dispersion) < logBoundary);
  const high = search(observed, 1, (rate) => logAgainstRateAtLeast(counts, rate, dispersion) >= logBoundary);
  return { low, high };
}

/** Where `isAbove` turns from false to true between two rates, from outside the confidence sequence. */
function search(from: number, to: number, isAbove: (rate: number) => boolean): number {
  let [low, high] = [from, to];
  if (isAbove(low)) return low;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return high;
}
