import type { LookupFunction } from 'node:net';
import { expect, it } from 'vitest';
import { callers, egressSettings, listening, message, outgoing, payload, reaching } from '../../test/fakes/egress.ts';
import { globalServer } from '../metrics/metrics-source.ts';
import { prometheusAt } from '../metrics/providers/prometheus.ts';
import { notifierFor } from '../notifiers/index.ts';
import { callWebhook } from '../webhooks/call-webhook.ts';
import { ownEgress } from './own-egress.ts';

const signal = AbortSignal.timeout(60_000);
const measured = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [0, '42'] }] } });

/** The API server, as a pod reaches it. */
const API_SERVER = '198.51.100.1';
const apiServerAt = (port: number) => ({ ...egressSettings, apiServers: [API_SERVER], agents: reaching(API_SERVER, port) });

it('a value that the API server answers is not measured, and the reason names the flag', async () => {
  const { seen, port } = await listening(() => ({ status: 200, body: measured }));
  const ask = (allowedAddresses: string[]) =>
    prometheusAt({ address: `http://${API_SERVER}`, timeoutMs: 60_000, egress: outgoing({ ...apiServerAt(port), allowedAddresses }) });
  expect(await ask([]).runQuery('up', signal)).toEqual({
    kind: 'error',
    reason: expect.stringContaining('answers count only where --allowed-addresses or --allowed-local-addresses names it'),
  });
  expect(await ask([]).isOnline(signal)).toContain('--allowed-addresses');
  expect(await ask([API_SERVER]).runQuery('up', signal)).toEqual({ kind: 'value', value: 42 });
  expect(seen).toHaveLength(3);
});

it('the metrics server of the flags is measured wherever it is', async () => {
  const { port } = await listening(() => ({ status: 200, body: measured }));
  const egress = ownEgress(egressSettings);
  const server = globalServer({ metricsServer: `http://127.0.0.1:${port}`, timeoutMs: 60_000, ownEgress: egress });
  expect(await server.runQuery('up', signal)).toEqual({ kind: 'value', value: 42 });
});

it.each(callers)('what the API server answers to %s is shown only where it is named', async (_, call) => {
  const { port } = await listening(() => ({ status: 403, body: '{"error":"inner words","ok":false}' }));
  expect(await call(`http://${API_SERVER}/`, outgoing(apiServerAt(port)))).not.toContain('inner words');
});

it('an answer of the API server to an alert is judged only by its status', async () => {
  const { port } = await listening(() => ({ status: 200, body: '{"ok":false,"error":"inner_words"}' }));
  const made = notifierFor('slack', { address: `http://${API_SERVER}/` }, { egress: outgoing(apiServerAt(port)) });
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.send(message, signal)).toEqual({ ok: true });
});

it('an answer of a webhook at the API server is concealed, also a good answer and an answer after a redirect', async () => {
  const { port } = await listening((url) => (url === '/' ? { status: 307, location: '/next' } : { status: 200, body: 'inner words' }));
  for (const path of ['/', '/next']) {
    const answer = await callWebhook({ name: 'h', url: `http://${API_SERVER}${path}` }, payload, {
      key: 'k',
      signal,
      egress: outgoing(apiServerAt(port)),
    });
    expect(answer).toEqual({ outcome: 'passed', body: expect.stringContaining('--allowed-addresses') });
  }
});

it('concealment is decided by the address that answers, and not by a later look-up of the name', async () => {
  const { port } = await listening(() => ({ status: 403, body: '{"error":"inner words"}' }));
  let asked = 0;
  const lookup: LookupFunction = (_name, _options, callback) => {
    asked += 1;
    callback(null, [{ address: asked === 1 ? '198.51.100.2' : '192.0.2.1', family: 4 }]);
  };
  const [, call] = callers[0] ?? [];
  const shown = await call?.('http://rebinding.test/', outgoing({ ...apiServerAt(port), lookup }));
  expect(shown).toContain('403');
  expect(shown).not.toContain('inner words');
});

it.each(['10.96.0.1', '::ffff:10.96.0.1', '::ffff:a60:1', '64:ff9b::10.96.0.1'])(
  'an answer through a proxy from %s is concealed',
  async (address) => {
    const proxy = await listening(() => ({ status: 403, body: '{"error":"inner words"}' }));
    const proxyEnvironment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const egress = outgoing({ ...egressSettings, proxyEnvironment, apiServers: ['10.96.0.1'] });
    const host = address.includes(':') ? `[${address}]` : address;
    expect(await callers[0]?.[1](`http://${host}/`, egress)).not.toContain('inner words');
    expect(proxy.seen).toHaveLength(1);
  },
);
