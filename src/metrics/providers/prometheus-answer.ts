import * as z from 'zod';
import { pickSample, type SampleChoice, type SampleRule, type Samples } from '../samples.ts';
import type { Measurement } from './metric-provider.ts';

const Sample = z.tuple([z.number(), z.unknown()]).rest(z.unknown());
const Answer = z.object({
  status: z.string(),
  error: z.string().optional(),
  data: z
    .object({
      resultType: z.string().optional(),
      result: z.union([Sample, z.array(z.looseObject({ value: Sample.optional(), values: z.unknown().optional() }))]),
    })
    .optional(),
});

/** Of several series the last that has a value decides, unless the template chooses (05 P5, W20). */
const RULE: SampleRule = { series: 'last', sample: 'last', null: 'skip', empty: 'noData', nan: 'noData' };

/** The measurement in a body of `/api/v1/query`. */
export function readAnswer(body: string, choice: SampleChoice = {}): Measurement {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { kind: 'error', reason: 'Prometheus answered with something that is no JSON' };
  }
  const parsed = Answer.safeParse(json);
  if (!parsed.success) return { kind: 'error', reason: 'Prometheus answered with JSON that is no query result' };
  const { status, error, data } = parsed.data;
  if (status !== 'success' || !data) return { kind: 'error', reason: `Prometheus refused the query: ${(error ?? status).slice(0, 300)}` };
  const found = samplesOf(data.result, data.resultType);
  return 'reason' in found ? { kind: 'error', ...found } : pickSample(found.samples, RULE, choice);
}

type Result = NonNullable<z.infer<typeof Answer>['data']>['result'];

function samplesOf(result: Result, resultType: string | undefined): { samples: Samples } | { reason: string } {
  if (resultType === 'string') return { reason: 'the query gives a text, not a number' };
  if (resultType === 'matrix') return rangeResult;
  if (resultType === 'scalar') return collect([readSample(result[1])]);
  const points: Point[] = [];
  for (const series of result) {
    if (typeof series !== 'object' || series === null) return { reason: 'Prometheus answered with JSON that is no query result' };
    if ('values' in series) return rangeResult;
    // A native histogram has no single value: passed over like any other element without one.
    points.push('value' in series && Array.isArray(series.value) ? readSample(series.value[1]) : null);
  }
  return collect(points);
}

const rangeResult = { reason: 'the query gives a range of values: wrap it so that one value is left' };

type Point = number | null | { reason: string };

function collect(points: readonly Point[]): { samples: Samples } | { reason: string } {
  const wrong = points.find((point) => typeof point === 'object' && point !== null);
  return wrong ?? { samples: points.map((point) => (typeof point === 'number' ? [point] : [null])) };
}

/** A value as Go writes floats: JavaScript's `Number` knows no `+Inf`. One that is no text is no value (05 P4). */
function readSample(text: unknown): Point {
  if (typeof text !== 'string') return null;
  if (text === '+Inf' || text === 'Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  if (text === 'NaN') return Number.NaN;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? { reason: `the sample ${JSON.stringify(text.slice(0, 40))} is no number` } : value;
}
