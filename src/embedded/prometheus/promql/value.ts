import type { LabelSet } from '../series.ts';

export interface VectorSample {
  labels: LabelSet;
  value: number;
}

/** A point of a range selection; stale markers are gone. */
export interface FloatPoint {
  tMs: number;
  value: number;
}

export interface RangeSeries {
  labels: LabelSet;
  points: readonly FloatPoint[];
}

export type Value =
  | { kind: 'scalar'; value: number }
  | { kind: 'string'; value: string }
  | { kind: 'vector'; samples: readonly VectorSample[] }
  /** The selection covers (startMs, endMs]. */
  | { kind: 'matrix'; series: readonly RangeSeries[]; startMs: number; endMs: number };

export type MatrixValue = Extract<Value, { kind: 'matrix' }>;

export function withoutName({ __name__: _, ...labels }: LabelSet): LabelSet {
  return labels;
}
