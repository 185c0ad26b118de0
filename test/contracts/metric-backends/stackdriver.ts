import { generateKeyPairSync, verify } from 'node:crypto';
import type { BackendCase, SeenRequest } from './backend-case.ts';
import { httpFake } from './http-fake.ts';
import { startPrometheusFake } from './prometheus-fake.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const serviceAccountKey = JSON.stringify({
  type: 'service_account',
  client_email: 'serin@shop.example',
  private_key: pem,
  private_key_id: 'planted-key-id',
});

const series = (...points: unknown[][]) =>
  JSON.stringify({ timeSeriesData: points.map((values) => ({ pointData: values.map((value) => ({ values: [value] })) })) });

/** A token that Google takes without an exchange: signed by the key, for the single scope that is needed. */
function isSigned({ headers }: SeenRequest): boolean {
  const [head = '', claims = '', signature = ''] = String(headers.authorization).replace('Bearer ', '').split('.');
  const { iss, scope } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const isGenuine = verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'));
  return isGenuine && iss === 'serin@shop.example' && scope === 'https://www.googleapis.com/auth/monitoring.read';
}

const refused = { status: 400, body: '{"error":{"code":400,"message":"Line 1: unknown resource"}}' };
const planted = [pem, 'planted-key-id'];

const docs = {
  address: "Google's; see below",
  keys: '`project`; `serviceAccountKey` if there is one',
  query: 'MQL, or PromQL with `queryLanguage: promql`',
};

export const stackdriver: BackendCase = {
  name: 'Stackdriver',
  start: () =>
    httpFake({
      // Newest first.
      value: series([{ doubleValue: 7 }, { doubleValue: 8 }]),
      noData: JSON.stringify({ timeSeriesDescriptor: {} }),
      null: series([{ boolValue: true }]),
      NaN: series([{ doubleValue: 'NaN' }]),
      empty: series([]),
      severalSeries: series([{ int64Value: '3' }], [{ doubleValue: 4 }]),
      refused,
    }),
  source: { secret: { project: 'shop', serviceAccountKey } },
  optionalKeys: ['serviceAccountKey'],
  query: 'fetch k8s_container | every 1m',
  isDocumented: (request) =>
    request.method === 'POST' &&
    request.url === '/v3/projects/shop/timeSeries:query' &&
    request.body === '{"query":"fetch k8s_container | every 1m"}' &&
    isSigned(request),
  isProbe: (request) => request.url === '/v3/projects/shop/timeSeries:query' && request.body === '{"query":""}' && isSigned(request),
  ofSeveral: 3,
  null: 0,
  NaN: 'kept',
  stale: 'points carry their time, and the query says how far back counts',
  refusalShown: /answered 400: Line 1: unknown resource/,
  refusalCode: 'QueryInvalid',
  planted,
  docs,
};

export const stackdriverPromql: BackendCase = {
  start: startPrometheusFake,
  source: { provider: { queryLanguage: 'promql' }, secret: { project: 'shop', serviceAccountKey } },
  optionalKeys: ['serviceAccountKey'],
  // Google's Prometheus API.
  name: 'Prometheus',
  query: 'sum(rate(requests[1m]))',
  isDocumented: (request) =>
    request.method === 'GET' &&
    request.url === '/v1/projects/shop/location/global/prometheus/api/v1/query?query=sum%28rate%28requests%5B1m%5D%29%29' &&
    isSigned(request),
  isProbe: (request) =>
    request.url === '/v1/projects/shop/location/global/prometheus/api/v1/query?query=vector%281%29' && isSigned(request),
  ofSeveral: 2,
  stale: 'Prometheus itself leaves stale series out of an instant query',
  refusalShown: /1:5: parse error/,
  refusalCode: 'QueryInvalid',
  planted,
  docs,
};
