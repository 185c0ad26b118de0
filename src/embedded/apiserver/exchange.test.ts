import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readRequestBody } from './exchange.ts';

const request = (headers: object, body: string): IncomingMessage =>
  Object.assign(Readable.from([Buffer.from(body)]), { headers }) as unknown as IncomingMessage;
const sent = (type: string, body: string): IncomingMessage =>
  request({ 'content-type': type, 'content-length': String(body.length) }, body);

it.each([
  ['application/json', '{"kind":"Pod","metadata":{"name":"a"}}'],
  ['application/apply-patch+yaml', '{"kind":"Pod","metadata":{"name":"a"}}'],
  ['application/apply-patch+yaml', 'kind: Pod\nmetadata:\n  name: a\n'],
  ['application/yaml', '{kind: Pod, metadata: {name: a}}'],
])('%s: reads %s', async (type, body) => {
  expect(await readRequestBody(sent(type, body))).toEqual({ kind: 'Pod', metadata: { name: 'a' } });
});

it.each([
  ['application/json', 'kind: Pod'],
  ['application/apply-patch+yaml', '{"kind":'],
])('%s: refuses %s', async (type, body) => {
  await expect(readRequestBody(sent(type, body))).rejects.toMatchObject({ code: 400 });
});

it('a body is announced by its length or by its encoding', async () => {
  expect(await readRequestBody(request({}, ''))).toBeUndefined();
  expect(await readRequestBody(request({ 'transfer-encoding': 'chunked' }, '{"kind":"Pod"}'))).toEqual({ kind: 'Pod' });
});
