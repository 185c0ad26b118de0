import { keptIn } from '../../../base/once.ts';
import { parseFloatText } from '../exposition.ts';
import { failedExecution } from '../query-error.ts';
import { type LabelSet, seriesKey } from '../series.ts';
import type { Expr, ValueType } from './ast.ts';
import { anchoredRegex } from './matcher.ts';
import { type Bucket, bucketQuantile, byValue, quantileOf } from './quantile.ts';
import { extrapolatedChange, instantChange } from './rate.ts';
import { type FloatPoint, type MatrixValue, type Value, type VectorSample, withoutName } from './value.ts';

interface FunctionCall {
  args: readonly Value[];
  exprs: readonly Expr[];
  /** Evaluation time, epoch milliseconds. */
  atMs: number;
}

interface PromFunction {
  params: readonly ValueType[];
  /** Number of the last parameters that can be left out. */
  optional?: number;
  returns: ValueType;
  evaluate(call: FunctionCall): Value;
}

const vector = (samples: readonly VectorSample[]): Value => ({ kind: 'vector', samples });

function samplesOf(call: FunctionCall, index: number): readonly VectorSample[] {
  const value = call.args[index];
  return value?.kind === 'vector' ? value.samples : [];
}

function scalarOf(call: FunctionCall, index: number, fallback = Number.NaN): number {
  const value = call.args[index];
  return value?.kind === 'scalar' ? value.value : fallback;
}

function textOf(call: FunctionCall, index: number): string {
  const value = call.args[index];
  return value?.kind === 'string' ? value.value : '';
}

/** A function of each sample's value; the result is another quantity, so the name goes. */
function perSample(compute: (value: number, call: FunctionCall) => number, extra: readonly ValueType[] = [], optional = 0): PromFunction {
  return {
    params: ['vector', ...extra],
    optional,
    returns: 'vector',
    evaluate: (call) =>
      vector(samplesOf(call, 0).map(({ labels, value }) => ({ labels: withoutName(labels), value: compute(value, call) }))),
  };
}

/** A function of each series' points in a range. */
function overRange(
  compute: (points: readonly FloatPoint[], range: MatrixValue, call: FunctionCall) => number | undefined,
  options: { keepName?: boolean; before?: readonly ValueType[] } = {},
): PromFunction {
  const before = options.before ?? [];
  return {
    params: [...before, 'matrix'],
    returns: 'vector',
    evaluate(call) {
      const range = call.args[before.length];
      if (range?.kind !== 'matrix') return vector([]);
      const samples: VectorSample[] = [];
      for (const { labels, points } of range.series) {
        const value = points.length === 0 ? undefined : compute(points, range, call);
        if (value !== undefined) samples.push({ labels: options.keepName ? labels : withoutName(labels), value });
      }
      return vector(samples);
    },
  };
}

const changeOver = (as: { counter: boolean; perSecond: boolean }) =>
  overRange((points, range) => extrapolatedChange(points, range.startMs, range.endMs, as));
const values = (points: readonly FloatPoint[]) => points.map((point) => point.value);
export const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
/** NaN gives way to any number. */
const extreme = (better: (a: number, b: number) => boolean) => (numbers: readonly number[]) =>
  numbers.reduce((best, one) => (better(one, best) || Number.isNaN(best) ? one : best));
export const least = extreme((a, b) => a < b);
export const most = extreme((a, b) => a > b);

/** Variance of the population, as in `stdvar`. */
export function variance(numbers: readonly number[]): number {
  const mean = sum(numbers) / numbers.length;
  return sum(numbers.map((one) => (one - mean) ** 2)) / numbers.length;
}

function changes(points: readonly FloatPoint[], counts: (before: number, after: number) => boolean): number {
  return points.filter(({ value }, i) => i > 0 && counts(points[i - 1]?.value ?? Number.NaN, value)).length;
}

const sorted = (direction: 1 | -1): PromFunction => ({
  params: ['vector'],
  returns: 'vector',
  evaluate: (call) => vector(samplesOf(call, 0).toSorted(byValue(direction))),
});

