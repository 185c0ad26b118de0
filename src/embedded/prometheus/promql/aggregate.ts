import { keptIn } from '../../../base/once.ts';
import { type LabelSet, seriesKey } from '../series.ts';
import { least, most, sum, variance } from './functions.ts';
import { byValue, quantileOf } from './quantile.ts';
import { type VectorSample, withoutName } from './value.ts';

interface Grouping {
  without: boolean;
  labels: readonly string[];
}

type Reduce = (values: readonly number[], param: number) => number;

const reduce: Readonly<Record<string, Reduce>> = {
  sum,
  avg: (values) => sum(values) / values.length,
  min: least,
  max: most,
  count: (values) => values.length,
  group: () => 1,
  stddev: (values) => Math.sqrt(variance(values)),
  stdvar: variance,
  quantile: (values, phi) => quantileOf(phi, values),
};

/** One sample a group; topk and bottomk choose whole samples instead. */
export function aggregate(op: string, grouping: Grouping, param: number, samples: readonly VectorSample[]): VectorSample[] {
  const groups = new Map<string, { labels: LabelSet; members: VectorSample[] }>();
  for (const sample of samples) {
    const labels = groupLabels(sample.labels, grouping);
    keptIn(groups, seriesKey(labels), () => ({ labels, members: [] })).members.push(sample);
  }
  const compute = reduce[op];
  return [...groups.values()].flatMap(({ labels, members }) => {
    if (!compute) return chooseExtremes(members, param, op === 'topk');
    const values = members.map(({ value }) => value);
    return [{ labels, value: compute(values, param) }];
  });
}

function groupLabels(labels: LabelSet, grouping: Grouping): LabelSet {
  const source = grouping.without ? withoutName(labels) : labels;
  return Object.fromEntries(Object.entries(source).filter(([name]) => grouping.labels.includes(name) !== grouping.without));
}

function chooseExtremes(members: readonly VectorSample[], k: number, largest: boolean): VectorSample[] {
  const wanted = Number.isNaN(k) ? 0 : Math.max(0, Math.trunc(k));
  return members.toSorted(byValue(largest ? -1 : 1)).slice(0, wanted);
}
