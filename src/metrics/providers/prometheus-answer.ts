import { z } from 'zod';
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

/** The measurement in a body of `/api/v1/query`. Of several series the last decides (05 P5). */
export function readAnswer(body: string): Measurement {
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
  return readResult(data.result, data.resultType);
}

type Result = NonNullable<z.infer<typeof Answer>['data']>['result'];

function readResult(result: Result, resultType: string | undefined): Measurement {
  if (resultType === 'scalar') return readSample(result[1]);
  if (resultType === 'string') return { kind: 'error', reason: 'the query gives a text, not a number' };
  if (resultType === 'matrix') return rangeResult;
  let last: Measurement = { kind: 'noData', reason: 'the query found no series' };
  for (const series of result) {
    if (typeof series !== 'object' || series === null)
      return { kind: 'error', reason: 'Prometheus answered with JSON that is no query result' };
    if ('values' in series) return rangeResult;
    // A native histogram has no single value: passed over like any other element without one.
    if ('value' in series && Array.isArray(series.value)) last = readSample(series.value[1]);
  }
  return last;
}

const rangeResult: Measurement = { kind: 'error', reason: 'the query gives a range of values: wrap it so that one value is left' };

/** A value as Go writes floats: JavaScript's `Number` knows no `+Inf`. */
function readSample(text: unknown): Measurement {
  if (typeof text !== 'string') return { kind: 'noData', reason: 'the sample has no value' };
  if (text === '+Inf' || text === 'Inf') return { kind: 'value', value: Infinity };
  if (text === '-Inf') return { kind: 'value', value: -Infinity };
  if (text === 'NaN') return { kind: 'noData', reason: 'the query gives NaN, as it does when there was no traffic' };
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(value)
    ? { kind: 'error', reason: `the sample ${JSON.stringify(text.slice(0, 40))} is no number` }
    : { kind: 'value', value };
}
