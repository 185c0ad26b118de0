import { failedExecution } from '../query-error.ts';
import { type LabelSet, labelText, seriesKey } from '../series.ts';
import { type ArithmeticOp, type ComparisonOp, comparisons, type Matching, type SetOp } from './ast.ts';
import { type VectorSample, withoutName } from './value.ts';

type ValueOp = ArithmeticOp | ComparisonOp;

const compute: Readonly<Record<ValueOp, (a: number, b: number) => number | boolean>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  // Go: 1^NaN and (-1)^±Inf are 1; JavaScript: NaN.
  '^': (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** A comparison gives 1 or 0. */
export function scalarBinary(op: ValueOp, left: number, right: number): number {
  return Number(compute[op](left, right));
}

/** `vector op scalar` or, with `swapped`, `scalar op vector`. A comparison filters the vector and keeps its values. */
export function vectorScalarBinary(
  op: ValueOp,
  bool: boolean,
  samples: readonly VectorSample[],
  scalar: number,
  swapped: boolean,
): VectorSample[] {
  return samples.flatMap(({ labels, value }) => {
    const result = swapped ? compute[op](scalar, value) : compute[op](value, scalar);
    if (comparisons.includes(op) && !bool) return result ? [{ labels, value }] : [];
    return [{ labels: withoutName(labels), value: Number(result) }];
  });
}

/** Values and labels come from `left`; `or` adds the series of `right` that match none. */
export function setBinary(op: SetOp, matching: Matching, left: readonly VectorSample[], right: readonly VectorSample[]): VectorSample[] {
  const key = matchKey(matching);
  const rightKeys = new Set(right.map(({ labels }) => key(labels)));
  if (op === 'and') return left.filter(({ labels }) => rightKeys.has(key(labels)));
  if (op === 'unless') return left.filter(({ labels }) => !rightKeys.has(key(labels)));
  const leftKeys = new Set(left.map(({ labels }) => key(labels)));
  return [...left, ...right.filter(({ labels }) => !leftKeys.has(key(labels)))];
}

/** Source: Prometheus promql/engine.go VectorBinop. */
export function vectorBinary(
  op: ValueOp,
  bool: boolean,
  matching: Matching,
  left: readonly VectorSample[],
  right: readonly VectorSample[],
): VectorSample[] {
  // Before the search for duplicates: with an empty side they are not an error.
  if (left.length === 0 || right.length === 0) return [];
  const swapped = matching.group?.side === 'right';
  const [many, one] = swapped ? [right, left] : [left, right];
  const key = matchKey(matching);
  const ones = uniqueByKey(one, key, swapped ? 'left' : 'right');
  const results: VectorSample[] = [];
  const seen = new Set<string>();
  for (const sample of many) {
    const group = key(sample.labels);
    const other = ones.get(group);
    if (!other) continue;
    const [a, b] = swapped ? [other.value, sample.value] : [sample.value, other.value];
    const result = compute[op](a, b);
    const filters = comparisons.includes(op) && !bool;
    if (filters && !result) continue;
    const labels = resultLabels(filters ? sample.labels : withoutName(sample.labels), other.labels, matching);
    const identity = matching.group ? seriesKey(labels) : group;
    if (seen.has(identity)) throw failedExecution(ambiguous(matching));
    seen.add(identity);
    results.push({ labels, value: filters ? a : Number(result) });
  }
  return results;
}

function matchKey({ on, labels }: Matching): (of: LabelSet) => string {
  // `on(__name__)` can include the name; `ignoring` always ignores it.
  return (of) => seriesKey(Object.fromEntries(Object.entries(on ? of : withoutName(of)).filter(([name]) => labels.includes(name) === on)));
}

function uniqueByKey(samples: readonly VectorSample[], key: (of: LabelSet) => string, side: string): Map<string, VectorSample> {
  const found = new Map<string, VectorSample>();
  for (const sample of samples) {
    const group = key(sample.labels);
    const earlier = found.get(group);
    if (earlier) {
      const pair = `[${labelText(sample.labels)}, ${labelText(earlier.labels)}]`;
      throw failedExecution(
        `found duplicate series for the match group on the ${side} hand-side of the operation: ${pair};many-to-many matching not allowed: matching labels must be unique on one side`,
      );
    }
    found.set(group, sample);
  }
  return found;
}

function resultLabels(labels: LabelSet, other: LabelSet, { on, labels: matched, group }: Matching): LabelSet {
  if (!group) return Object.fromEntries(Object.entries(labels).filter(([name]) => matched.includes(name) === on));
  const result: Record<string, string> = { ...labels };
  for (const name of group.include) {
    const value = other[name];
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

function ambiguous({ group }: Matching): string {
  return group
    ? 'multiple matches for labels: grouping labels must ensure unique matches'
    : 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)';
}
