import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ask } from '../metrics/http/ask.ts';
import { notifierFor } from '../notifiers/index.ts';
import { callWebhook } from '../webhooks/call-webhook.ts';
import { allowedAddressProblem, outgoing } from './outgoing.ts';

const signal = AbortSignal.timeout(60_000);
const settings = { proxyEnvironment: {}, allowedAddresses: [] as string[], apiServers: [] as string[] };
const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that notes what it is asked, and answers by a rule. */
async function listening(answer: (url: string) => { status: number; body?: string; location?: string }) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const { status, body = '', location } = answer(request.url ?? '');
    response.writeHead(status, { ...(location && { location }) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return { seen, port: (server.address() as AddressInfo).port };
}

const payload = {
  name: 'a',
  namespace: 't',
  phase: 'Progressing',
  checksum: '',
  revision: '',
  canaryWeight: 0,
  primaryWeight: 100,
} as const;
const message = { key: 'k', canary: { name: 'a', namespace: 't' }, severity: 'info', reason: 'r', text: 't', fields: [], atMs: 0 } as const;

/** The three ways in which somebody else's address is called. */
const callers: [string, (address: string, findWay: ReturnType<typeof outgoing>) => Promise<string>][] = [
  [
    'metric backends',
    async (address, findWay) => {
      const answer = await ask({ url: new URL(address) }, { who: 'X', timeoutMs: 60_000, secrets: [], signal, findWay });
      return 'kind' in answer ? answer.reason : `${answer.status} ${answer.body}`;
    },
  ],
  [
    'webhooks',
    async (address, findWay) => {
      const answer = await callWebhook({ name: 'h', type: 'rollout', url: address }, payload, { signal, findWay });
      return answer.outcome === 'passed' ? `200 ${answer.body}` : answer.reason;
    },
  ],
  [
    'alerts',
    async (address, findWay) => {
      const made = notifierFor('webhook', { address }, { findWay });
      if ('problem' in made) return made.problem;
      const sent = await made.send(message, signal);
      return sent.ok ? '200' : sent.reason;
    },
  ],
];

it.each(callers)('05-W37: %s reach allowed addresses alone, by number or by name', async (_, call) => {
  const { seen, port } = await listening(() => ({ status: 200, body: '{}' }));
  const elsewhere = outgoing({ ...settings, allowedAddresses: ['10.0.0.0/8', '192.0.2.7'] });
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])
    expect(await call(`http://${host}:${port}/`, elsewhere), host).toMatch(/not among --allowed-addresses|ENOTALLOWED/);
  expect(seen).toEqual([]);
  const here = outgoing({ ...settings, allowedAddresses: ['127.0.0.0/8', '::1/128'] });
  for (const host of ['127.0.0.1', 'localhost']) expect(await call(`http://${host}:${port}/`, here), host).toMatch(/^200/);
  expect(seen).toHaveLength(2);
});

it('05-W37: a webhook is not led elsewhere by a redirect', async () => {
  const { seen, port } = await listening(() => ({ status: 302, location: 'http://169.254.169.254/latest/meta-data' }));
  const findWay = outgoing({ ...settings, allowedAddresses: ['127.0.0.0/8'] });
  const answer = await callWebhook({ name: 'h', url: `http://127.0.0.1:${port}/` }, payload, { signal, findWay });
  expect(answer).toEqual({ outcome: 'refused', reason: expect.stringMatching(/it redirects, and its address is not among/) });
  expect(seen).toHaveLength(1);
});

it.each(callers.slice(0, 2))('05-W37: what loopback and API servers answer to %s is shown only where they are named', async (_, call) => {
  const { port } = await listening(() => ({ status: 403, body: 'inner words' }));
  const address = `http://127.0.0.1:${port}/`;
  const concealed = await call(address, outgoing(settings));
  expect(concealed).not.toContain('inner words');
  expect(concealed).toContain('--allowed-addresses does not name its address');
  expect(await call(address, outgoing({ ...settings, allowedAddresses: ['127.0.0.1'] }))).toContain('inner words');
});

it('05-W37: answers of the API server and of link-local addresses are concealed', () => {
  const way = outgoing({ ...settings, apiServers: ['10.96.0.1'] })(new URL('http://somewhere'));
  if ('problem' in way) throw new Error(way.problem);
  const concealed = ['10.96.0.1', '::ffff:10.96.0.1', '169.254.169.254', 'fe80::1', '::1', '127.9.9.9', undefined];
  expect(concealed.map((address) => way.conceals?.(address))).toEqual(concealed.map(() => true));
  expect(['10.96.0.2', '192.0.2.1', '2001:db8::1'].map((address) => way.conceals?.(address))).toEqual([false, false, false]);
});

it.each(callers)('05-W18: %s go through the proxy of the environment, but for what NO_PROXY names', async (_, call) => {
  const proxy = await listening(() => ({ status: 200, body: '{}' }));
  const proxyEnvironment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'direct.invalid' };
  const findWay = outgoing({ ...settings, proxyEnvironment });
  expect(await call('http://prometheus.invalid/x', findWay)).toMatch(/^200/);
  expect(proxy.seen).toEqual([expect.stringMatching(/^(GET|POST) http:\/\/prometheus\.invalid\/x$/)]);
  expect(await call('http://direct.invalid/x', findWay)).toMatch(/ENOTFOUND|EAI_AGAIN/);
  expect(proxy.seen).toHaveLength(1);
});

it.each([
  ['10.0.0.0/8', undefined],
  ['192.0.2.1', undefined],
  ['2001:db8::/32', undefined],
  ['10.0.0.0/33', /neither an address nor a network/],
  ['prometheus', /neither/],
  ['10.0.0.0/8/9', /neither/],
])('05-W37: %s is looked at before it is used', (entry, problem) => {
  if (problem) expect(allowedAddressProblem(entry)).toMatch(problem);
  else expect(allowedAddressProblem(entry)).toBeUndefined();
});
