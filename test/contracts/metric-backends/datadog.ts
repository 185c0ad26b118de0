import type { BackendCase } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const series = (...points: (number | null)[][]) =>
  JSON.stringify({ series: points.map((values) => ({ pointlist: values.map((value, index) => [index, value]) })) });

export const datadog: BackendCase = {
  name: 'Datadog',
  start: () =>
    httpFake({
      value: series([7, 8]),
      noData: series(),
      null: series([null]),
      empty: series([]),
      severalSeries: series([3], [4]),
      refused: { status: 400, body: '{"errors":["Error parsing query"]}' },
    }),
  source: { secret: { datadog_api_key: 'planted-api', datadog_application_key: 'planted-app' } },
  query: 'avg:requests{*}',
  // Ten intervals of a minute back, in whole seconds.
  isDocumented: ({ method, url, headers }) =>
    method === 'GET' &&
    url === '/api/v1/query?from=1799999400&query=avg%3Arequests%7B*%7D&to=1800000000' &&
    headers['dd-api-key'] === 'planted-api' &&
    headers['dd-application-key'] === 'planted-app',
  isProbe: ({ method, url, headers }) => method === 'GET' && url === '/api/v1/validate' && headers['dd-api-key'] === 'planted-api',
  ofSeveral: 3,
  null: 0,
  NaN: 'JSON has no NaN: a point without a value is null',
  stale: 'the window that is asked for is the only measure of age',
  refusalShown: /answered 400: Error parsing query/,
  refusalCode: 'QueryInvalid',
  planted: ['planted-api', 'planted-app'],
  docs: {
    address: '`https://api.datadoghq.com` unless given',
    keys: '`datadog_api_key`, `datadog_application_key`',
    query: 'a query of API v1',
  },
};
