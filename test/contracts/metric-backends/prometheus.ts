import type { BackendCase } from './backend-case.ts';
import { startPrometheusFake } from './prometheus-fake.ts';

export const prometheus: BackendCase = {
  name: 'Prometheus',
  start: startPrometheusFake,
  source: { secret: { token: 'planted-token' } },
  query: 'sum(rate(requests[1m]))',
  isDocumented: ({ method, url, headers }) =>
    method === 'GET' &&
    url === '/api/v1/query?query=sum%28rate%28requests%5B1m%5D%29%29' &&
    headers.authorization === 'Bearer planted-token',
  isProbe: ({ method, url }) => method === 'GET' && url === '/api/v1/query?query=vector%281%29',
  ofSeveral: 2,
  stale: 'Prometheus itself leaves stale series out of an instant query',
  refusalShown: /1:5: parse error/,
  refusalCode: 'QueryInvalid',
  planted: ['planted-token'],
  docs: { address: 'needed', keys: 'none; or `token`; or `username` and `password`', query: 'PromQL' },
};
