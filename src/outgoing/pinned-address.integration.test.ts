import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { callers, egressSettings, listening, outgoing, payload } from '../../test/fakes/egress.ts';
import { sendRequest } from '../metrics/http/send-request.ts';
import { getMetricData } from '../metrics/providers/cloudwatch-client.ts';
import { runSignalFlow } from '../metrics/providers/signalflow/run-signalflow.ts';
import { callWebhook } from '../webhooks/call-webhook.ts';

const signal = AbortSignal.timeout(60_000);

/** A name server that answers these in turn, the last one again and again. */
function turning(...addresses: string[]) {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, _options, callback) => {
    const address = addresses[Math.min(asked.length, addresses.length - 1)] ?? '';
    asked.push(name);
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
  return { asked, lookup };
}

it.each(callers)('%s go to the address that was judged, and the name is not resolved again', async (_, call) => {
  const { seen, port } = await listening(() => ({ status: 200, body: '{}' }));
  const forbidden = await listening(() => ({ status: 200, body: '{}' }), { host: '127.0.0.2', port });
  const { asked, lookup } = turning('127.0.0.1', '127.0.0.2');
  const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'], lookup });
  expect(await call(`http://rebinding.test:${port}/`, egress)).toMatch(/^200/);
  expect(asked).toEqual(['rebinding.test']);
  expect(await call(`http://rebinding.test:${port}/`, egress)).toContain('only where --allowed-local-addresses lists it');
  expect([seen.length, forbidden.seen.length]).toEqual([1, 0]);
});

it('a name with several addresses is called only at allowed ones, whichever family answers first', async () => {
  const { seen, port } = await listening(() => ({ status: 200, body: '{}' }));
  const forbidden = await listening(() => ({ status: 200, body: '{}' }), { host: '127.0.0.2', port });
  const all = ['127.0.0.2', '::ffff:127.0.0.2', '::1', '127.0.0.1'].map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const egress = outgoing({
    ...egressSettings,
    allowedAddresses: ['127.0.0.1'],
    lookup: (_name, _options, callback) => callback(null, all),
  });
  for (const [, call] of callers) expect(await call(`http://several.test:${port}/`, egress)).toMatch(/^200/);
  expect([seen.length, forbidden.seen.length]).toEqual([callers.length, 0]);
});

it('each retry is judged by the address that it goes to', async () => {
  const { seen, port } = await listening(() => ({ status: 503 }));
  const forbidden = await listening(() => ({ status: 200 }), { host: '127.0.0.2', port });
  const { asked, lookup } = turning('127.0.0.1', '127.0.0.2');
  const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'], lookup });
  const url = new URL(`http://rebinding.test:${port}/`);
  const answer = await sendRequest({ url }, { who: 'X', timeoutMs: 60_000, secrets: [], signal, egress, retries: 1 });
  expect(answer).toEqual({ kind: 'error', reason: expect.stringContaining('only where --allowed-local-addresses lists it') });
  expect([asked.length, seen.length, forbidden.seen.length]).toEqual([2, 1, 0]);
});

it('each redirect is judged by the address that it goes to', async () => {
  const { seen, port } = await listening(() => ({ status: 307, location: '/next' }));
  const forbidden = await listening(() => ({ status: 200 }), { host: '127.0.0.2', port });
  const { lookup } = turning('127.0.0.1', '127.0.0.2');
  const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'], lookup });
  const answer = await callWebhook({ name: 'h', url: `http://rebinding.test:${port}/`, retries: 0 }, payload, { key: 'k', signal, egress });
  expect(answer).toEqual({ outcome: 'refused', reason: expect.stringContaining('only where --allowed-local-addresses lists it') });
  expect([seen.length, forbidden.seen.length]).toEqual([1, 0]);
});

it('a connection that another call left open is not taken', async () => {
  const { seen, port } = await listening(() => ({ status: 200, body: '{}' }));
  const address = `http://localhost:${port}/`;
  // A request to the metrics server of the flags.
  await sendRequest({ url: new URL(address) }, { who: 'X', timeoutMs: 60_000, secrets: [], signal });
  for (const [who, call] of callers)
    expect(await call(address, outgoing({ ...egressSettings, allowedAddresses: ['10.0.0.0/8'] })), who).not.toMatch(/^200/);
  expect(seen).toHaveLength(1);
});

it('the client of AWS goes to the address that was judged', async () => {
  const { seen, port } = await listening(() => ({ status: 400, body: '{}' }));
  const forbidden = await listening(() => ({ status: 400, body: '{}' }), { host: '127.0.0.2', port });
  const { lookup } = turning('127.0.0.1', '127.0.0.2');
  const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'], lookup });
  const asking = {
    region: 'eu-west-1',
    keys: { accessKeyId: 'a', secretAccessKey: 'b' },
    address: `http://rebinding.test:${port}`,
    abortSignal: signal,
    transport: { timeoutMs: 60_000, egress },
  };
  const input = { MetricDataQueries: [], StartTime: new Date(0), EndTime: new Date(0) };
  await expect(getMetricData(input, asking)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  await expect(getMetricData(input, asking)).rejects.toThrow('only where --allowed-local-addresses lists it');
  expect([seen.length, forbidden.seen.length]).toEqual([1, 0]);
});

it('the web socket of Splunk goes to the address that was judged, and its values are concealed as others are', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('message', () => socket.send(JSON.stringify({ type: 'control-message', event: 'END_OF_CHANNEL' })));
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const run = (lookup: LookupFunction, allowedAddresses: string[]) =>
    runSignalFlow({
      ...{ url: new URL(`ws://rebinding.test:${port}/`), token: 't', program: 'p', startMs: 0, stopMs: 1, signal },
      transport: { timeoutMs: 60_000, egress: outgoing({ ...egressSettings, allowedAddresses, lookup }) },
    });
  const { lookup } = turning('127.0.0.1', '127.0.0.2');
  expect(await run(lookup, ['127.0.0.1'])).toEqual({ series: [] });
  await expect(run(lookup, ['127.0.0.1'])).rejects.toThrow('only where --allowed-local-addresses lists it');
  expect(connections).toBe(1);
  await expect(run(turning('127.0.0.1').lookup, [])).rejects.toThrow('only where --allowed-local-addresses lists it');
  server.close();
});
