import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withServer } from '../../test/fakes/test-server.ts';
import { tlsText } from '../../test/fakes/tls-kube-server.ts';
import type { Webhook } from '../api/canary.ts';
import { callWebhook, type TimeCall } from './call-webhook.ts';
import type { HookPayload } from './hook-payload.ts';

const payload: HookPayload = {
  name: 'podinfo',
  namespace: 'test',
  phase: 'Progressing',
  checksum: 's1:ab',
  revision: 's1:ab',
  canaryWeight: 20,
  primaryWeight: 80,
};

function call(webhook: Partial<Webhook> & { url: string }, signal = new AbortController().signal) {
  const waits: number[] = [];
  const pause = async (ms: number) => void waits.push(ms);
  // A timeout of an hour, so that a busy machine does not fail a call that has to be answered.
  return callWebhook({ name: 'hook', timeout: '60m', ...webhook }, payload, { key: 'uid/1/s1:ab', signal, pause }).then((answer) => ({
    answer,
    waits,
  }));
}

describe('callWebhook', () => {
  it('each attempt is timed by the type of its hook and how it ended', async () => {
    const timed: string[] = [];
    const timeCall: TimeCall = (type) => (result) => timed.push(`${type} ${result}`);
    const pause = async () => undefined;
    await withServer(
      (_request, response, count) => (count === 1 ? response.destroy() : response.writeHead(count === 2 ? 503 : 200).end()),
      async (url) => {
        const hook: Webhook = { name: 'hook', type: 'pre-rollout', url, retries: 2, timeout: '60m' };
        const answer = await callWebhook(hook, payload, { key: 'k', signal: new AbortController().signal, pause, timeCall });
        expect(answer.outcome).toBe('passed');
      },
    );
    expect(timed).toEqual(['pre-rollout unanswered', 'pre-rollout refused', 'pre-rollout passed']);
  });

  it('is a POST of JSON, and says so', async () => {
    let type: string | undefined;
    await withServer(
      (request, response) => {
        type = request.headers['content-type'];
        response.end();
      },
      async (url, seen) => {
        await call({ url });
        expect([type, seen[0]?.method, JSON.parse(seen[0]?.body ?? '')]).toEqual(['application/json', 'POST', payload]);
      },
    );
  });

  it('an unknown certificate is refused without a retry, and with disableTLS any certificate is accepted', async () => {
    const server = createServer({ cert: tlsText('server.crt'), key: tlsText('server.key') }, (_request, response) => response.end('fine'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { answer, waits } = await call({ url, retries: 2 });
    expect({ answer, waits }).toEqual({
      answer: {
        outcome: 'refused',
        reason: expect.stringMatching(/: its certificate is signed by an authority that is not \w+ \([A-Z_]+\)$/),
      },
      waits: [],
    });
    expect((await call({ url, disableTLS: true })).answer).toEqual({ outcome: 'passed', body: 'fine' });
  });

  it.each([200, 201, 202, 204, 299])('%i is a success for a rollout hook', async (status) => {
    await withServer(
      (_request, response) => response.writeHead(status).end('fine'),
      async (url, seen) => {
        const { answer } = await call({ url });
        expect(answer).toEqual({ outcome: 'passed', body: status === 204 ? '' : 'fine' });
        expect(seen).toEqual([{ method: 'POST', path: '/', body: JSON.stringify(payload) }]);
      },
    );
  });

  it.each([300, 304, 400, 404, 501])('%i is refused and not tried again', async (status) => {
    await withServer(
      (_request, response) => response.writeHead(status).end(),
      async (url, seen) => {
        const { answer } = await call({ url, retries: 3 });
        expect(answer).toEqual({ outcome: 'refused', status, reason: `HTTP ${status} from ${new URL(url).host}` });
        expect(seen).toHaveLength(1);
      },
    );
  });

  it('a 301 is followed with a GET without body', async () => {
    const answerTo = (path: string | undefined, response: ServerResponse) =>
      path === '/' ? response.writeHead(301, { location: '/moved' }).end() : response.writeHead(200).end('here');
    await withServer(
      (request, response) => answerTo(request.url, response),
      async (url, seen) => {
        expect((await call({ url })).answer).toEqual({ outcome: 'passed', body: 'here' });
        expect(seen[1]).toEqual({ method: 'GET', path: '/moved', body: '' });
      },
    );
  });

  it('an endless redirect is refused without a further attempt', async () => {
    await withServer(
      (_request, response) => response.writeHead(302, { location: '/' }).end(),
      async (url) => {
        const { answer, waits } = await call({ url, retries: 2 });
        expect(answer).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('REDIRECTS') });
        expect(waits).toEqual([]);
      },
    );
  });

  it('5xx is tried again after 1, 2, 4 s and the last body is shown in one line without control characters', async () => {
    await withServer(
      (_request, response, count) => response.writeHead(500).end(`boom\n\u001b[31m ${count}\t!`),
      async (url) => {
        const { answer, waits } = await call({ url, retries: 3 });
        expect(waits).toEqual([1000, 2000, 4000]);
        expect(answer).toEqual({
          outcome: 'refused',
          status: 500,
          reason: `HTTP 500 from ${new URL(url).host} after 4 attempts: boom [31m 4 !`,
        });
      },
    );
  });

  it.each([
    { retryAfter: '7', waitMs: 7000 },
    { retryAfter: '86400', waitMs: 30_000 },
    { retryAfter: 'Thu, 01 Jan 2026 00:00:05 GMT', waitMs: 5000 },
    { retryAfter: 'soon', waitMs: 1000 },
  ])('429 with Retry-After $retryAfter waits $waitMs ms', async ({ retryAfter, waitMs }) => {
    const headers = { 'retry-after': retryAfter, date: 'Thu, 01 Jan 2026 00:00:00 GMT' };
    await withServer(
      (_request, response, count) => response.writeHead(count === 1 ? 429 : 200, headers).end(),
      async (url) => {
        expect(await call({ url, retries: 1 })).toEqual({ answer: { outcome: 'passed', body: '' }, waits: [waitMs] });
      },
    );
  });

  it('a server that never answers is refused after the timeout of each attempt', async () => {
    await withServer(
      () => undefined,
      async (url) => {
        // Requests seen by the server prove nothing: on a busy machine the timeout ends before it reads.
        const { answer, waits } = await call({ url, timeout: '60ms', retries: 1 });
        expect(waits).toEqual([1000]);
        expect(answer).toEqual({
          outcome: 'refused',
          reason: `no answer from ${new URL(url).host} after 2 attempts: no complete answer within 60 ms`,
        });
      },
    );
  });

  it('a body that stops early counts as no answer', async () => {
    await withServer(
      (_request, response) => response.writeHead(200, { 'content-length': 10 }).write('half'),
      async (url) => {
        expect((await call({ url, timeout: '60ms' })).answer).toEqual({
          outcome: 'refused',
          reason: `no answer from ${new URL(url).host}: no complete answer within 60 ms`,
        });
      },
    );
  });

  it('a connection that is reset is tried again', async () => {
    const resetOnce = (response: ServerResponse, count: number) =>
      count === 1 ? response.socket?.resetAndDestroy() : response.writeHead(200).end('ok');
    await withServer(
      (_request, response, count) => resetOnce(response, count),
      async (url) => {
        expect(await call({ url, retries: 1 })).toEqual({ answer: { outcome: 'passed', body: 'ok' }, waits: [1000] });
        expect((await call({ url: 'http://127.0.0.1:1/' })).answer).toEqual({
          outcome: 'refused',
          reason: 'no answer from 127.0.0.1:1: nothing listens at its address and port (ECONNREFUSED)',
        });
      },
    );
  });

  it('a huge body is shown up to 512 characters, and the rest is not read', async () => {
    const pour = (response: ServerResponse) => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', () => pour(response));
    };
    await withServer(
      (_request, response) => pour(response.writeHead(403)),
      async (url) => {
        const { answer } = await call({ url });
        expect(answer).toEqual({ outcome: 'refused', status: 403, reason: `HTTP 403 from ${new URL(url).host}: ${'x'.repeat(512)}` });
      },
    );
  });

  it('shows no credentials of the address, even when the server echoes them', async () => {
    await withServer(
      (request, response) => response.writeHead(401).end(`${request.headers.authorization} s3cr%t`),
      async (url, seen) => {
        const { answer } = await call({ url: `${url.replace('//', '//me:s3cr%25t@')}/?token=hidden` });
        expect(seen[0]?.authorization).toBe(`Basic ${Buffer.from('me:s3cr%t').toString('base64')}`);
        expect(answer).toEqual({ outcome: 'refused', status: 401, reason: `HTTP 401 from ${new URL(url).host}: Basic *** ***` });
        const closed = await call({ url: 'http://me:s3cret@127.0.0.1:1/path?token=hidden' });
        expect(closed.answer).toEqual({
          outcome: 'refused',
          reason: 'no answer from 127.0.0.1:1: nothing listens at its address and port (ECONNREFUSED)',
        });
      },
    );
  });

  it.each(['', 'not a url', '/path', 'ftp://host/', 'file:///etc/passwd'])('the url "%s" is refused without a request', async (url) => {
    expect((await call({ url, retries: 2 })).answer).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('url') });
  });

  it('a timeout that is not a duration is refused without a request', async () => {
    await withServer(
      (_request, response) => response.end(),
      async (url, seen) => {
        expect((await call({ url, timeout: '10seconds' })).answer).toMatchObject({
          outcome: 'refused',
          reason: expect.stringContaining('10seconds'),
        });
        expect(seen).toEqual([]);
      },
    );
  });

  it('throws the reason of an abort, before and during the call', async () => {
    const gone = new Error('lease lost');
    await expect(call({ url: 'http://127.0.0.1:1' }, AbortSignal.abort(gone))).rejects.toThrow(gone);
    const controller = new AbortController();
    await withServer(
      () => controller.abort(gone),
      async (url) => {
        await expect(call({ url }, controller.signal)).rejects.toThrow(gone);
      },
    );
  });
});
