import type { BackendCase, SeenRequest } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const hugeBody = 'the API server has its own client, which trusts the length of its answers';
const refused = { status: 400, body: '{"kind":"Status","reason":"BadRequest","message":"about planted-object"}' };
const badCredentials = { status: 403, body: '{"kind":"Status","reason":"Forbidden","message":"about planted-object"}' };

const metric = (status?: object) => JSON.stringify({ kind: 'KeptnMetric', ...(status && { status }) });

const isProbe = ({ method, url }: SeenRequest): boolean => method === 'GET' && url === '/apis/metrics.keptn.sh/v1beta1';

const docs = {
  address: 'the cluster',
  keys: 'none',
  query: "`keptnmetric/namespace/name` or `analysis/namespace/name[/timeframe[/key=value;…]]`, of the template's own namespace",
};

export const keptn: BackendCase = {
  name: 'Keptn',
  start: () =>
    httpFake({
      value: metric({ value: '7' }),
      noData: metric(),
      NaN: metric({ value: 'NaN' }),
      empty: metric({ value: '' }),
      refused,
      badCredentials,
    }),
  inCluster: true,
  source: {},
  query: 'KeptnMetric/shop/Latency\n',
  isDocumented: ({ method, url }) => method === 'GET' && url === '/apis/metrics.keptn.sh/v1beta1/namespaces/shop/keptnmetrics/latency',
  isProbe,
  null: 'the value of a KeptnMetric is a text, or not there yet',
  NaN: 'kept',
  stale: 'a KeptnMetric holds its latest value only, and Keptn keeps it fresh',
  refusalShown: /answered 400: BadRequest/,
  leftOut: { hugeBody, severalSeries: 'a KeptnMetric holds one value' },
  planted: ['planted-object'],
  docs,
};

const COLLECTION = '/apis/metrics.keptn.sh/v1beta1/namespaces/shop/analyses';
const isOwn = (url: string): boolean => new RegExp(`^${COLLECTION}/web-[0-9a-f]{6}$`).test(url);

function isDocumentedAnalysis({ method, url, body }: SeenRequest): boolean {
  if (method !== 'POST') return isOwn(url) && (method === 'GET' || method === 'DELETE');
  const { spec, metadata } = JSON.parse(body);
  const wanted = { analysisDefinition: { name: 'web' }, timeframe: { recent: '5m' }, args: { Region: 'EU', tier: 'gold' } };
  return url === COLLECTION && JSON.stringify(spec) === JSON.stringify(wanted) && isOwn(`${COLLECTION}/${metadata.name}`);
}

export const passed = JSON.stringify({ kind: 'Analysis', status: { state: 'Completed', pass: true } });

const noValue = 'an analysis passes or fails, and has no values of its own';
export const keptnAnalysis: BackendCase = {
  name: 'Keptn',
  start: () => httpFake({ value: passed, refused, badCredentials }),
  inCluster: true,
  value: 1,
  source: {},
  query: 'analysis/shop/web/5m/Region=EU;tier=gold;broken;a=b=c',
  isDocumented: isDocumentedAnalysis,
  isProbe,
  null: noValue,
  empty: noValue,
  NaN: noValue,
  stale: 'an analysis is made for the check',
  refusalShown: /answered 400: BadRequest/,
  leftOut: { noData: noValue, severalSeries: noValue, hugeBody },
  planted: ['planted-object'],
  docs,
};
