import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { withServer } from '../../test/fakes/test-server.ts';
import { callWebhook } from './call-webhook.ts';
import type { HookPayload } from './hook-payload.ts';
import { hookCredentials } from './hook-secret.ts';

const payload: HookPayload = {
  name: 'podinfo',
  namespace: 'test',
  phase: 'Progressing',
  checksum: 's1:ab',
  revision: 's1:ab',
  canaryWeight: 20,
  primaryWeight: 80,
};
const data = { signingKey: 's1gning-key\n', 'header.Authorization': 'Bearer t0ken-of-ours\n', 'header.X-Team': 'shop' };
const signal = new AbortController().signal;
const pause = async () => undefined;
/** A stopped clock: no timeout passes. */
const clock = handClock();

function call(url: string, secret: (namespace: string, name: string) => Promise<Record<string, string> | undefined>) {
  return callWebhook({ name: 'hook', url, secretRef: { name: 'hook' } }, payload, { key: 'k', signal, pause, clock, secret });
}

describe('a webhook with a Secret', () => {
  it('is called with the signature of its body and the headers of the Secret', async () => {
    const seen: IncomingHttpHeaders[] = [];
    await withServer(
      (request, response) => {
        seen.push(request.headers);
        response.writeHead(200).end();
      },
      async (url, calls) => {
        const asked: string[] = [];
        const answer = await call(url, async (namespace, name) => {
          asked.push(`${namespace}/${name}`);
          return data;
        });
        expect(answer).toEqual({ outcome: 'passed', body: '' });
        expect(asked).toEqual(['test/hook']);
        const hex = createHmac('sha256', 's1gning-key')
          .update(calls[0]?.body ?? '')
          .digest('hex');
        expect(seen[0]).toMatchObject({
          'x-serin-signature-256': `sha256=${hex}`,
          authorization: 'Bearer t0ken-of-ours',
          'x-team': 'shop',
          'content-type': 'application/json',
        });
      },
    );
  });

  it('signs each attempt with its time, an id of its own and the path, so that it cannot be repeated or sent elsewhere', async () => {
    const seen: IncomingHttpHeaders[] = [];
    await withServer(
      (request, response, count) => {
        seen.push(request.headers);
        response.writeHead(count === 1 ? 503 : 200).end();
      },
      async (url, calls) => {
        const hook = { name: 'hook', url: `${url}/gate/check?x=1`, secretRef: { name: 'hook' }, retries: 1 };
        const startMs = Date.UTC(2026, 4, 3, 2, 1);
        const ticking = handClock(startMs);
        const passing = async () => ticking.advance(7_000);
        await callWebhook(hook, payload, { key: 'k', signal, pause: passing, clock: ticking, secret: async () => data });
        expect(calls).toHaveLength(2);
        for (const [index, headers] of seen.entries()) {
          const { 'x-serin-timestamp': timestamp, 'x-serin-request-id': id, 'x-serin-request-signature-256': signature } = headers;
          expect(timestamp).toBe(String(startMs / 1_000 + index * 7));
          const text = `${timestamp}.${id}.POST /gate/check?x=1\n${calls[index]?.body}`;
          expect(signature).toBe(`sha256=${createHmac('sha256', 's1gning-key').update(text).digest('hex')}`);
        }
        expect(seen[0]?.['x-serin-request-id']).not.toBe(seen[1]?.['x-serin-request-id']);
      },
    );
  });

  it('shows nothing of it, even when the server echoes the request', async () => {
    await withServer(
      (request, response) => response.writeHead(403).end(JSON.stringify(request.headers)),
      async (url) => {
        const shown = JSON.stringify(await call(url, async () => ({ ...data, 'header.X-Key': data.signingKey })));
        for (const secret of ['s1gning-key', 't0ken-of-ours', 'shop']) expect(shown).not.toContain(secret);
      },
    );
  });

  it('is not followed to another address', async () => {
    await withServer(
      (_request, response) => response.end(),
      async (other, reached) =>
        withServer(
          (_request, response) => response.writeHead(307, { location: other }).end(),
          async (url) => {
            expect(await call(url, async () => data)).toMatchObject({
              outcome: 'refused',
              reason: expect.stringContaining('redirects to another address'),
            });
            expect(reached).toEqual([]);
          },
        ),
    );
  });

  it.each([
    { what: 'is missing', read: async () => undefined, reason: 'Secret test/hook not found: create it, or correct secretRef' },
    { what: 'cannot be read', read: () => Promise.reject(new Error('t0ken-of-ours')), reason: 'Secret test/hook could not be read' },
    {
      what: 'holds nothing of use',
      read: async () => ({ password: 'x' }),
      reason: 'Secret test/hook: it has neither signingKey nor a key header.NAME',
    },
    {
      what: 'holds a header that cannot be sent',
      read: async () => ({ 'header.X-A': 'a\nX-B: t0ken-of-ours' }),
      reason:
        'Secret test/hook: its key header.X-A makes no header that can be sent: it has a value with a line break, a control character or one beyond Latin-1: correct the value',
    },
  ])('is refused without a request when it $what', async ({ read, reason }) => {
    await withServer(
      (_request, response) => response.end(),
      async (url, seen) => {
        expect(await call(url, read)).toEqual({ outcome: 'refused', reason });
        expect(seen).toEqual([]);
      },
    );
  });

  it.each([
    'Content-Type',
    'host',
    'X-Serin-Signature-256',
    'X-Serin-Timestamp',
    'x-serin-request-id',
    'Content-Length',
    'Upgrade',
    'TE',
    'Proxy-Authorization',
  ])('does not say %s for us', (name) => {
    expect(hookCredentials({ [`header.${name}`]: 'x' })).toHaveProperty('problem');
  });
});
