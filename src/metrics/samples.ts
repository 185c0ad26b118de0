import type { MetricTemplateSpec } from '../api/metric-template.ts';
import type { Measurement } from './providers/metric-provider.ts';

/** A backend's result: samples of each series, oldest first, in the order of the response. `null` is a point without a value. */
export type Samples = readonly (readonly (number | null)[])[];

/** The sample of a response that is judged, and the effect of a missing one: each backend has its own habit. */
export interface SampleRule {
  series: 'first' | 'last';
  sample: 'first' | 'last';
  /** A point without a value counts as zero, is skipped, or means no data at all. */
  null: 'zero' | 'skip' | 'noData';
  /** Without series, or without a point in any. */
  empty: 'noData' | 'zero';
  nan: 'keep' | 'noData';
}

/** The MetricTemplate's choice; absent fields keep the backend's rule, and `strictNoData` overrules it. */
export type SampleChoice = Pick<MetricTemplateSpec, 'reduce' | 'sample' | 'strictNoData'>;

/** The only number that is judged. */
export function pickSample(samples: Samples, backend: SampleRule, choice: SampleChoice = {}): Measurement {
  const rule: SampleRule = choice.strictNoData ? { ...backend, null: 'skip', empty: 'noData', nan: 'noData' } : backend;
  if (choice.reduce === 'error' && samples.length > 1)
    return { kind: 'error', reason: `the query found ${samples.length} series where the template wants one` };
  const bySeries = samples.map((points) => pickPoint(points, rule, choice.sample ?? rule.sample));
  const picked = reduceSeries(bySeries, choice.reduce === undefined || choice.reduce === 'error' ? rule.series : choice.reduce, rule);
  if (picked === undefined) return rule.empty === 'zero' && hasNoPoint(samples) ? { kind: 'value', value: 0 } : noValue(samples);
  if (Number.isNaN(picked) && rule.nan === 'noData')
    return { kind: 'noData', reason: 'the query gives NaN, as it does when there was no traffic', isNaN: true };
  return { kind: 'value', value: picked };
}

/** Undefined if the series has no point; null if its point has no value, which is then the answer. */
type PickedPoint = number | null | undefined;

function pickPoint(points: readonly (number | null)[], rule: SampleRule, sample: 'first' | 'last' | 'avg'): PickedPoint {
  const values = points.flatMap((point) => (point !== null ? point : rule.null === 'zero' ? 0 : rule.null === 'noData' ? null : []));
  if (sample !== 'avg') return values.at(sample === 'first' ? 0 : -1);
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? values[0] : sum(numbers) / numbers.length;
}

function reduceSeries(
  points: readonly PickedPoint[],
  how: 'first' | 'last' | 'min' | 'max' | 'avg' | 'sum',
  rule: SampleRule,
): number | undefined {
  // Under `skip` a series without a value is ignored; otherwise the first or last one decides, even without a value.
  const judged = rule.null === 'skip' ? points.filter((point) => typeof point === 'number') : points;
  if (how === 'first' || how === 'last') return judged.at(how === 'first' ? 0 : -1) ?? undefined;
  const numbers = points.filter((point) => typeof point === 'number');
  if (numbers.length === 0) return undefined;
  if (how === 'min') return numbers.reduce((least, one) => Math.min(least, one));
  if (how === 'max') return numbers.reduce((most, one) => Math.max(most, one));
  return how === 'sum' ? sum(numbers) : sum(numbers) / numbers.length;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);
const hasNoPoint = (samples: Samples): boolean => samples.every((points) => points.length === 0);

function noValue(samples: Samples): Measurement {
  return { kind: 'noData', reason: hasNoPoint(samples) ? 'the query found no series' : 'the series that the query found has no value' };
}
