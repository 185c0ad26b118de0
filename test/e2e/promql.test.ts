import { expect, it } from 'vitest';
import * as z from 'zod';
import { seriesKey } from '../../src/embedded/prometheus/series.ts';
import { bothPrometheuses } from './promql/both-prometheuses.ts';
import { generatedData, queryTimesMs } from './promql/generated-data.ts';
import { generatedQueries } from './promql/generated-queries.ts';

const DATA_SEED = 20_261_121;
const QUERY_SEED = Number(process.env.PROMQL_SEED ?? 5);
const QUERIES = 400;
const RELATIVE = 1e-9;

const prometheus = bothPrometheuses(() => generatedData(DATA_SEED));

const Sample = z.tuple([z.number(), z.string()]);
const Body = z.object({
  errorType: z.string().optional(),
  data: z
    .discriminatedUnion('resultType', [
      z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: Sample })) }),
      z.object({ resultType: z.literal('scalar'), result: Sample }),
    ])
    .optional(),
});

type Answered = { error: string } | { type: string; values: Map<string, number> };

async function answerOf(url: string, query: string, atMs: number): Promise<Answered> {
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query, time: String(atMs / 1000) })}`);
  const { errorType, data } = Body.parse(await response.json());
  if (data === undefined) return { error: `${response.status} ${errorType}` };
  if (data.resultType === 'vector') {
    return { type: 'vector', values: new Map(data.result.map(({ metric, value }) => [seriesKey(metric), numberOf(value[1])])) };
  }
  return { type: data.resultType, values: new Map([['', numberOf(data.result[1])]]) };
}

const numberOf = (text: string) => Number(text.replace(/^([+-]?)Inf$/, '$1Infinity'));
const isClose = (a: number, b: number) => Object.is(a, b) || a === b || Math.abs(a - b) <= RELATIVE * Math.max(Math.abs(a), Math.abs(b));

function difference(a: Answered, b: Answered): string | undefined {
  if ('error' in a || 'error' in b) {
    const [left, right] = [a, b].map((one) => ('error' in one ? one.error : 'an answer'));
    return left === right ? undefined : `${left} and ${right}`;
  }
  if (a.type !== b.type) return `${a.type} and ${b.type}`;
  const keys = new Set([...a.values.keys(), ...b.values.keys()]);
  const wrong = [...keys].find((key) => !isClose(a.values.get(key) ?? Number.MAX_VALUE, b.values.get(key) ?? Number.MIN_VALUE));
  return wrong === undefined ? undefined : `${wrong}: ${a.values.get(wrong)} and ${b.values.get(wrong)}`;
}

it(`generated PromQL gives value, labels and error as a real Prometheus does, to ${RELATIVE}`, async () => {
  const differences: string[] = [];
  const seen = { value: 0, empty: 0, error: 0 };
  for (const [index, query] of generatedQueries(QUERY_SEED, QUERIES).entries()) {
    const atMs = queryTimesMs[index % queryTimesMs.length] as number;
    const [theirs, ours] = await Promise.all([answerOf(prometheus.real.url, query, atMs), answerOf(prometheus.embedded.url, query, atMs)]);
    seen['error' in theirs ? 'error' : theirs.values.size > 0 ? 'value' : 'empty'] += 1;
    const found = difference(theirs, ours);
    if (found !== undefined) differences.push(`${query}  at ${atMs}: Prometheus and embedded: ${found}`);
  }
  expect(differences).toEqual([]);
  // Queries that mostly find nothing would agree for nothing.
  expect(seen.value).toBeGreaterThan(150);
  expect(seen.error).toBeGreaterThan(15);
});
