import type { BackendCase } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const result = (...data: (number | null)[][]) =>
  JSON.stringify({ result: [{ metricId: 'm', data: data.map((values) => ({ timestamps: [1], values })) }] });

export const dynatrace: BackendCase = {
  name: 'Dynatrace',
  start: () =>
    httpFake({
      value: result([7]),
      noData: result(),
      null: result([null]),
      empty: JSON.stringify({ result: [] }),
      severalSeries: result([3], [4]),
      refused: { status: 400, body: '{"error":{"code":400,"message":"Could not parse metric selector"}}' },
    }),
  source: { secret: { dynatrace_token: 'planted-token' } },
  query: 'builtin:service.errors',
  // Ten intervals back in milliseconds, the end in whole seconds.
  isDocumented: ({ method, url, headers }) =>
    method === 'GET' &&
    url === '/api/v2/metrics/query?from=1799999400500&metricSelector=builtin%3Aservice.errors&resolution=Inf&to=1800000000000' &&
    headers.authorization === 'Api-Token planted-token',
  isProbe: ({ method, url }) => method === 'GET' && url === '/api/v2/metrics?pageSize=1',
  ofSeveral: 4,
  null: 0,
  NaN: 'JSON has no NaN: a point without a value is null',
  stale: 'the window that is asked for is the only measure of age',
  refusalShown: /answered 400: Could not parse metric selector/,
  refusalCode: 'QueryInvalid',
  planted: ['planted-token'],
  docs: { address: 'needed', keys: '`dynatrace_token`', query: 'a metric selector' },
};
