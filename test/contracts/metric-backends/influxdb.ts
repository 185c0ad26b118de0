import type { BackendCase } from './backend-case.ts';
import { httpFake } from './http-fake.ts';

const table = (type: string, ...values: string[]) =>
  [
    `#datatype,string,long,${type}`,
    '#group,false,false,false',
    '#default,_result,,',
    ',result,table,_value',
    ...values.map((value, index) => `,,${index},${value}`),
    '',
  ].join('\r\n');

export const influxdb: BackendCase = {
  name: 'InfluxDB',
  start: () =>
    httpFake({
      value: table('double', '7'),
      noData: '\r\n',
      null: table('double', ''),
      NaN: table('double', 'NaN'),
      empty: '\r\n',
      severalSeries: table('long', '3', '4'),
      refused: { status: 400, body: '{"code":"invalid","message":"compilation failed"}' },
      wrongJson: '"a quote that never ends',
      otherJson: 'hello\nworld',
    }),
  source: { secret: { token: 'planted-token', org: 'shop' } },
  query: 'from(bucket: "b")',
  isDocumented({ method, url, headers, body }) {
    const sent = JSON.parse(body);
    return (
      method === 'POST' &&
      url === '/api/v2/query?org=shop' &&
      headers.authorization === 'Token planted-token' &&
      sent.type === 'flux' &&
      sent.dialect.annotations.join() === 'datatype,group,default'
    );
  },
  isProbe: ({ method, url, body }) =>
    method === 'POST' && url === '/api/v2/query?org=shop' && JSON.parse(body).query === 'from(bucket: "default") |> range(start: -2h)',
  ofSeveral: 3,
  empty: 0,
  NaN: 'kept',
  stale: 'records carry their time, and the query says how far back counts',
  refusalShown: /answered 400: compilation failed/,
  refusalCode: 'QueryInvalid',
  planted: ['planted-token'],
  docs: { address: 'needed', keys: 'none; or `token` and `org`', query: 'Flux' },
};
