import { keptIn } from '../../../base/once.ts';
import { failedExecution } from '../query-error.ts';
import { floatsIn, newestUpTo } from '../runs.ts';
import { type LabelSet, seriesKey } from '../series.ts';
import type { SeriesStore } from '../store.ts';
import { aggregate } from './aggregate.ts';
import { type ArithmeticOp, type ComparisonOp, type EvaluatedAt, type Expr, type SetOp, setOps } from './ast.ts';
import { scalarBinary, setBinary, vectorBinary, vectorScalarBinary } from './binary.ts';
import { functions } from './functions.ts';
import { type FloatPoint, type RangeSeries, type Value, type VectorSample, withoutName } from './value.ts';

/** Time for which a series is seen after its last sample (Prometheus' default `--query.lookback-delta`). */
const lookbackMs = 5 * 60_000;

/** The value of an expression at one moment (epoch milliseconds). Throws QueryError. */
export function evaluate(expr: Expr, store: SeriesStore, atMs: number): Value {
  const inner = (one: Expr) => evaluate(one, store, atMs);
  switch (expr.kind) {
    case 'number':
      return { kind: 'scalar', value: expr.value };
    case 'string':
      return { kind: 'string', value: expr.value };
    case 'selector':
      return { kind: 'vector', samples: [...selectInstant(expr, store, atMs)] };
    case 'range':
      return selectRange(expr, store, atMs);
    case 'subquery':
      return evaluateSubquery(expr, store, atMs);
    case 'negate':
      return negate(inner(expr.operand));
    case 'call':
      return unique(
        functions[expr.name]?.evaluate({ args: expr.args.map(inner), exprs: expr.args, atMs }) ?? { kind: 'vector', samples: [] },
      );
    case 'aggregate': {
      const param = expr.param ? inner(expr.param) : undefined;
      const phi = param?.kind === 'scalar' ? param.value : Number.NaN;
      const grouping = { without: expr.without, labels: expr.grouping };
      return { kind: 'vector', samples: aggregate(expr.op, grouping, phi, samplesOf(inner(expr.operand))) };
    }
    case 'binary':
      return unique(binary(expr, inner(expr.left), inner(expr.right)));
    default:
      return expr satisfies never;
  }
}

const samplesOf = (value: Value): readonly VectorSample[] => (value.kind === 'vector' ? value.samples : []);

/** The newest sample of each series in (atMs − lookback, atMs], unless a stale marker came after it. */
function* selectInstant(expr: Extract<Expr, { kind: 'selector' }>, store: SeriesStore, atMs: number): Generator<VectorSample> {
  const endMs = endOf(expr, atMs);
  for (const { labels, runs } of store.select(expr.matchers)) {
    const newest = newestUpTo(runs, endMs);
    if (newest?.value !== undefined && newest.tMs > endMs - lookbackMs) yield { labels, value: newest.value, tMs: newest.tMs };
  }
}

function selectRange({ selector, rangeMs }: Extract<Expr, { kind: 'range' }>, store: SeriesStore, atMs: number): Value {
  const endMs = endOf(selector, atMs);
  const startMs = endMs - rangeMs;
  const series: RangeSeries[] = [];
  for (const { labels, runs } of store.select(selector.matchers)) {
    const points = floatsIn(runs, startMs, endMs);
    if (points.length > 0) series.push({ labels, points });
  }
  return { kind: 'matrix', series, startMs, endMs };
}

const endOf = (at: EvaluatedAt, queryMs: number): number => (at.atMs ?? queryMs) - at.offsetMs;

/** At the whole multiples of the step in the range, so that two queries see the same moments. Source: Prometheus promql/engine.go. */
function evaluateSubquery(expr: Extract<Expr, { kind: 'subquery' }>, store: SeriesStore, atMs: number): Value {
  const { operand, rangeMs, stepMs } = expr;
  const endMs = endOf(expr, atMs);
  const startMs = endMs - rangeMs;
  const found = new Map<string, { labels: LabelSet; points: FloatPoint[] }>();
  for (let tMs = (Math.floor(startMs / stepMs) + 1) * stepMs; tMs <= endMs; tMs += stepMs) {
    for (const { labels, value } of samplesOf(evaluate(operand, store, tMs))) {
      keptIn(found, seriesKey(labels), () => ({ labels, points: [] })).points.push({ tMs, value });
    }
  }
  return { kind: 'matrix', series: [...found.values()], startMs, endMs };
}

function negate(value: Value): Value {
  if (value.kind === 'scalar') return { kind: 'scalar', value: -value.value };
  const samples = samplesOf(value).map((sample) => ({ labels: withoutName(sample.labels), value: -sample.value }));
  return unique({ kind: 'vector', samples });
}

function binary(expr: Extract<Expr, { kind: 'binary' }>, left: Value, right: Value): Value {
  if (setOps.includes(expr.op)) {
    return { kind: 'vector', samples: setBinary(expr.op as SetOp, expr.matching, samplesOf(left), samplesOf(right)) };
  }
  const op = expr.op as ArithmeticOp | ComparisonOp;
  if (left.kind === 'scalar' && right.kind === 'scalar') return { kind: 'scalar', value: scalarBinary(op, left.value, right.value) };
  if (right.kind === 'scalar') return { kind: 'vector', samples: vectorScalarBinary(op, expr.bool, samplesOf(left), right.value, false) };
  if (left.kind === 'scalar') return { kind: 'vector', samples: vectorScalarBinary(op, expr.bool, samplesOf(right), left.value, true) };
  return { kind: 'vector', samples: vectorBinary(op, expr.bool, expr.matching, samplesOf(left), samplesOf(right)) };
}

/** Dropping the metric's name can make two series one; Prometheus refuses that rather than choosing. */
function unique(value: Value): Value {
  if (samplesOf(value).length < 2) return value;
  const seen = new Set<string>();
  for (const { labels } of samplesOf(value)) {
    const key = seriesKey(labels);
    if (seen.has(key)) throw failedExecution('vector cannot contain metrics with the same labelset');
    seen.add(key);
  }
  return value;
}
