import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { tlsText } from '../../test/fakes/tls-kube-server.ts';
import { aCanary } from '../../test/fakes/world.ts';
import { globalServer, serverOf } from './metrics-source.ts';
import { templateBackend } from './template-backend.ts';

const signal = AbortSignal.timeout(60_000);
const vector = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}';
let server: https.Server;
let address: string;
const seen: { authorization?: string | undefined; tenant?: unknown; commonName?: string | undefined }[] = [];
let answers: (() => { status: number; delayMs?: number })[] = [];

beforeAll(async () => {
  const files = { cert: tlsText('server.crt'), key: tlsText('server.key'), ca: tlsText('ca.crt') };
  server = https.createServer({ ...files, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
    seen.push({ authorization: request.headers.authorization, tenant: request.headers['x-scope-orgid'], commonName: String(CN ?? '') });
    const { status } = answers.shift()?.() ?? { status: 200 };
    response.writeHead(status).end(status === 200 ? vector : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.splice(0);
  answers = [];
});

const ca = () => ({ 'ca.crt': tlsText('ca.crt') });
const ofFlags = (data: Record<string, string> | undefined) =>
  globalServer({ metricsServer: address, metricsServerSecret: data && (async () => data), timeoutMs: 60_000 });

it.each<[string, Record<string, string>, object]>([
  ['a token', { token: 't0ken\n' }, { authorization: 'Bearer t0ken' }],
  ['name and password', { username: 'me', password: 'p\n' }, { authorization: `Basic ${Buffer.from('me:p').toString('base64')}` }],
  ['a header', { 'header.X-Scope-OrgID': 'shop\n' }, { tenant: 'shop' }],
  [
    'a client certificate',
    { 'tls.crt': tlsText('client.crt'), 'tls.key': tlsText('client.key') },
    { commonName: expect.stringMatching(/.+/) },
  ],
])('the metrics source gets %s, and its certificate is checked with the authority of the Secret', async (_, data, shown) => {
  expect(await ofFlags({ ...ca(), ...data }).runQuery('q', signal)).toEqual({ kind: 'value', value: 1 });
  expect(seen).toEqual([expect.objectContaining(shown)]);
});

it('without the authority the certificate is refused', async () => {
  expect(await ofFlags({ token: 't0ken' }).runQuery('q', signal)).toEqual({
    kind: 'error',
    reason: expect.stringMatching(/certificate/),
    isUnreachable: true,
  });
  expect(await ofFlags(undefined).isOnline(signal)).toMatch(/certificate/);
  expect(seen).toEqual([]);
});

it.each<[Record<string, string>, RegExp]>([
  [{}, /--metrics-server-secret has neither token/],
  [{ 'ca.crt': 'an authority', tokn: 'x' }, /has a key besides ca\.crt.* neither token, username/],
  [{ username: 'me' }, /username and password not both/],
  [{ 'header.a b': 'x' }, /header\.a b that makes no header/],
  [{ 'header.Transfer-Encoding': 'chunked' }, /header\.Transfer-Encoding that makes no header/],
  [{ 'header.proxy-authorization': 'x' }, /header\.proxy-authorization that makes no header/],
])('a Secret like %j is refused with a message', async (data, reason) => {
  expect(await ofFlags(data).runQuery('q', signal)).toEqual({ kind: 'error', reason: expect.stringMatching(reason) });
});

it('spec.metricsServer has its own Secret, and never sees that of the flag', async () => {
  const deps = {
    metricsServer: 'http://127.0.0.1:1',
    metricsServerSecret: async () => ({ token: 'of-the-flag' }),
    secret: async (namespace: string, name: string) => (name === 'own' ? { ...ca(), token: `${namespace}-own` } : undefined),
    timeoutMs: 60_000,
  };
  const canary = (ref?: string) => aCanary({}, { metricsServer: address, ...(ref && { metricsServerSecretRef: { name: ref } }) });
  expect(await serverOf(canary('own'), deps).runQuery('q', signal)).toEqual({ kind: 'value', value: 1 });
  expect(await serverOf(canary('gone'), deps).runQuery('q', signal)).toEqual({
    kind: 'error',
    reason: 'Secret test/gone not found',
    code: 'SecretNotFound',
    object: { apiVersion: 'v1', kind: 'Secret', name: 'gone', namespace: 'test' },
  });
  expect(await serverOf(canary(), deps).isOnline(signal)).toMatch(/certificate/);
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer test-own']);
});

const template = (provider: object) => ({ spec: { provider: { type: 'prometheus', address, ...provider }, query: 'q' } });
const asked = async (provider: object, secrets: Record<string, Record<string, string>> = { ca: ca() }) => {
  const found = await templateBackend({ name: 'm', templateRef: { name: 't' } }, 'test', {
    template: async () => template(provider),
    secret: async (_, name) => secrets[name],
    nowMs: 0,
    timeoutMs: 60_000,
  });
  return 'problem' in found ? found : found.backend.runQuery('q', signal);
};
const caSecretRef = { name: 'ca' };

it('a template trusts the authority of caSecretRef, or of its own Secret, and presents a client certificate', async () => {
  expect(await asked({ caSecretRef })).toEqual({ kind: 'value', value: 1 });
  const secretRef = { name: 'own' };
  const own = { ...ca(), 'tls.crt': tlsText('client.crt'), 'tls.key': tlsText('client.key') };
  expect(await asked({ secretRef }, { own })).toEqual({ kind: 'value', value: 1 });
  expect(seen[1]?.commonName).toMatch(/.+/);
  expect(await asked({ caSecretRef }, {})).toEqual({
    problem: expect.stringMatching(/Secret test\/ca is not found, or has no key ca\.crt/),
  });
  expect(await asked({})).toEqual({ kind: 'error', reason: expect.stringMatching(/certificate/), isUnreachable: true });
});

it('the certificate of external metrics is not checked with insecureSkipVerify, and is checked by default', async () => {
  await asked({ type: 'externalmetrics', insecureSkipVerify: true });
  expect(seen).toHaveLength(1);
  expect(await asked({ type: 'externalmetrics' })).toEqual({
    kind: 'error',
    reason: expect.stringMatching(/certificate/),
    isUnreachable: true,
  });
  expect(seen).toHaveLength(1);
});

it("a template's query is retried as often as its retries allow, after a temporary error", async () => {
  answers = [() => ({ status: 503 }), () => ({ status: 429 })];
  expect(await asked({ caSecretRef, retries: 2 })).toEqual({ kind: 'value', value: 1 });
  expect(seen).toHaveLength(3);
  answers = [() => ({ status: 400 })];
  expect(await asked({ caSecretRef, retries: 2 })).toMatchObject({ kind: 'error' });
  expect(seen).toHaveLength(4);
  answers = [() => ({ status: 503 })];
  expect(await asked({ caSecretRef })).toMatchObject({ kind: 'error' });
  expect(seen).toHaveLength(5);
});

it('a template has its own time limit, which includes retries', async () => {
  const silent = Array.from({ length: 9 }, () => () => ({ status: 503 }));
  answers = silent;
  expect(await asked({ caSecretRef, retries: 5, timeout: '300ms' })).toMatchObject({ kind: 'error' });
  expect(seen.length).toBeLessThan(5);
  expect(await asked({ caSecretRef, timeout: '2m' })).toMatchObject({
    problem: expect.stringMatching(/spec\.provider\.timeout must be a time/),
    code: 'QueryInvalid',
    field: 'spec.provider.timeout',
  });
});
