import type { BackendCase } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const results = (...values: unknown[]) => JSON.stringify({ results: values });

export const newrelic: BackendCase = {
  name: 'New Relic',
  start: () =>
    httpFake({
      value: results({ result: 7 }),
      noData: results({}),
      null: results({ result: null }),
      empty: results(),
      severalSeries: results({ result: 1 }, { result: 2 }),
      refused: { status: 400, body: '{"error":"NRQL Syntax Error"}' },
    }),
  source: { secret: { newrelic_account_id: '12', newrelic_query_key: 'planted-key' } },
  query: 'SELECT x FROM Metric',
  isDocumented: ({ method, url, headers }) =>
    method === 'GET' &&
    url === '/v1/accounts/12/query?nrql=SELECT+x+FROM+Metric+SINCE+60+seconds+ago' &&
    headers['x-query-key'] === 'planted-key',
  isProbe: ({ url }) => url === '/v1/accounts/12/query?nrql=SELECT+*+FROM+Metric+SINCE+60+seconds+ago',
  ofSeveral: 'noData',
  NaN: 'JSON has no NaN: a result without a value is null',
  stale: 'the window that is asked for is the only measure of age',
  refusalShown: /answered 400: NRQL Syntax Error/,
  refusalCode: 'QueryInvalid',
  planted: ['planted-key'],
  docs: {
    address: '`https://insights-api.newrelic.com` unless given',
    keys: '`newrelic_account_id`, `newrelic_query_key`',
    query: 'NRQL; `SINCE` is added',
  },
};
