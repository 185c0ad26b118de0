import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type PrometheusOptions, prometheusAt } from './prometheus.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => {
    server?.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const ask = (address: string, options: Partial<PrometheusOptions> = {}, query = 'up') =>
  prometheusAt({ address, timeoutMs: 60_000, ...options }).runQuery(query, new AbortController().signal);
const vector = (...values: unknown[]) =>
  JSON.stringify({ status: 'success', data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) } });

describe('an answer of Prometheus', () => {
  it.each([
    [vector(), 'noData', undefined],
    [vector('NaN'), 'noData', undefined],
    [vector('1', '2'), 'value', 2],
    [vector('+Inf'), 'value', Infinity],
    [vector('-Inf'), 'value', -Infinity],
    [vector('1abc'), 'error', undefined],
    [vector(' '), 'error', undefined],
    [vector('3', 5), 'value', 3],
    [vector('0x10'), 'value', 16],
    [vector(5), 'noData', undefined],
    ['{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}', 'value', 7],
    ['{"status":"success","data":{"resultType":"scalar","result":[1,"+Inf"]}}', 'value', Infinity],
    ['{"status":"success","data":{"resultType":"string","result":[1,"7"]}}', 'error', undefined],
    ['{"status":"success","warnings":["w"],"infos":["i"],"data":{"resultType":"vector","result":[{"value":[1,"7"]}]}}', 'value', 7],
    ['{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"1"]]}]}}', 'error', undefined],
    ['{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[1,{}]}]}}', 'noData', undefined],
    ['{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[1,{}]},{"value":[1,"7"]}]}}', 'value', 7],
    ['{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1]}]}}', 'noData', undefined],
    ['{"status":"success","data":{"resultType":"vector","result":[1,"7"]}}', 'error', undefined],
    ['{"status":"success","data":{"resultType":"vector","result":[null]}}', 'error', undefined],
    ['{"status":"success","data":{"resultType":"vector","result":[7]}}', 'error', undefined],
    ['{"status":"error","errorType":"bad_data","error":"no"}', 'error', undefined],
    ['<html>', 'error', undefined],
    ['{"status":"success","data":{"result":7}}', 'error', undefined],
    ['null', 'error', undefined],
  ])('%s is %s', async (body, kind, value) => {
    const address = await serve((_, response) => response.end(body));
    const missing = { kind, reason: expect.any(String), ...(body === vector('NaN') && { isNaN: true }) };
    expect(await ask(address)).toEqual(value === undefined ? missing : { kind, value });
  });

  it.each<[string, RequestListener, RegExp, 'QueryInvalid'?]>([
    [
      'refuses',
      (_, response) => response.writeHead(400).end('{"status":"error","error":"1:2: parse error"}'),
      /answered 400: 1:2: parse error/,
      'QueryInvalid',
    ],
    ['fails', (_, response) => response.writeHead(503).end('secret page'), /^Prometheus answered 503$/],
    ['is too long', (_, response) => response.end(`"${'x'.repeat(6 * 1024 * 1024)}"`), /longer than 1 MiB/],
    [
      'is cut off',
      (_, response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
      /cannot be queried/,
    ],
    ['goes elsewhere', (_, response) => response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end(), /redirects to another address/],
    ['goes round', (_, response) => response.writeHead(302, { location: '/x' }).end(), /cannot be queried/],
  ])('is an error when it %s', async (_, listener, reason, code) => {
    expect(await ask(await serve(listener))).toEqual({
      kind: 'error',
      reason: expect.stringMatching(reason),
      ...(code && { code }),
    });
  });

  it.each(['[1,"7"]', '[null]', '[7]'])('is an error with its reason when its vector holds %s and no series', async (result) => {
    const body = `{"status":"success","data":{"resultType":"vector","result":${result}}}`;
    const reason = expect.stringContaining('unexpected response');
    expect(await ask(await serve((_, response) => response.end(body)))).toEqual({ kind: 'error', reason });
  });

  it('is an error when it does not come in time, or is not waited for', async () => {
    const address = await serve(() => {});
    expect(await ask(address, { timeoutMs: 60 })).toEqual({ kind: 'error', reason: 'Prometheus did not answer within 60 ms' });
    const cancelled = prometheusAt({ address, timeoutMs: 60_000 }).runQuery('up', AbortSignal.abort());
    expect(await cancelled).toEqual({ kind: 'error', reason: 'the query was cancelled' });
  });
});

it('keeps a path prefix, folds white space, sends the token, and shows no credentials', async () => {
  let seen: (string | undefined)[] = [];
  const address = await serve((request, response) => {
    seen = [request.url, request.headers.authorization];
    response.end(vector('1'));
  });
  await ask(`${address}/prefix/?drop=1`, { bearer: 'hush' }, ' sum(a)\n  / b ');
  expect(seen).toEqual(['/prefix/api/v1/query?query=+sum%28a%29+%2F+b+', 'Bearer hush']);
  await ask(address, { basicAuth: { username: 'u', password: 'p' } });
  expect(seen[1]).toBe('Basic dTpw');
  const dead = await ask('http://user:hunter2@127.0.0.1:1/', { headers: { 'X-Key': ['k3y'] } });
  expect(dead.kind).toBe('error');
  expect(JSON.stringify(dead)).not.toMatch(/hunter2|k3y|user:/);
});

it('is online when vector(1) is 1', async () => {
  let value = '1';
  const provider = prometheusAt({ address: await serve((_, response) => response.end(vector(value))), timeoutMs: 60_000 });
  const { signal } = new AbortController();
  expect(await provider.isOnline(signal)).toBeUndefined();
  value = '2';
  expect(await provider.isOnline(signal)).toMatch(/gave 2/);
});

it('name and password win over a header of the template; together with a token they are an error, since only one can be sent', async () => {
  let seen: string | undefined;
  const address = await serve((request, response) => {
    seen = request.headers.authorization;
    response.end(vector('1'));
  });
  const headers = { Authorization: ['a'] };
  expect(await ask(address, { headers, bearer: 't' })).toEqual({ kind: 'error', reason: expect.stringContaining('single value') });
  await ask(address, { headers, basicAuth: { username: 'u', password: 'p' } });
  expect(seen).toBe('Basic dTpw');
});

it('two series of which one has no value count as two for a template that wants one', async () => {
  const address = await serve((_, response) => response.end(vector('7', 5)));
  expect(await ask(address, { choice: { reduce: 'error' } })).toEqual({ kind: 'error', reason: expect.stringContaining('2 series') });
  expect(await ask(address, { choice: { reduce: 'sum' } })).toEqual({ kind: 'value', value: 7 });
});

it('sends no time with a query: the clock of Prometheus decides', async () => {
  let seen: string | undefined;
  const address = await serve((request, response) => {
    seen = request.url;
    response.end(vector('1'));
  });
  await ask(address);
  expect(seen).toBe('/api/v1/query?query=up');
});
