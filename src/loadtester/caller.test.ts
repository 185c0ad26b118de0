import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptSignatureOf, signatureOf } from '../base/signature.ts';
import { createCallerCheck } from './caller.ts';
import { areRequired, type Credential, readCredentials } from './credentials.ts';

const NOW_MS: number = 1_800_000_000_000;
const KNOWN: Credential[] = [
  { kind: 'token', value: 't0ken' },
  { kind: 'token', value: 'sh0p-token', namespace: 'shop' },
  { kind: 'signingKey', value: 'k3y' },
  { kind: 'signingKey', value: 'sh0p-key', namespace: 'shop' },
];
const body = Buffer.from('{"name":"podinfo"}');

function signed({ key = 'k3y', id = 'id-000001', seconds = NOW_MS / 1000, path = '/gate/check', text = body.toString() } = {}) {
  const timestamp = String(seconds);
  const signature = attemptSignatureOf({ timestamp, id, path, body: text }, key);
  return { 'x-serin-timestamp': timestamp, 'x-serin-request-id': id, 'x-serin-request-signature-256': signature };
}

function check({ nowMs = () => NOW_MS, known = KNOWN as readonly Credential[] } = {}) {
  const ask = createCallerCheck({ credentials: async () => known, nowMs });
  return (headers: Record<string, string>, path = '/gate/check') => ask({ headers, path, body });
}

describe('a caller', () => {
  it('is anyone without credentials in the options', async () => {
    expect(await createCallerCheck({ credentials: undefined, nowMs: () => NOW_MS })({ headers: {}, path: '/', body })).toEqual({
      by: 'anyone',
    });
  });

  it('is proved by a token or a signature, and speaks for the namespace that it was given for', async () => {
    const ask = check();
    expect(await ask({ authorization: 'Bearer t0ken' })).toEqual({ by: 'token' });
    expect(await ask({ authorization: 'bearer sh0p-token' })).toEqual({ by: 'token', namespace: 'shop' });
    expect(await ask(signed())).toEqual({ by: 'signature' });
    expect(await ask(signed({ key: 'sh0p-key', id: 'id-000002' }))).toEqual({ by: 'signature', namespace: 'shop' });
  });

  it.each([
    { what: 'nothing', headers: {}, refused: 'send a bearer token, or sign the call (webhooks[].secretRef)' },
    { what: 'another token', headers: { authorization: 'Bearer t0ke' }, refused: 'the bearer token is not known' },
    {
      what: 'an empty token',
      headers: { authorization: 'Bearer ' },
      refused: 'send a bearer token, or sign the call (webhooks[].secretRef)',
    },
    { what: 'a signing key as a token', headers: { authorization: 'Bearer k3y' }, refused: 'the bearer token is not known' },
    { what: 'a forged signature', headers: signed({ key: 'guess' }), refused: 'the signature does not fit this call' },
    { what: 'a token as a signing key', headers: signed({ key: 't0ken' }), refused: 'the signature does not fit this call' },
    { what: 'a signature of another path', headers: signed({ path: '/gate/open' }), refused: 'the signature does not fit this call' },
    { what: 'a signature of another body', headers: signed({ text: '{}' }), refused: 'the signature does not fit this call' },
    { what: 'another id', headers: { ...signed(), 'x-serin-request-id': 'id-000009' }, refused: 'the signature does not fit this call' },
    {
      what: 'a later time under the old signature',
      headers: { ...signed(), 'x-serin-timestamp': '1800000001' },
      refused: 'the signature does not fit this call',
    },
    {
      what: 'an old call',
      headers: signed({ seconds: NOW_MS / 1000 - 301 }),
      refused: 'the call was signed at another time: look at the clocks',
    },
    {
      what: 'a call of the future',
      headers: signed({ seconds: NOW_MS / 1000 + 301 }),
      refused: 'the call was signed at another time: look at the clocks',
    },
    {
      what: 'a time that is none',
      headers: { ...signed(), 'x-serin-timestamp': 'now' },
      refused: 'the call is not signed as it should be',
    },
    {
      what: 'an endless id',
      headers: { ...signed(), 'x-serin-request-id': 'x'.repeat(65) },
      refused: 'the call is not signed as it should be',
    },
    {
      what: 'the signature of the body alone',
      headers: { 'x-serin-signature-256': signatureOf(body.toString(), 'k3y') },
      refused: 'send a bearer token, or sign the call (webhooks[].secretRef)',
    },
  ])('with $what is refused', async ({ headers, refused }) => {
    expect(await check()(headers as Record<string, string>)).toEqual({ refused });
  });

  it('is refused when the call comes again, and an id counts until its time has passed', async () => {
    let nowMs = NOW_MS;
    const ask = check({ nowMs: () => nowMs });
    const early = signed({ seconds: NOW_MS / 1000 + 299 });
    expect(await ask(early)).toEqual({ by: 'signature' });
    expect(await ask(early)).toEqual({ refused: 'the call has come before' });
    nowMs += 599_000;
    expect(await ask(early)).toEqual({ refused: 'the call has come before' });
    nowMs += 1;
    expect(await ask(early)).toEqual({ refused: 'the call was signed at another time: look at the clocks' });
  });

  it('I15: using up the ids of one key leaves those of the others', async () => {
    const ask = check();
    let used = 0;
    while (!('refused' in (await ask(signed({ key: 'sh0p-key', id: `id-shop-${used}` }))))) used += 1;
    expect(used).toBe(50_000);
    expect(await ask(signed())).toEqual({ by: 'signature' });
  });

  it('is unknown where all credentials have gone', async () => {
    const ask = check({ known: [] });
    expect(await ask({ authorization: 'Bearer ' })).toHaveProperty('refused');
    expect(await ask(signed({ key: '' }))).toHaveProperty('refused');
  });
});

describe('readCredentials', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'serin-credentials-'));
    await writeFile(join(folder, 'shop.token'), 'sh0p\n');
    await writeFile(join(folder, 'shop.signingKey'), 'sh0p-key\n');
    await writeFile(join(folder, 'empty.token'), '\n');
    await writeFile(join(folder, 'README'), 'no credential');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads those of namespaces and those for all, and takes an empty one for none', async () => {
    const sources = { token: 'a', signingKeyFile: join(folder, 'shop.signingKey'), folder };
    expect(areRequired(sources)).toBe(true);
    expect(await readCredentials(sources)).toEqual([
      { kind: 'token', value: 'a' },
      { kind: 'signingKey', value: 'sh0p-key' },
      { kind: 'signingKey', value: 'sh0p-key', namespace: 'shop' },
      { kind: 'token', value: 'sh0p', namespace: 'shop' },
    ]);
    expect(areRequired({})).toBe(false);
    await expect(readCredentials({ tokenFile: join(folder, 'none') })).rejects.toThrow('ENOENT');
  });
});
