import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { callers, egressSettings, listening, message, outgoing, payload } from '../../test/fakes/egress.ts';
import { tlsText } from '../../test/fakes/tls-kube-server.ts';
import { sendRequest } from '../metrics/http/send-request.ts';
import { notifierFor } from '../notifiers/index.ts';
import { callWebhook } from '../webhooks/call-webhook.ts';

const signal = AbortSignal.timeout(60_000);
/** Resources that can name a proxy. */
const throughProxy = callers.filter(([who]) => who !== 'webhooks');

/** Names and the address of each; others are not found. */
const names =
  (known: Readonly<Record<string, string>>): LookupFunction =>
  (name, _options, callback) => {
    const address = known[name];
    if (address === undefined) callback(Object.assign(new Error(`${name} is unknown`), { code: 'ENOTFOUND' }), []);
    else callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };

describe.each(throughProxy)('a proxy that %s name', (_, call) => {
  const target = 'http://192.0.2.1/x';

  it('is held to --allowed-addresses, by number and by name', async () => {
    const proxy = await listening(() => ({ status: 200, body: '{}' }));
    const elsewhere = outgoing({
      ...egressSettings,
      allowedAddresses: ['192.0.2.0/24', '10.0.0.0/8'],
      lookup: names({ hop: '198.51.100.9' }),
    });
    for (const host of ['198.51.100.9', 'hop', '[::ffff:198.51.100.9]'])
      expect(await call(target, elsewhere, `http://${host}:${proxy.port}`), host).toContain('its proxy is not among --allowed-addresses');
    expect(proxy.seen).toEqual([]);
  });

  it('must not be at an address of this pod or node or the API server unless a flag names it', async () => {
    const proxy = await listening(() => ({ status: 200, body: '{}' }));
    const lookup = names({ hop: '127.0.0.1', mapped: '::ffff:127.0.0.1', 'metadata.test': '169.254.169.254' });
    const egress = outgoing({ ...egressSettings, apiServers: ['198.51.100.1'], lookup });
    for (const host of ['127.0.0.1', '2130706433', 'hop', 'mapped', '[::1]', 'localhost'])
      expect(await call(target, egress, `http://${host}:${proxy.port}`), host).toMatch(
        /its proxy: .* only where --allowed-local-addresses lists it/,
      );
    for (const host of ['metadata.test', '169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal'])
      expect(await call(target, egress, `http://${host}:${proxy.port}`), host).toMatch(/its proxy: .* is a metadata service of a cloud/);
    for (const host of ['198.51.100.1', '[64:ff9b::198.51.100.1]'])
      expect(await call(target, egress, `http://${host}:${proxy.port}`), host).toContain('only where --allowed-addresses names it');
    expect(proxy.seen).toEqual([]);
    const allowed = outgoing({ ...egressSettings, allowedAddresses: ['192.0.2.1'], allowedLocalAddresses: ['127.0.0.1'], lookup });
    expect(await call(target, allowed, `http://hop:${proxy.port}`)).toMatch(/^200/);
    expect(proxy.seen).toHaveLength(1);
  });

  it('gets only its own credentials, and not those of the proxy of the environment', async () => {
    const proxy = await listening(() => ({ status: 200, body: '{}' }));
    const proxyEnvironment = { HTTP_PROXY: 'http://env:s3cret@203.0.113.1:3128', HTTPS_PROXY: 'http://env:s3cret@203.0.113.1:3128' };
    const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1', '192.0.2.1'], proxyEnvironment });
    for (const address of [target, 'https://192.0.2.1/x']) {
      await call(address, egress, `http://127.0.0.1:${proxy.port}`);
      await call(address, egress, `http://me:mine@127.0.0.1:${proxy.port}`);
    }
    const own = `Basic ${Buffer.from('me:mine').toString('base64')}`;
    expect(proxy.headers.map((headers) => headers['proxy-authorization'])).toEqual([undefined, own, undefined, own]);
  });

  it('gets a CONNECT for an https address, and sees only its host', async () => {
    const proxy = await listening(() => ({ status: 200 }));
    const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'] });
    expect(await call('https://backend.invalid/s3cret?s3cret', egress, `http://127.0.0.1:${proxy.port}`)).not.toMatch(/^200/);
    expect(proxy.seen).toEqual(['CONNECT backend.invalid:443']);
    expect(proxy.headers.map(({ host, ...rest }) => [host, Object.keys(rest)])).toEqual([['backend.invalid:443', ['connection']]]);
  });
});