/** By name. A function of Prometheus that is not here is refused by its name. */
export const functions: Readonly<Record<string, PromFunction>> = {
  rate: changeOver({ counter: true, perSecond: true }),
  increase: changeOver({ counter: true, perSecond: false }),
  delta: changeOver({ counter: false, perSecond: false }),
  irate: overRange((points) => instantChange(points, { counter: true })),
  idelta: overRange((points) => instantChange(points, { counter: false })),
  changes: overRange((points) => changes(points, (a, b) => a !== b && !(Number.isNaN(a) && Number.isNaN(b)))),
  resets: overRange((points) => changes(points, (a, b) => b < a)),
  avg_over_time: overRange((points) => sum(values(points)) / points.length),
  sum_over_time: overRange((points) => sum(values(points))),
  min_over_time: overRange((points) => least(values(points))),
  max_over_time: overRange((points) => most(values(points))),
  count_over_time: overRange((points) => points.length),
  present_over_time: overRange(() => 1),
  stddev_over_time: overRange((points) => Math.sqrt(variance(values(points)))),
  last_over_time: overRange((points) => points.at(-1)?.value, { keepName: true }),
  quantile_over_time: overRange((points, _, call) => quantileOf(scalarOf(call, 0), values(points)), { before: ['scalar'] }),
  timestamp: {
    params: ['vector'],
    returns: 'vector',
    // Samples of any other expression are of the time of the evaluation.
    evaluate(call) {
      const isSelector = call.exprs[0]?.kind === 'selector';
      const timeOf = ({ tMs = call.atMs }: VectorSample) => (isSelector ? tMs : call.atMs) / 1000;
      return vector(samplesOf(call, 0).map((sample) => ({ labels: withoutName(sample.labels), value: timeOf(sample) })));
    },
  },
  abs: perSample(Math.abs),
  ceil: perSample(Math.ceil),
  floor: perSample(Math.floor),
  exp: perSample(Math.exp),
  sqrt: perSample(Math.sqrt),
  ln: perSample(Math.log),
  log2: perSample(Math.log2),
  log10: perSample(Math.log10),
  sgn: perSample(Math.sign),
  round: perSample((value, call) => roundTo(value, scalarOf(call, 1, 1)), ['scalar'], 1),
  clamp_min: perSample((value, call) => larger(value, scalarOf(call, 1)), ['scalar']),
  clamp_max: perSample((value, call) => smaller(value, scalarOf(call, 1)), ['scalar']),
  clamp: {
    params: ['vector', 'scalar', 'scalar'],
    returns: 'vector',
    evaluate(call) {
      const [min, max] = [scalarOf(call, 1), scalarOf(call, 2)];
      const clamped = perSample((value) => larger(min, smaller(max, value)));
      return max < min ? vector([]) : clamped.evaluate(call);
    },
  },
  sort: sorted(1),
  sort_desc: sorted(-1),
  time: { params: [], returns: 'scalar', evaluate: ({ atMs }) => ({ kind: 'scalar', value: atMs / 1000 }) },
  vector: { params: ['scalar'], returns: 'vector', evaluate: (call) => vector([{ labels: {}, value: scalarOf(call, 0) }]) },
  scalar: {
    params: ['vector'],
    returns: 'scalar',
    evaluate(call) {
      const [only, ...others] = samplesOf(call, 0);
      return { kind: 'scalar', value: only && others.length === 0 ? only.value : Number.NaN };
    },
  },
  absent: {
    params: ['vector'],
    returns: 'vector',
    evaluate: (call) => vector(samplesOf(call, 0).length > 0 ? [] : [{ labels: absentLabels(call.exprs[0]), value: 1 }]),
  },
  histogram_quantile: { params: ['scalar', 'vector'], returns: 'vector', evaluate: histogramQuantile },
  label_replace: { params: ['vector', 'string', 'string', 'string', 'string'], returns: 'vector', evaluate: labelReplace },
};

/** Go's math.Max and math.Min: where one side is NaN, an infinity that decides still does. */
const larger = (a: number, b: number): number => (a === Infinity || b === Infinity ? Infinity : Math.max(a, b));
const smaller = (a: number, b: number): number => (a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b));

/** Halves are rounded up, as Prometheus does: `floor(v / to + 0.5) * to`, by way of the inverse to keep decimals exact. */
function roundTo(value: number, to: number): number {
  const inverse = 1 / to;
  return Math.floor(value * inverse + 0.5) / inverse;
}

/** The labels that the selector demands with `=` exactly once. */
function absentLabels(expr: Expr | undefined): LabelSet {
  if (expr?.kind !== 'selector') return {};
  const labels: Record<string, string> = {};
  for (const { label, op, value } of expr.matchers) {
    const times = expr.matchers.filter((one) => one.label === label).length;
    if (label !== '__name__' && op === '=' && times === 1) labels[label] = value;
  }
  return labels;
}

function histogramQuantile(call: FunctionCall): Value {
  const histograms = new Map<string, { labels: LabelSet; buckets: Bucket[] }>();
  for (const { labels, value } of samplesOf(call, 1)) {
    const { le, ...rest } = withoutName(labels);
    const upperBound = parseFloatText(le ?? '');
    if (upperBound === undefined) continue;
    keptIn(histograms, seriesKey(rest), () => ({ labels: rest, buckets: [] })).buckets.push({ upperBound, count: value });
  }
  return vector([...histograms.values()].map(({ labels, buckets }) => ({ labels, value: bucketQuantile(scalarOf(call, 0), buckets) })));
}

function labelReplace(call: FunctionCall): Value {
  const [target, replacement, source, pattern] = [1, 2, 3, 4].map((index) => textOf(call, index)) as [string, string, string, string];
  const regex = anchoredRegex(pattern);
  if (!/^[a-zA-Z_]\w*$/.test(target)) throw failedExecution(`invalid destination label name in label_replace(): ${target}`);
  const samples = samplesOf(call, 0).map((sample) => {
    const match = regex.exec(sample.labels[source] ?? '');
    if (!match) return sample;
    const text = replacement.replace(/\$(?:(\$)|(\w+)|\{(\w+)\})/g, (_, dollar, bare, braced) => {
      if (dollar) return '$';
      const name = String(bare ?? braced);
      return (/^\d+$/.test(name) ? match[Number(name)] : match.groups?.[name]) ?? '';
    });
    const { [target]: _, ...rest } = sample.labels;
    return { ...sample, labels: text === '' ? rest : { ...rest, [target]: text } };
  });
  return vector(samples);
}
