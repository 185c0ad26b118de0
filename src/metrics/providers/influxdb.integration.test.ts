import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { influxdb } from './influxdb.ts';

let csv = '';
const server = createServer((_, response) => response.end(csv));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

const table = (type: string, value: string): string =>
  [`#datatype,string,long,${type}`, '#group,false,false,false', '#default,_result,,', ',result,table,_value', `,,0,${value}`].join('\r\n');
const failed = ['#datatype,string,string', '#group,true,true', '#default,,', ',error,reference', ',the bucket is gone,897'].join('\r\n');

it.each([
  ['a double', table('double', '1.5'), { kind: 'value', value: 1.5 }],
  ['a count', table('long', '7'), { kind: 'value', value: 7 }],
  ['a count without sign', table('unsignedLong', '7'), { kind: 'value', value: 7 }],
  ['a text', table('string', 'many'), { kind: 'error', reason: expect.any(String) }],
  ['an error among the rows', failed, { kind: 'error', reason: expect.stringContaining('the bucket is gone') }],
])('%s gives a value only if it can be judged', async (_, answer, measured) => {
  csv = answer;
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made = influxdb({
    provider: { type: 'influxdb', address },
    secret: undefined,
    namespace: 'shop',
    secretName: '',
    intervalMs: 60_000,
    windowMs: undefined,
    choice: {},
    nowMs: 0,
    timeoutMs: 60_000,
  });
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.runQuery('from(bucket: "b")', AbortSignal.timeout(60_000))).toEqual(measured);
});
