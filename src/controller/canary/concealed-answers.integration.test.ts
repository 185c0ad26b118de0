import type { LookupFunction } from 'node:net';
import { expect, it } from 'vitest';
import { callers, egressSettings, listening, outgoing, payload } from '../../../test/fakes/egress.ts';
import { globalServer } from '../../metrics/metrics-source.ts';
import { prometheus } from '../../metrics/providers/prometheus.ts';
import { callWebhook } from '../../webhooks/call-webhook.ts';
import { ownOutgoing } from '../outgoing/outgoing.ts';

const signal = AbortSignal.timeout(60_000);
const measured = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [0, '42'] }] } });

it('05-W37: a value that an address of this pod or node answers is not measured, and the reason names the flag', async () => {
  const { seen, port } = await listening(() => ({ status: 200, body: measured }));
  const ask = (allowedAddresses: string[]) =>
    prometheus({ address: `http://localhost:${port}`, timeoutMs: 60_000, egress: outgoing({ ...egressSettings, allowedAddresses }) });
  expect(await ask([]).runQuery('up', signal)).toEqual({
    kind: 'error',
    reason: expect.stringContaining('its values count only where --allowed-addresses names the address'),
  });
  expect(await ask([]).isOnline(signal)).toContain('--allowed-addresses');
  expect(await ask(['127.0.0.1', '::1']).runQuery('up', signal)).toEqual({ kind: 'value', value: 42 });
  expect(seen).toHaveLength(3);
});

it('05-W37: the metrics server of the flags is measured wherever it is', async () => {
  const { port } = await listening(() => ({ status: 200, body: measured }));
  const ownEgress = ownOutgoing({ ...egressSettings, apiServers: ['127.0.0.1'] });
  const server = globalServer({ metricsServer: `http://127.0.0.1:${port}`, timeoutMs: 60_000, ownEgress });
  expect(await server.runQuery('up', signal)).toEqual({ kind: 'value', value: 42 });
});

it('05-W37: what a webhook on an address of this pod or node answers is concealed, also a good answer and one after a redirect', async () => {
  const inner = await listening(() => ({ status: 200, body: 'inner words' }));
  const { port } = await listening(() => ({ status: 307, location: `http://127.0.0.1:${inner.port}/` }));
  const egress = outgoing(egressSettings);
  for (const url of [`http://127.0.0.1:${inner.port}/`, `http://127.0.0.1:${port}/`]) {
    const answer = await callWebhook({ name: 'h', url }, payload, { signal, egress });
    expect(answer).toEqual({ outcome: 'passed', body: expect.stringContaining('--allowed-addresses') });
  }
});

it('05-W37: concealment goes by the address that answers, and not by what the name is afterwards', async () => {
  const { port } = await listening(() => ({ status: 403, body: '{"error":"inner words"}' }));
  let asked = 0;
  const lookup: LookupFunction = (_name, _options, callback) => {
    asked += 1;
    callback(null, [{ address: asked === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
  };
  const [, call] = callers[0] ?? [];
  const shown = await call?.(`http://rebinding.test:${port}/`, outgoing({ ...egressSettings, lookup }));
  expect(asked).toBe(1);
  expect(shown).toContain('403');
  expect(shown).not.toContain('inner words');
});

it.each(['10.96.0.1', '::ffff:10.96.0.1', '::ffff:a60:1', '64:ff9b::10.96.0.1', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200'])(
  '05-W37: an answer through a proxy from %s is concealed',
  async (address) => {
    const proxy = await listening(() => ({ status: 403, body: '{"error":"inner words"}' }));
    const proxyEnvironment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const egress = outgoing({ ...egressSettings, proxyEnvironment, apiServers: ['10.96.0.1'] });
    const host = address.includes(':') ? `[${address}]` : address;
    expect(await callers[0]?.[1](`http://${host}/`, egress)).not.toContain('inner words');
    expect(proxy.seen).toHaveLength(1);
  },
);
