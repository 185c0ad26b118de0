import { keptIn } from '../../base/once.ts';
import { evaluate } from './promql/evaluate.ts';
import { parsePromqlOnce } from './promql/parse.ts';
import type { Value } from './promql/value.ts';
import { badData } from './query-error.ts';
import { type LabelSet, seriesKey } from './series.ts';
import type { SeriesStore } from './store.ts';

/** Seconds, and the value as text. */
type WireSample = [number, string];
export type QueryData =
  | { resultType: 'vector'; result: { metric: LabelSet; value: WireSample }[] }
  | { resultType: 'matrix'; result: { metric: LabelSet; values: WireSample[] }[] }
  | { resultType: 'scalar' | 'string'; result: WireSample };

/** `data` of `/api/v1/query`: the expression at one moment. Throws QueryError. */
export function instantQuery(store: SeriesStore, promql: string, atMs: number): QueryData {
  const value = evaluate(parsePromqlOnce(promql), store, atMs);
  switch (value.kind) {
    case 'scalar':
      return { resultType: 'scalar', result: [atMs / 1000, formatFloat(value.value)] };
    case 'string':
      return { resultType: 'string', result: [atMs / 1000, value.value] };
    case 'vector':
      return {
        resultType: 'vector',
        result: value.samples.map((sample) => ({ metric: sample.labels, value: [atMs / 1000, formatFloat(sample.value)] })),
      };
    case 'matrix':
      return {
        resultType: 'matrix',
        result: value.series.map(({ labels, points }) => ({
          metric: labels,
          values: points.map((point): WireSample => [point.tMs / 1000, formatFloat(point.value)]),
        })),
      };
    default:
      return value satisfies never;
  }
}

/** `data` of `/api/v1/query_range`: the expression at each step from start to end, both included. Throws QueryError. */
export function rangeQuery(store: SeriesStore, promql: string, startMs: number, endMs: number, stepMs: number): QueryData {
  if (stepMs <= 0) throw badData('invalid parameter "step": zero or negative query resolution step widths are not accepted');
  if (endMs < startMs) throw badData('invalid parameter "end": end timestamp must not be before start time');
  if ((endMs - startMs) / stepMs > 11_000) throw badData('exceeded maximum resolution of 11,000 points per timeseries');
  const expr = parsePromqlOnce(promql);
  const series = new Map<string, { metric: LabelSet; values: WireSample[] }>();
  for (let atMs = startMs; atMs <= endMs; atMs += stepMs) {
    for (const { labels, value } of samplesForRange(evaluate(expr, store, atMs))) {
      const one = keptIn(series, seriesKey(labels), () => ({ metric: labels, values: [] }));
      one.values.push([atMs / 1000, formatFloat(value)]);
    }
  }
  return { resultType: 'matrix', result: [...series.values()].sort((a, b) => (seriesKey(a.metric) < seriesKey(b.metric) ? -1 : 1)) };
}

function samplesForRange(value: Value) {
  if (value.kind === 'vector') return value.samples;
  if (value.kind === 'scalar') return [{ labels: {}, value: value.value }];
  throw badData('invalid parameter "query": invalid expression type for range query, must be Scalar or instant Vector');
}

/**
 * A float as Prometheus writes it: shortest digits that read back the same, never an exponent (Go's `FormatFloat(v, 'f', -1, 64)`).
 */
function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const shortest = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (!shortest) return String(value);
  const [, sign = '', whole = '', fraction = '', exponentText] = shortest;
  const digits = whole + fraction;
  const point = whole.length + Number(exponentText);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
