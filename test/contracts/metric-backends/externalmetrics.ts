import type { BackendCase, SeenRequest } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const items = (...values: (string | number)[]) =>
  JSON.stringify({ kind: 'ExternalMetricValueList', items: values.map((value) => ({ metricName: 'queue', metricLabels: {}, value })) });

const PATH = '/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue?labelSelector=app%3Dweb%2Ctier+in+%28a%29';
const common = {
  name: 'The metrics API',
  start: () =>
    httpFake({
      value: items('7000m'),
      noData: items(),
      empty: items(),
      severalSeries: items('3', 4),
      refused: { status: 400, body: '{"kind":"Status","reason":"BadRequest","message":"about planted-object"}' },
      badCredentials: { status: 403, body: '{"kind":"Status","reason":"Forbidden","message":"about planted-object"}' },
    }),
  // A block of YAML ends with a new line.
  query: 'shop/queue?labelSelector=app%3Dweb%2Ctier+in+%28a%29\n',
  isProbe: ({ method, url }: SeenRequest) => method === 'GET' && url === '/apis/external.metrics.k8s.io/v1beta1',
  ofSeveral: 3,
  null: 'a metric always has a quantity',
  NaN: 'a quantity is a number',
  stale: 'values carry their time, and the API serves the latest only',
  refusalShown: /answered 400: BadRequest/,
  docs: {
    address: 'the cluster unless given',
    keys: 'none; `token` for an address',
    query: "`[namespace/]metric[?labelSelector=…]`, in the cluster of the template's own namespace",
  },
} satisfies Partial<BackendCase>;

/** At the address of the template, with the token of its Secret. */
export const externalmetricsElsewhere: BackendCase = {
  ...common,
  source: { secret: { token: 'planted-token\n' } },
  optionalKeys: ['token'],
  isDocumented: ({ method, url, headers }) => method === 'GET' && url === PATH && headers.authorization === 'Bearer planted-token',
  planted: ['planted-token', 'planted-object'],
};

/** Through the cluster, without an address. */
export const externalmetrics: BackendCase = {
  ...common,
  inCluster: true,
  source: { provider: { address: '' } },
  isDocumented: ({ method, url }) => method === 'GET' && url === PATH,
  leftOut: { hugeBody: 'the API server has its own client, which trusts the length of its answers' },
  planted: ['planted-object'],
};
