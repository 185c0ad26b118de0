import type { QueryResult } from 'prometheus-query';
import * as z from 'zod';
import { parseJson } from '../../base/json.ts';
import type { Samples } from '../samples.ts';

const Sample = z.tuple([z.number(), z.unknown()]).rest(z.unknown());
const ResponseBody = z.object({
  status: z.string(),
  error: z.string().optional(),
  data: z
    .object({
      resultType: z.string().optional(),
      result: z.union([Sample, z.array(z.looseObject({ value: Sample.optional(), values: z.unknown().optional() }))]),
    })
    .optional(),
});
type Result = NonNullable<z.infer<typeof ResponseBody>['data']>['result'];

/** A response that the driver reads correctly. */
export interface Readable {
  status: 'success';
  data:
    | { resultType: 'scalar'; result: [number, string] }
    | { resultType: 'vector'; result: { metric: object; value: [number, string] }[] };
  /** Indexes of the series without a value, which the driver does not get: native histograms, and values that are not text. */
  absent: ReadonlySet<number>;
}

/**
 * A body of `/api/v1/query`, checked before `prometheus-query` reads it: that driver reads `+Inf` as NaN and `1abc` as 1, and fails silently at a native
 * histogram.
 */
export function checkedResponse(body: string): Readable | { reason: string } {
  const json = parseJson(body);
  if (json === undefined) return { reason: 'Prometheus gave an unexpected response (no JSON)' };
  const parsed = ResponseBody.safeParse(json);
  if (!parsed.success) return noResult;
  const { status, error, data } = parsed.data;
  if (status !== 'success' || !data) return { reason: `Prometheus refused the query: ${(error ?? status).slice(0, 300)}` };
  if (data.resultType === 'string') return { reason: 'the query gives a text, not a number' };
  if (data.resultType === 'matrix') return rangeResult;
  return data.resultType === 'scalar' ? checkedScalar(data.result) : checkedVector(data.result);
}

/** A checked response after the driver has parsed it; `null` for each series without a value. */
export function samplesOf({ resultType, result }: QueryResult, absent: ReadonlySet<number>): Samples {
  const values: number[] =
    resultType === 'scalar' ? [Number((result as unknown as [number, string])[1])] : result.map(({ value }) => value.value);
  const left = values.values();
  return Array.from({ length: values.length + absent.size }, (_, place) => [absent.has(place) ? null : (left.next().value ?? null)]);
}

const noResult = { reason: 'Prometheus gave an unexpected response (JSON without a query result)' };
const rangeResult = { reason: 'the query gives a range of values: wrap it so that one value is left' };

function checkedScalar(result: Result): Readable | { reason: string } {
  const [atSeconds, given] = result as [number, unknown];
  const value = asNumber(given);
  if (typeof value !== 'string') return value ?? { ...vectorOf([]), absent: new Set([0]) };
  return { status: 'success', data: { resultType: 'scalar', result: [atSeconds, value] }, absent: new Set() };
}

function checkedVector(result: Result): Readable | { reason: string } {
  const checked: { metric: object; value: [number, string] }[] = [];
  const absent = new Set<number>();
  for (const [place, series] of result.entries()) {
    if (typeof series !== 'object' || series === null) return noResult;
    if ('values' in series) return rangeResult;
    const [atSeconds, given] = 'value' in series && Array.isArray(series.value) ? series.value : [];
    const value = asNumber(given);
    if (typeof value === 'object') return value;
    if (value === undefined) absent.add(place);
    else checked.push({ metric: {}, value: [atSeconds, value] });
  }
  return { ...vectorOf(checked), absent };
}

const vectorOf = (result: { metric: object; value: [number, string] }[]): Omit<Readable, 'absent'> => ({
  status: 'success',
  data: { resultType: 'vector', result },
});

/** A float in Go's notation, in a form that `parseFloat` reads to the same number; undefined if it is not a text, and so has no value. */
export function asNumber(text: unknown): string | undefined | { reason: string } {
  if (typeof text !== 'string') return undefined;
  if (text === '+Inf' || text === 'Inf') return 'Infinity';
  if (text === '-Inf') return '-Infinity';
  if (text === 'NaN') return text;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? { reason: `the sample ${JSON.stringify(text.slice(0, 40))} is not a number` } : String(value);
}
