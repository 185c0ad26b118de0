import { oncePerObject } from '../../../base/once.ts';
import type { LabelSet } from '../series.ts';

export interface VectorSample {
  labels: LabelSet;
  value: number;
  /** When it was scraped; only a selector's own samples have it. */
  tMs?: number;
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

/** The same object each time for the labels of a series, so that its key is made once. */
export const withoutName = oncePerObject(({ __name__: _, ...rest }: LabelSet): LabelSet => rest);
