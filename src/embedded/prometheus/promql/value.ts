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

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;
const WHOLE = /^(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m(?!s))?(?:\d+s)?(?:\d+ms)?$/;

/** Milliseconds of a Prometheus duration (`1m30s`, units in falling order, whole numbers) or of a number of seconds. */
export function promDuration(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (text === '' || !WHOLE.test(text)) return undefined;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g)) ms += Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms;
}
