import { describe, expect, it } from 'vitest';
import { hookedCanary } from '../../test/fakes/hooked-canary.ts';
import { withServer } from '../../test/fakes/test-server.ts';
import type { HookType, Webhook } from '../api/canary.ts';
import { eventPayload, hookPayload } from './hook-payload.ts';
import { runHooks, sendEvent } from './run-hooks.ts';

const context = () => ({ key: 'uid/1', phase: 'Progressing' as const, checksum: 's1:ab', signal: new AbortController().signal });

describe('runHooks', () => {
  const fields = { name: 'podinfo', namespace: 'test', phase: 'Progressing', checksum: 's1:ab' };
  const added = { revision: 's1:ab', canaryWeight: 0, primaryWeight: 100 };

  it('sends the recorded weights', () => {
    const canary = hookedCanary([]);
    const status = { phase: 'Progressing' as const, failedChecks: 0, iterations: 0, canaryWeight: 30 };
    const payload = hookPayload({ ...canary, status }, { name: 'h', url: 'http://h' }, { phase: 'Progressing', checksum: 's1:ab' });
    expect(payload).toEqual({ ...fields, ...added, canaryWeight: 30, primaryWeight: 70 });
  });

  it('calls the hooks of the type in list order and stops at the first failure', async () => {
    await withServer(
      (request, response) => response.writeHead(request.url === '/no' ? 403 : 200).end('closed'),
      async (url, seen) => {
        const canary = hookedCanary([
          { name: 'a', type: 'rollout', url: `${url}/a` },
          { name: 'other', type: 'pre-rollout', url: `${url}/other` },
          { name: 'b', url: `${url}/no`, metadata: { cmd: 'test' } },
          { name: 'c', type: '', url: `${url}/c` },
        ]);
        expect(await runHooks(canary, 'rollout', context())).toEqual({
          outcome: 'refused',
          webhook: 'b',
          reason: `HTTP 403 from ${new URL(url).host}: closed`,
        });
        expect(seen.map(({ path }) => path)).toEqual(['/a', '/no']);
        expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
          { ...fields, ...added },
          { ...fields, ...added, metadata: { cmd: 'test' } },
        ]);
      },
    );
  });

  it('without a hook of the type the answer is passed, for rollback refused', async () => {
    expect(await runHooks(hookedCanary([]), 'confirm-promotion', context())).toEqual({ outcome: 'passed', webhooks: [] });
    expect(await runHooks(hookedCanary([]), 'rollback', context())).toMatchObject({ outcome: 'refused', webhook: '' });
  });

  it('the first rollback hook that says yes ends it; when all say no it is refused', async () => {
    await withServer(
      (request, response) => response.writeHead(request.url === '/yes' ? 200 : 403).end(),
      async (url, seen) => {
        const hook = (path: string): Webhook => ({ name: path, type: 'rollback', url: `${url}/${path}` });
        expect(await runHooks(hookedCanary([hook('no'), hook('yes'), hook('late')]), 'rollback', context())).toEqual({
          outcome: 'passed',
          webhooks: ['yes'],
        });
        expect(seen.map(({ path }) => path)).toEqual(['/no', '/yes']);
        expect(await runHooks(hookedCanary([hook('no'), hook('nor')]), 'rollback', context())).toMatchObject({ webhook: 'nor' });
      },
    );
  });

  it.each<{ type: HookType; outcome: string }>([
    { type: 'pre-rollout', outcome: 'passed' },
    { type: 'rollout', outcome: 'passed' },
    { type: 'post-rollout', outcome: 'passed' },
    { type: 'event', outcome: 'passed' },
    { type: 'confirm-rollout', outcome: 'refused' },
    { type: 'confirm-traffic-increase', outcome: 'refused' },
    { type: 'confirm-promotion', outcome: 'refused' },
    { type: 'rollback', outcome: 'refused' },
  ])('204 to $type is $outcome', async ({ type, outcome }) => {
    await withServer(
      (_request, response) => response.writeHead(204).end(),
      async (url) => {
        expect(await runHooks(hookedCanary([{ name: 'h', type, url }]), type, context())).toMatchObject({ outcome });
      },
    );
  });
});

describe('DF873: a webhook without an answer', () => {
  const gate = (url: string): Webhook => ({ name: 'gate', type: 'confirm-rollout', url });

  it.each([
    ['nothing listens', 'http://127.0.0.1:1/', /^no answer from 127\.0\.0\.1:1: nothing listens at its address and port \(ECONNREFUSED\)$/],
    ['its host does not exist', 'http://gate.invalid/', /^no answer from gate\.invalid: .*\((ENOTFOUND|EAI_AGAIN)\)$/],
    ['its url is none', 'gate', /^its url is not an http or https address$/],
  ])('is not a closed gate: %s', async (_, url, reason) => {
    expect(await runHooks(hookedCanary([gate(url)]), 'confirm-rollout', context())).toEqual({
      outcome: 'refused',
      webhook: 'gate',
      reason: expect.stringMatching(reason),
      isUnanswered: true,
    });
  });

  it('has answered where it says no', async () => {
    await withServer(
      (_request, response) => response.writeHead(403).end(),
      async (url) => {
        const closed = await runHooks(hookedCanary([gate(url)]), 'confirm-rollout', context());
        expect(closed).toMatchObject({ outcome: 'refused', webhook: 'gate' });
        expect(closed).not.toHaveProperty('isUnanswered');
      },
    );
  });
});

describe('sendEvent', () => {
  it('calls every event hook, also after a failure, and the fallback only without one', async () => {
    await withServer(
      (request, response) => response.writeHead(request.url === '/a' ? 500 : 200).end(),
      async (url, seen) => {
        const event = { message: 'weight is 10', type: 'Normal' as const, atMs: 1234 };
        const canary = hookedCanary([
          { name: 'a', type: 'event', url: `${url}/a` },
          { name: 'b', type: 'event', url: `${url}/b` },
        ]);
        const failures = await sendEvent(canary, event, { ...context(), fallbackUrl: `${url}/global` });
        expect(failures.map(({ webhook }) => webhook)).toEqual(['a']);
        expect(await sendEvent(hookedCanary([]), event, { ...context(), fallbackUrl: `${url}/global` })).toEqual([]);
        expect(seen.map(({ path }) => path)).toEqual(['/a', '/b', '/global']);
      },
    );
  });

  it('metadata of the webhook cannot override the keys of the event', () => {
    const webhook: Webhook = { name: 'h', type: 'event', url: 'http://h', metadata: { team: 'a', eventType: 'Fake' } };
    const payload = eventPayload(hookedCanary([]), { message: 'm', type: 'Warning', atMs: 5 }, { phase: 'Failed', checksum: 'c', webhook });
    expect(payload.metadata).toEqual({ team: 'a', eventMessage: 'm', eventType: 'Warning', timestamp: '5' });
  });
});
