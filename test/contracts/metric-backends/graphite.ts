import type { BackendCase } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const targets = (...points: (number | string | null)[][]) =>
  JSON.stringify(points.map((values, index) => ({ target: `t${index}`, datapoints: values.map((value, at) => [value, at]) })));

export const graphite: BackendCase = {
  name: 'Graphite',
  start: () =>
    httpFake({
      value: targets([3, 8.5, null, '7']),
      noData: targets([null, null]),
      null: targets([null]),
      NaN: targets(['NaN']),
      empty: targets(),
      severalSeries: targets([3], [4], [null]),
      refused: { status: 400, body: 'a page' },
    }),
  source: { secret: { username: 'planted-reader', password: 'planted-password' } },
  query: 'target=sum(requests)&from=-2min\n',
  isDocumented: ({ method, url, headers }) =>
    method === 'GET' &&
    url === '/render?format=json&from=-2min+&target=sum%28requests%29' &&
    headers.authorization === `Basic ${Buffer.from('planted-reader:planted-password').toString('base64')}`,
  isProbe: ({ method, url }) => method === 'GET' && url === '/render?format=json&target=test',
  ofSeveral: 4,
  NaN: 'kept',
  stale: 'points carry their time, and the query says how far back counts',
  refusalCode: 'QueryInvalid',
  planted: ['planted-reader', 'planted-password'],
  docs: { address: 'needed', keys: 'none; or `username` and `password`', query: 'parameters of `/render`' },
};
