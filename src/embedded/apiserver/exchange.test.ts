import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readBody } from './exchange.ts';

const sent = (type: string, body: string): IncomingMessage =>
  Object.assign(Readable.from([Buffer.from(body)]), { headers: { 'content-type': type } }) as unknown as IncomingMessage;

it.each([
  ['application/json', '{"kind":"Pod","metadata":{"name":"a"}}'],
  ['application/apply-patch+yaml', '{"kind":"Pod","metadata":{"name":"a"}}'],
  ['application/apply-patch+yaml', 'kind: Pod\nmetadata:\n  name: a\n'],
  ['application/yaml', '{kind: Pod, metadata: {name: a}}'],
])('%s: reads %s', async (type, body) => {
  expect(await readBody(sent(type, body))).toEqual({ kind: 'Pod', metadata: { name: 'a' } });
});

it.each([
  ['application/json', 'kind: Pod'],
  ['application/apply-patch+yaml', '{"kind":'],
])('%s: refuses %s', async (type, body) => {
  await expect(readBody(sent(type, body))).rejects.toMatchObject({ code: 400 });
});
