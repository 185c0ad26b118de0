import * as z from 'zod';
import type { SampleRule } from '../samples.ts';
import { type MakeBackend, requestTo, secretKeys, windowOf } from './backend.ts';
import { jsonBackend } from './json-backend.ts';

const DEFAULT_ADDRESS = 'https://insights-api.newrelic.com';
const RULE: SampleRule = { series: 'first', sample: 'first', null: 'noData', empty: 'noData', nan: 'keep' };

const ResponseBody = z.object({ results: z.array(z.looseObject({ result: z.number().nullish() })) });
const ErrorBody = z.object({ error: z.string() });

/** New Relic's Insights query API: `GET /v1/accounts/{id}/query`, the window written into the NRQL. */
export const newrelic: MakeBackend = (source) => {
  const keys = secretKeys(source, ['newrelic_account_id', 'newrelic_query_key']);
  if ('problem' in keys) return keys;
  const window = windowOf(source, 1);
  if (typeof window !== 'number') return window;
  const address = source.provider.address || DEFAULT_ADDRESS;
  const path = `/v1/accounts/${encodeURIComponent(keys.newrelic_account_id)}/query`;
  const headers = { 'x-query-key': keys.newrelic_query_key };
  const get = (query: string) => requestTo(address, path, { nrql: `${query} SINCE ${Math.floor(window / 1000)} seconds ago` }, headers);
  return jsonBackend({
    who: 'New Relic',
    source,
    secrets: [keys.newrelic_query_key],
    request: get,
    read(json) {
      const { data } = ResponseBody.safeParse(json);
      // Several aggregates or facets have no single result to judge, as in Flagger.
      return data && (data.results.length === 1 ? [[data.results[0]?.result ?? null]] : []);
    },
    rule: RULE,
    probe: () => get('SELECT * FROM Metric'),
    queryRefusal: 400,
    errorText: (json) => ErrorBody.safeParse(json).data?.error,
  });
};
