import { expect, it } from 'vitest';
import { hookedCanary } from '../../../test/fakes/hooked-canary.ts';
import { withServer } from '../../../test/fakes/test-server.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Webhook } from '../../api/canary.ts';
import { callWebhook } from '../../webhooks/call-webhook.ts';
import { hookPayload } from '../../webhooks/hook-payload.ts';
import { runHooks, sendEvent } from '../../webhooks/run-hooks.ts';
import { sendHooks } from './send-hooks.ts';

const signal = new AbortController().signal;
const about = { phase: 'Progressing' as const, checksum: 's1:ab' };
const payload = hookPayload(hookedCanary([]), { name: 'h', url: 'http://h' }, about);

/** `path key` of each call that a server gets, whose answers are these. */
async function heard(act: (url: string) => Promise<unknown>, answers: readonly number[] = []): Promise<string[]> {
  const keys: string[] = [];
  await withServer(
    (request, response, count) => {
      keys.push(`${request.url} ${request.headers['idempotency-key']}`);
      response.writeHead(answers[count - 1] ?? 200).end();
    },
    async (url) => void (await act(url)),
  );
  return keys;
}

it('E135: the retries of a call have the key of the first attempt', async () => {
  const act = (url: string) =>
    callWebhook({ name: 'h', url, retries: 2 }, payload, { key: 'uid/1/h', signal, pause: async () => undefined });
  expect(await heard(act, [503, 500])).toEqual(['/ uid/1/h', '/ uid/1/h', '/ uid/1/h']);
});

it('E135: each hook of an occasion has its own key, also where two share a name, and any text makes a header', async () => {
  const act = (url: string) =>
    runHooks(
      hookedCanary([
        { name: 'load', type: 'rollout', url: `${url}/a` },
        { name: 'load', type: 'rollout', url: `${url}/b` },
        { name: 'prüfen\r\nX-Other: 1', type: 'rollout', url: `${url}/c` },
      ]),
      'rollout',
      { ...about, key: 'uid/1/7/rollout', signal },
    );
  expect(await heard(act)).toEqual([
    '/a uid/1/7/rollout/load',
    '/b uid/1/7/rollout/load/1',
    '/c uid/1/7/rollout/pr%C3%BCfen%0D%0AX-Other:%201',
  ]);
});

it('E135: each receiver of an event has its own key of it', async () => {
  const event = { message: 'weight is 10', type: 'Normal' as const, atMs: 1234 };
  const act = (url: string) =>
    sendEvent(hookedCanary(['a', 'b'].map((name): Webhook => ({ name, type: 'event', url: `${url}/${name}` }))), event, {
      ...about,
      key: 'uid/1/event',
      signal,
    });
  expect(await heard(act)).toEqual(['/a uid/1/event/a', '/b uid/1/event/b']);
});

it('E135, I6: a message of an end has the key that the status lists, and each hook its own where an earlier version has listed a single message for all hooks', async () => {
  const named = (url: string) => aCanary({ webhooks: ['a', 'b'].map((name) => ({ name, type: 'post-rollout' as const, url })) });
  const listed = { key: 'uid/1/Succeeded/post-rollout/b', kind: 'post-rollout', outcome: 'Succeeded', message: 'm', sinceMs: 0 } as const;
  const options = { eventWebhook: '', secret: async () => undefined };
  expect(await heard((url) => sendHooks(named(url), { ...listed, hook: { name: 'b', nth: 0 } }, options, signal))).toEqual([
    '/ uid/1/Succeeded/post-rollout/b',
  ]);
  expect(await heard((url) => sendHooks(named(url), { ...listed, key: 'uid/1/all' }, options, signal))).toEqual([
    '/ uid/1/all/a',
    '/ uid/1/all/b',
  ]);
});

it('a Secret that would replace the key is refused', async () => {
  const secret = async () => ({ 'header.Idempotency-Key': 'mine' });
  const hook = { name: 'h', url: 'http://127.0.0.1:1/', secretRef: { name: 's' } };
  expect(await callWebhook(hook, payload, { key: 'k', signal, secret })).toEqual({
    outcome: 'refused',
    reason: 'Secret test/s: its key header.Idempotency-Key makes no header that can be sent: it is set by Serin: leave it out',
  });
});
