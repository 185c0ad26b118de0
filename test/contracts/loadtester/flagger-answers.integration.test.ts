import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HookType, Webhook } from '../../../src/api/canary.ts';
import { runHooks } from '../../../src/webhooks/run-hooks.ts';
import { hookedCanary } from '../../fakes/hooked-canary.ts';
import { withServer } from '../../fakes/test-server.ts';
import { startTested, type TestedLoadTester } from './start.ts';

function call(type: HookType, url: string, over: Partial<Webhook> = {}, secret?: Record<string, string>) {
  const hook: Webhook = { name: 'hook', type, url, ...over };
  const options = { key: 'k', signal: new AbortController().signal, pause: async () => undefined };
  return runHooks(hookedCanary([hook]), type, {
    ...options,
    phase: 'Progressing',
    checksum: 's1:a',
    ...(secret && { secret: async () => secret }),
  });
}

/** The load tester that people already run, as docs/rules says. */
function flaggerAnswers() {
  const gates = new Set<string>();
  return (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const { name, namespace, metadata } = JSON.parse(body);
    const [, kind, verb] = /^\/(gate|rollback)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const key = kind === 'rollback' ? `rollback.${name}.${namespace}` : `${name}.${namespace}`;
    const says = (status: number, text = '') => response.writeHead(status).end(text);
    if (verb === 'approve') says(200, 'OK');
    else if (verb === 'halt') says(403, 'Forbidden');
    else if (verb === 'open') says(202, gates.add(key) && '');
    else if (verb === 'close') says(202, gates.delete(key) ? '' : '');
    else if (verb === 'check') gates.has(key) ? says(200, 'Approved') : says(403, 'Forbidden');
    else if (!metadata) says(400, 'metadata missing');
    else if (metadata.type === 'bash') metadata.cmd === 'false' ? says(500, 'false failed: some output: exit status 1') : says(200);
    else if (metadata.type === undefined || metadata.type === 'cmd') says(202);
    else request.socket.destroy();
  };
}

describe('the load tester that people already run works with our webhooks', () => {
  const answers = flaggerAnswers();
  let seenBody = '';
  const use = (test: (url: string) => Promise<void>) =>
    withServer(
      (request, response) => answers(request, response, seenBody),
      async (url, seen) => {
        // `seen` has the body of the call that is answered.
        const original = seen.push.bind(seen);
        seen.push = (...items) => {
          seenBody = items[0]?.body ?? '';
          return original(...items);
        };
        await test(url);
      },
    );

  it.each(['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion'] as const)('%s waits for its gate', async (type) => {
    await use(async (url) => {
      const refused = { outcome: 'refused', webhook: 'hook', reason: `HTTP 403 from ${new URL(url).host}: Forbidden` };
      expect(await call(type, `${url}/gate/halt`)).toEqual(refused);
      expect(await call(type, `${url}/gate/check`)).toEqual(refused);
      expect(await call(type, `${url}/gate/approve`)).toMatchObject({ outcome: 'passed' });
      await fetch(`${url}/gate/open`, { method: 'POST', body: '{"name":"podinfo","namespace":"test"}' });
      expect(await call(type, `${url}/gate/check`)).toMatchObject({ outcome: 'passed' });
      await fetch(`${url}/gate/close`, { method: 'POST', body: '{"name":"podinfo","namespace":"test"}' });
      expect(await call(type, `${url}/gate/check`)).toEqual(refused);
    });
  });

  it('a rollback gate rolls back while it is open', async () => {
    await use(async (url) => {
      expect(await call('rollback', `${url}/rollback/check`)).toMatchObject({ outcome: 'refused' });
      await fetch(`${url}/rollback/open`, { method: 'POST', body: '{"name":"podinfo","namespace":"test"}' });
      expect(await call('rollback', `${url}/rollback/check`)).toMatchObject({ outcome: 'passed' });
    });
  });

  it('loads are accepted, tests pass, and the output of a failed test is shown', async () => {
    await use(async (url) => {
      expect(await call('rollout', url, { metadata: { cmd: 'hey http://a' } })).toMatchObject({ outcome: 'passed' });
      expect(await call('pre-rollout', url, { metadata: { type: 'bash', cmd: 'true' } })).toMatchObject({ outcome: 'passed' });
      expect(await call('pre-rollout', url, { metadata: { type: 'bash', cmd: 'false' }, retries: 1 })).toEqual({
        outcome: 'refused',
        webhook: 'hook',
        reason: `HTTP 500 from ${new URL(url).host} after 2 attempts: false failed: some output: exit status 1`,
      });
      expect(await call('pre-rollout', url)).toMatchObject({ reason: expect.stringContaining('HTTP 400') });
    });
  });

  it('a connection that it drops is a failure that says so', async () => {
    await use(async (url) => {
      expect(await call('pre-rollout', url, { metadata: { type: 'unknown' } })).toMatchObject({
        outcome: 'refused',
        reason: expect.stringContaining('no answer from'),
      });
    });
  });
});

describe('ours works with our webhooks', () => {
  const key = 'a-long-signing-key';
  let tester: TestedLoadTester;
  beforeAll(async () => {
    tester = await startTested({ credentials: { signingKey: key, token: 't0ken' } });
  });
  afterAll(() => tester.stop());

  it('signed by the Secret of the webhook, or with its bearer token, also at each attempt again', async () => {
    const secretRef = { secretRef: { name: 'loadtester' } };
    expect(await call('confirm-rollout', `${tester.url}/gate/check`)).toMatchObject({ reason: expect.stringMatching(/^HTTP 401/) });
    for (const secret of [{ signingKey: `${key}\n` }, { 'header.Authorization': 'Bearer t0ken\n' }]) {
      const refused = await call('confirm-rollout', `${tester.url}/gate/check?from=canary`, { ...secretRef, retries: 2 }, secret);
      expect(refused).toMatchObject({ reason: expect.stringMatching(/^HTTP 403 .*: Forbidden$/) });
      expect(
        await call('rollout', tester.url, { ...secretRef, metadata: { cmd: 'hey -z 1h -q 1 -c 1 http://127.0.0.1:1' } }, secret),
      ).toMatchObject({
        outcome: 'passed',
      });
    }
    expect(await call('confirm-rollout', `${tester.url}/gate/check`, secretRef, { signingKey: 'another' })).toMatchObject({
      reason: expect.stringMatching(/^HTTP 401 .*: the signature does not fit this call$/),
    });
  });

  it('a refused command names the switch where the user reads it', async () => {
    const refused = await call(
      'pre-rollout',
      tester.url,
      { secretRef: { name: 'x' }, metadata: { type: 'bash', cmd: 'make test' } },
      { signingKey: key },
    );
    expect(refused).toEqual({
      outcome: 'refused',
      webhook: 'hook',
      reason: `HTTP 422 from 127.0.0.1:${tester.port}: make cannot run here. To let Canaries of this namespace run commands in the load tester, start it with --allow-commands test`,
    });
  });
});
