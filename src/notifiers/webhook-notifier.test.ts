import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { memoryNotifier } from './memory-notifier.ts';
import type { AlertMessage } from './notifier.ts';
import { webhookNotifier } from './webhook-notifier.ts';

const message: AlertMessage = {
  key: 'u1/3/Failed',
  canary: { name: 'podinfo', namespace: 'test' },
  severity: 'error',
  text: 'release failed',
  fields: [{ name: 'Target', value: 'Deployment/podinfo.test' }],
};
const signal = new AbortController().signal;

async function answering(status: number | undefined, use: (url: string, seen: unknown[]) => Promise<void>) {
  const seen: unknown[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ key: request.headers['idempotency-key'], body: await json(request) });
    if (status !== undefined) response.writeHead(status).end('body');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`, seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('webhookNotifier', () => {
  it('posts the alert as JSON with its idempotency key', async () => {
    await answering(204, async (url, seen) => {
      expect(await webhookNotifier({ url }).send(message, signal)).toEqual({ ok: true });
      const { key, severity, fields } = message;
      const body = { key, name: 'podinfo', namespace: 'test', severity, message: 'release failed', fields };
      expect(seen).toEqual([{ key, body }]);
    });
  });

  it.each([
    { status: 400, retry: false },
    { status: 429, retry: true },
    { status: 500, retry: true },
    { status: 501, retry: false },
  ])('says for $status whether a retry helps: $retry', async ({ status, retry }) => {
    await answering(status, async (url) => {
      expect(await webhookNotifier({ url }).send(message, signal)).toEqual({
        ok: false,
        reason: `HTTP ${status} from ${new URL(url).host}`,
        retry,
      });
    });
  });

  it('05 A40: gives up on a silent server and never shows the path of the address', async () => {
    await answering(undefined, async (url) => {
      const outcome = await webhookNotifier({ url, timeoutMs: 60 }).send(message, signal);
      expect(outcome).toEqual({ ok: false, reason: `no answer from ${new URL(url).host}: ETIMEDOUT`, retry: true });
    });
  });

  it('refuses an address that is none, and throws only when aborted', async () => {
    expect(await webhookNotifier({ url: 'slack' }).send(message, signal)).toMatchObject({ ok: false, retry: false });
    await expect(webhookNotifier({ url: 'http://127.0.0.1:1' }).send(message, AbortSignal.abort(new Error('stop')))).rejects.toThrow(
      'stop',
    );
  });
});

describe('memoryNotifier', () => {
  it('keeps what it was given and answers as told', async () => {
    const notifier = memoryNotifier([{ ok: false, reason: 'busy', retry: true }]);
    expect(await notifier.send(message, signal)).toMatchObject({ ok: false });
    expect(await notifier.send(message, signal)).toEqual({ ok: true });
    expect(notifier.sent).toEqual([message, message]);
  });
});
