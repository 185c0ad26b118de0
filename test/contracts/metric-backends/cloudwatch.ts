import { createHash, createHmac } from 'node:crypto';
import type { BackendCase, SeenRequest } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const results = (...values: (number | string)[][]) =>
  JSON.stringify({
    MetricDataResults: values.map((Values, index) => ({ Id: `m${index}`, Values, Timestamps: Values.map((_, at) => 1_800_000_000 - at) })),
  });

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** AWS' Signature Version 4 of a request, worked out again from what was received. */
function isSigned({ method, url, headers, body }: SeenRequest): boolean {
  const [, date, region, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=planted-id\/(\d+)\/([a-z0-9-]+)\/monitoring\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=(\w+)$/.exec(
      String(headers.authorization),
    ) ?? [];
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url, '', signed.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], `${date}/${region}/monitoring/aws4_request`, sha256(canonical)].join('\n');
  const key = ['monitoring', 'aws4_request'].reduce(hmac, hmac(hmac('AWS4planted-secret', date ?? ''), region ?? ''));
  return region === 'eu-west-1' && hmac(key, text).toString('hex') === signature;
}

export const cloudwatch: BackendCase = {
  name: 'CloudWatch',
  start: () =>
    httpFake({
      // Newest first.
      value: results([7, 8]),
      noData: results(),
      NaN: results(['NaN']),
      empty: results([]),
      severalSeries: results([3], [4]),
      refused: {
        status: 400,
        body: '{"__type":"com.amazonaws.cloudwatch#ValidationError","message":"The value for Period is not supported"}',
      },
    }),
  source: { provider: { region: 'eu-west-1' }, secret: { aws_access_key_id: 'planted-id', aws_secret_access_key: 'planted-secret' } },
  query: '[{"id":"e1","EXPRESSION":"SUM(SEARCH(\'q\'))","period":60,"unknown":1}]',
  isDocumented(request) {
    const { method, url, headers, body } = request;
    const sent = JSON.parse(body);
    return (
      method === 'POST' &&
      url.startsWith('/') &&
      headers['x-amz-target'] === 'GraniteServiceVersion20100801.GetMetricData' &&
      JSON.stringify(sent.MetricDataQueries) === '[{"Id":"e1","Expression":"SUM(SEARCH(\'q\'))","Period":60}]' &&
      sent.MaxDatapoints === 20 &&
      // Ten intervals of a minute back.
      sent.EndTime - sent.StartTime === 600 &&
      isSigned(request)
    );
  },
  isProbe: (request) =>
    request.method === 'POST' &&
    request.headers['x-amz-target'] === 'GraniteServiceVersion20100801.GetMetricData' &&
    request.body === '{"MetricDataQueries":[],"StartTime":0,"EndTime":0}' &&
    isSigned(request),
  ofSeveral: 3,
  null: 'values are a list of numbers, without gaps',
  NaN: 'kept',
  stale: 'the window that is asked for is the only measure of age',
  refusalShown: /answered 400: The value for Period is not supported/,
  planted: ['planted-id', 'planted-secret'],
  docs: {
    address: "Amazon's; see below",
    keys: 'none; or `aws_access_key_id`, `aws_secret_access_key`, `aws_session_token` if there is one',
    query: 'a JSON array of MetricDataQuery; `region` is needed',
  },
};
