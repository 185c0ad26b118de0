import type { Metric } from '../api/canary.ts';
import type { Observer } from '../api/observer.ts';
import type { MetricKind } from './limit.ts';
import type { Measurement } from './providers/metric-provider.ts';

/** Runs a query template for one side. */
export type RunQuery = (query: string) => Promise<Measurement>;

const builtins: Readonly<Record<string, Exclude<MetricKind, 'custom'>>> = {
  'request-success-rate': 'successRate',
  'request-duration': 'duration',
};

/** The queries of the traffic provider measure it, also if the metric names a query or a template. */
export const isBuiltin = (metric: Metric): boolean => builtinKind(metric) !== undefined;

/** Undefined if the metric brings its own query or template. */
export function builtinKind(metric: Metric): Exclude<MetricKind, 'custom'> | undefined {
  return Object.hasOwn(builtins, metric.name) ? builtins[metric.name] : undefined;
}

/** The value of a built-in metric, in percent or milliseconds. */
export const askBuiltin = (kind: Exclude<MetricKind, 'custom'>, observer: Observer, metric: Metric, run: RunQuery): Promise<Measurement> =>
  kind === 'successRate' ? askSuccessRate(observer, run) : askDuration(observer, metric, run);

/** When every request fails, no series of successes exists, and the quotient is empty, as without traffic. */
async function askSuccessRate(observer: Observer, run: RunQuery): Promise<Measurement> {
  const rate = await run(observer.requestSuccessRate);
  if (rate.kind !== 'noData') return rate;
  const failures = await run(observer.onlyFailures);
  return failures.kind === 'value' && failures.value > 0 ? { kind: 'value', value: 0 } : rate;
}

/** Flagger's statistic for the provider, unless the metric names a quantile. */
async function askDuration(observer: Observer, metric: Metric, run: RunQuery): Promise<Measurement> {
  const { quantile, wholeMilliseconds = true } = metric;
  const measured = await run(quantile === undefined ? observer.requestDuration : observer.requestDurationAt(quantile));
  if (measured.kind !== 'value') return measured;
  const ms = measured.value * (observer.durationUnit === 's' ? 1000 : 1);
  // Flagger rounds toward zero.
  return { kind: 'value', value: wholeMilliseconds ? Math.trunc(ms) : ms };
}
