import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { sendHooks } from './send-hooks.ts';

type Delivery = Parameters<typeof sendHooks>[1];

/** The names of the hooks that were called for a message, which the operator's --event-webhook would also take. */
async function passed(delivery: object, webhooks: object[] = []): Promise<{ passed: readonly string[]; calls: number }> {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const canary = aCanary({
    webhooks: webhooks.map((one) => ({ url, ...one })) as NonNullable<ReturnType<typeof aCanary>['spec']['analysis']['webhooks']>,
  });
  const message = { key: 'k', kind: 'event-webhook', message: 'm', sinceMs: 0, ...delivery } as Delivery;
  const sent = await sendHooks(canary, message, { eventWebhook: url, secret: async () => undefined }, new AbortController().signal);
  server.close();
  return { passed: sent.passed, calls };
}

it('a message for the webhook of a Canary goes only to it, and nowhere once the spec no longer names it', async () => {
  const own = { name: 'chat', type: 'event' };
  expect(await passed({ hook: { name: 'chat', nth: 0 } }, [{ ...own, name: 'other' }, own])).toEqual({ passed: ['chat'], calls: 1 });
  expect(await passed({ hook: { name: 'chat', nth: 0 } })).toEqual({ passed: [], calls: 0 });
  expect(await passed({ hook: { name: 'event-webhook', nth: 0 } })).toEqual({ passed: [], calls: 0 });
});

it('a message for all goes to --event-webhook where the Canary has none of its own', async () => {
  expect(await passed({})).toEqual({ passed: ['event-webhook'], calls: 1 });
});
