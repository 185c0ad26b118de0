import { oncePerObject } from '../../base/once.ts';
import type { Run } from './runs.ts';

/** Label names to values; the metric's name is the label `__name__`. */
export type LabelSet = Readonly<Record<string, string>>;

export interface Series {
  labels: LabelSet;
  /** Its points, in order of time. */
  runs: Run[];
}

/** One sample to store, as a scrape or a test brings it. */
export interface IngestedSample {
  labels: LabelSet;
  tMs: number;
  /** Absent for a stale marker. */
  value?: number;
}

export type MatchOp = '=' | '!=' | '=~' | '!~';
export interface SeriesMatcher {
  label: string;
  op: MatchOp;
  value: string;
  matches(value: string): boolean;
}

/** The identity of a label set: empty labels do not count, order does not matter. Sets never change. */
export const seriesKey = oncePerObject((labels: LabelSet) =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([, value]) => value !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ),
);

/** `{a="b", c="d"}`, as Prometheus writes it in errors. */
export function labelText(labels: LabelSet): string {
  const { __name__: name = '', ...rest } = labels;
  const inner = Object.entries(rest)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return name !== '' && inner.length === 0 ? name : `${name}{${inner.join(', ')}}`;
}
