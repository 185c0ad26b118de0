import type { Observer } from './observer.ts';

/** `sum(rate(M{S,OK})) / sum(rate(M{S})) * 100`: percent of requests that succeeded (05 §2.2 RATE), and what to ask when that finds none. */
export function successRate(
  metric: string,
  selector: string,
  succeeded: string,
): Pick<Observer, 'requestSuccessRate' | 'onlyFailures' | 'requestCount'> {
  const rate = (matchers: string) => `sum(rate(${metric}{${matchers}}[{{ interval }}]))`;
  return {
    requestSuccessRate: `${rate(`${selector},${succeeded}`)} / ${rate(selector)} * 100`,
    requestCount: `sum(increase(${metric}{${selector}}[{{ interval }}]))`,
    // A series of successes that is too young for a rate is there all the same, and means that not everything failed.
    onlyFailures: `${rate(selector)} unless sum(${metric}{${selector},${succeeded}})`,
  };
}

/** The 99th percentile of a classic histogram (05 §2.2 P99). */
export function p99(buckets: string, selector: string): string {
  return `histogram_quantile(0.99, sum(rate(${buckets}{${selector}}[{{ interval }}])) by (le))`;
}

/** The mean of a histogram in seconds, as milliseconds (05 §2.2 AVG). */
export function meanMs(histogram: string, selector: string): string {
  const rate = (suffix: string) => `sum(rate(${histogram}_${suffix}{${selector}}[{{ interval }}]))`;
  return `${rate('sum')} / ${rate('count')} * 1000`;
}
