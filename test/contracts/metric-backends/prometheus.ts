import type { BackendCase } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const vector = (...values: unknown[]) =>
  JSON.stringify({ status: 'success', data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) } });

export const prometheus: BackendCase = {
  start: () =>
    httpFake({
      // `vector(1)` is the probe.
      value: ({ url }) => vector(url.includes('vector') ? '1' : '7'),
      noData: vector(),
      null: vector(null),
      NaN: vector('NaN'),
      empty: vector(),
      severalSeries: vector('1', '2'),
      refused: { status: 400, body: '{"status":"error","errorType":"bad_data","error":"1:5: parse error"}' },
    }),
  source: { secret: { token: 'planted-token' } },
  query: 'sum(rate(requests[1m]))',
  isDocumented: ({ method, url, headers }) =>
    method === 'GET' &&
    url === '/api/v1/query?query=sum%28rate%28requests%5B1m%5D%29%29' &&
    headers.authorization === 'Bearer planted-token',
  ofSeveral: 2,
  stale: 'Prometheus itself leaves stale series out of an instant query',
  refusalShown: /1:5: parse error/,
  planted: ['planted-token'],
};
