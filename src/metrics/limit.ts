import type { Metric } from '../api/canary.ts';
import { defined } from '../base/defined.ts';

/** The bound that a deprecated `threshold` means: a minimum for a success rate, a maximum for all others. */
export type MetricKind = 'successRate' | 'duration' | 'custom';

/** The accepted range, both ends included, in percent, whole milliseconds, or the query's own unit. */
export interface Limit {
  min?: number | undefined;
  max?: number | undefined;
}

/** `thresholdRange` wins over `threshold`; without both the threshold is 0, unless the metric is compared with the primary. */
export function limitOf(metric: Pick<Metric, 'threshold' | 'thresholdRange' | 'baseline' | 'wholeMilliseconds'>, kind: MetricKind): Limit {
  const { thresholdRange: range, threshold = 0, baseline } = metric;
  if (baseline && !range && metric.threshold === undefined) return {};
  const bounds: Limit = range ? { ...range } : kind === 'successRate' ? { min: threshold } : { max: threshold };
  if (kind !== 'duration' || metric.wholeMilliseconds === false) return bounds;
  // Durations and their bounds are compared as whole milliseconds, unless the metric wants the measured value.
  const whole = (bound: number | undefined) => (bound === undefined ? undefined : Math.trunc(bound));
  return defined({ min: whole(bounds.min), max: whole(bounds.max) });
}

/** Reason for which the value is outside, or undefined. NaN is outside every range that has a bound. */
export function breach(value: number, { min, max }: Limit, unit: string): string | undefined {
  if (min !== undefined && !(value >= min)) return `${showNumber(value)}${unit} is below the minimum of ${min}${unit}`;
  if (max !== undefined && !(value <= max)) return `${showNumber(value)}${unit} is above the maximum of ${max}${unit}`;
  return undefined;
}

/** The range in words, as `at least 99%`. */
export function limitText({ min, max }: Limit, unit: string): string {
  if (min !== undefined && max !== undefined) return `${min}${unit} to ${max}${unit}`;
  if (min !== undefined) return `at least ${min}${unit}`;
  if (max !== undefined) return `at most ${max}${unit}`;
  return 'any value';
}

function showNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(2)));
}
