import type { Counters, Observer } from '../../api/observer.ts';

/** `sum(rate(M{S,OK})) / sum(rate(M{S})) * 100`: percent of requests that succeeded, and the query to run if that finds nothing. */
export function successRate(
  metric: string,
  selector: string,
  succeeded: string,
): Pick<Observer, 'requestSuccessRate' | 'onlyFailures' | 'requestCount'> {
  const rate = (matchers: string) => `sum(rate(${metric}{${matchers}}[{{ interval }}]))`;
  return {
    requestSuccessRate: `${rate(`${selector},${succeeded}`)} / ${rate(selector)} * 100`,
    requestCount: `sum(increase(${metric}{${selector}}[{{ interval }}]))`,
    // A series of successes that is too young for a rate exists all the same, and means that not everything failed.
    onlyFailures: `${rate(selector)} unless sum(${metric}{${selector},${succeeded}})`,
  };
}

interface CounterNames extends Pick<Counters, 'bucketUnit' | 'podLabel'> {
  /** Metric and matchers that both sides share, as in `name{le="+Inf"}`. */
  requests: string;
  buckets: string;
  /** The matcher of requests that did not fail. */
  succeeded: string;
}

/** The raw counters of two sides, which the matchers select. */
export function bothSides({ requests, buckets, succeeded, ...rest }: CounterNames, canary: string, primary: string): Counters {
  const side = (matchers: string) => ({
    requests: selector(requests, matchers),
    succeeded: selector(requests, `${matchers},${succeeded}`),
    buckets: selector(buckets, matchers),
  });
  return { canary: side(canary), primary: side(primary), ...rest };
}

const selector = (metric: string, matchers: string): string =>
  metric.endsWith('}') ? `${metric.slice(0, -1)},${matchers}}` : `${metric}{${matchers}}`;

type Durations = Pick<Observer, 'requestDuration' | 'requestDurationAt' | 'durationStatistic'>;

/** Quantiles of a classic histogram, the 99th percentile unless a metric names another; `inMs` where it counts seconds. */
export function percentiles(buckets: string, selector: string, inMs = ''): Durations {
  const at = quantileOf(buckets, selector, inMs);
  return { requestDuration: at(0.99), requestDurationAt: at, durationStatistic: 'p99' };
}

/** The mean of a histogram in seconds, as milliseconds; a quantile where a metric names one. */
export function means(histogram: string, selector: string): Durations {
  const rate = (suffix: string) => `sum(rate(${histogram}_${suffix}{${selector}}[{{ interval }}]))`;
  return {
    requestDuration: `${rate('sum')} / ${rate('count')} * 1000`,
    requestDurationAt: quantileOf(`${histogram}_bucket`, selector, ' * 1000'),
    durationStatistic: 'mean',
  };
}

function quantileOf(buckets: string, selector: string, inMs: string): (quantile: number) => string {
  return (quantile) => `histogram_quantile(${quantile}, sum(rate(${buckets}{${selector}}[{{ interval }}])) by (le))${inMs}`;
}