it('a request to an https address goes through the tunnel of a proxy, encrypted to its end', async () => {
  const target = createTlsServer({ cert: tlsText('server.crt'), key: tlsText('server.key') }, (request, response) =>
    response.end(request.headers.authorization),
  );
  await once(target.listen(0, '127.0.0.1'), 'listening');
  const { port } = target.address() as AddressInfo;
  const bytes: Buffer[] = [];
  const proxy = createServer().on('connect', (request, client) => {
    const onward = connect({ host: '127.0.0.1', port: Number(request.url?.split(':')[1]) }, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.on('data', (chunk: Buffer) => bytes.push(chunk));
      client.pipe(onward).pipe(client);
    });
    onward.on('error', () => client.destroy());
    client.on('error', () => onward.destroy());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'] });
  const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const asked = (insecureSkipVerify: boolean) =>
    sendRequest(
      { url: new URL(`https://backend.invalid:${port}/`), headers: { authorization: 'Bearer t0ken' } },
      { who: 'X', timeoutMs: 60_000, signal, insecureSkipVerify, secrets: ['t0ken'], egress, proxy: through },
    );
  expect(await asked(true)).toEqual({ status: 200, body: 'Bearer t0ken' });
  expect(await asked(false)).toEqual({ kind: 'error', reason: expect.stringContaining('certificate'), isUnreachable: true });
  expect(Buffer.concat(bytes).length).toBeGreaterThan(0);
  expect(Buffer.concat(bytes).includes('t0ken')).toBe(false);
  target.closeAllConnections();
  target.close();
  proxy.close();
});

it('a proxy whose user info cannot be read is refused, and not repeated', async () => {
  const options = { who: 'X', timeoutMs: 60_000, signal, secrets: [], egress: outgoing(egressSettings) };
  const answer = await sendRequest({ url: new URL('http://192.0.2.1/') }, { ...options, proxy: 'http://%zz:s3cret@192.0.2.2:3128' });
  expect(answer).toEqual({ kind: 'error', reason: expect.stringContaining('its proxy must be an http or https address') });
  expect(answer).not.toMatchObject({ reason: expect.stringContaining('s3cret') });
});

it('no credentials go to an http address through a proxy that a resource names', async () => {
  const proxy = await listening(() => ({ status: 200, body: '{}' }));
  const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'] });
  const through = `http://127.0.0.1:${proxy.port}`;
  const options = { who: 'X', timeoutMs: 60_000, signal, egress, proxy: through };
  const asked = [
    await sendRequest({ url: new URL('http://backend.invalid/'), headers: { authorization: 'Bearer t' } }, { ...options, secrets: ['t'] }),
    await sendRequest({ url: new URL('http://me:t@backend.invalid/') }, { ...options, secrets: [] }),
  ];
  for (const answer of asked) expect(answer).toEqual({ kind: 'error', reason: expect.stringContaining('would see its credentials') });
  for (const settings of [{ token: 't' }, { signingKey: 't' }]) {
    const made = notifierFor('webhook', { address: 'http://backend.invalid/', proxy: through, ...settings }, { egress });
    if ('problem' in made) throw new Error(made.problem);
    expect(await made.send(message, signal)).toMatchObject({ ok: false, mayRetry: false });
  }
  expect(proxy.seen).toEqual([]);
});

it('an answer that a proxy fetches from a name of this pod or node is concealed, with a proxy of the environment or of a resource', async () => {
  const proxy = await listening(() => ({ status: 403, body: '{"error":"inner words"}' }));
  const lookup = names({ 'inward.test': '169.254.169.254', 'public.test': '192.0.2.1' });
  const url = `http://127.0.0.1:${proxy.port}`;
  const ofEnvironment = outgoing({ ...egressSettings, proxyEnvironment: { HTTP_PROXY: url }, lookup });
  const call = callers[0]?.[1] ?? (() => Promise.reject(new Error('no caller')));
  expect(await call('http://inward.test/x', ofEnvironment)).not.toContain('inner words');
  expect(await call('http://public.test/x', ofEnvironment)).toContain('inner words');
  const bounded = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1/32'], lookup });
  expect(await call('http://inward.test/x', bounded, url)).not.toContain('inner words');
  expect(proxy.seen).toHaveLength(3);
});

it.each(callers)('%s ask no proxy for a metadata service or a local address that is written out', async (_, call) => {
  const proxy = await listening(() => ({ status: 200, body: '{}' }));
  const proxyEnvironment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const egress = outgoing({ ...egressSettings, proxyEnvironment });
  for (const host of ['169.254.169.254', 'metadata.google.internal', 'METADATA.', '[::ffff:a9fe:a9fe]', 'a.localhost', '169.254.171.9'])
    for (const scheme of ['http', 'https'])
      expect(await call(`${scheme}://${host}/x`, egress), host).toMatch(/which is (never called|called only where)/);
  expect(proxy.seen).toEqual([]);
});

it.each(['http://169.254.169.254/', 'http://metadata.google.internal/', 'http://127.0.0.1:15000/'])(
  'a redirect through a proxy does not lead to %s',
  async (location) => {
    const proxy = await listening(() => ({ status: 307, location }));
    const egress = outgoing({ ...egressSettings, proxyEnvironment: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } });
    const answer = await callWebhook({ name: 'h', url: 'http://public.invalid/' }, payload, { key: 'k', signal, egress });
    expect(proxy.seen).toHaveLength(1);
    expect(answer).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('it redirects, and ') });
  },
);
