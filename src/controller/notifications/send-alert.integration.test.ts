import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatServer, startChatServer } from '../../../test/contracts/notifiers/chat-server.ts';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import type { Delivery } from '../../api/canary-status.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { readMessageTemplates } from '../../notifiers/message-templates.ts';
import type { AlertMessage, Notifier, SendOutcome } from '../../notifiers/notifier.ts';
import { ControllerConfig } from '../config.ts';
import { globalNotifier } from './global-notifier.ts';
import { alertSender } from './send-alert.ts';

const signal = new AbortController().signal;
const canary = parsedCanary({ analysis: { interval: '1m' } }, { uid: 'u1' });
const PLANTED = { address: 's3cret-path', token: 't0ken', signingKey: 's1gning-key' };

let chat: ChatServer;
beforeAll(async () => {
  chat = await startChatServer();
});
afterAll(() => chat.stop());
beforeEach(() => chat.behaves({ kind: 'answers', status: 200 }));

const delivery = (namespace = 'test'): Delivery => ({
  key: 'u1/1/s1:b/Failed/alert/test/chat',
  kind: 'alert',
  outcome: 'Failed',
  message: 'rolled back',
  sinceMs: 1000,
  alert: { reason: 'Failed', severity: 'error', to: { namespace, name: 'chat' }, fields: [{ name: 'Revision', value: 's1:b' }] },
});

function deps(spec: object | undefined, secret?: Record<string, string>, config: Partial<ControllerConfig> = {}) {
  const asked: string[] = [];
  const provider = { apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata: { name: 'chat', namespace: 'test' }, spec };
  const send = alertSender({
    config: ControllerConfig.parse(config),
    cluster: {
      get: async ({ kind, namespace, name }: ObjectRef) => {
        asked.push(`${kind} ${namespace}/${name}`);
        return spec === undefined ? undefined : (provider as KubeObject);
      },
    },
    secret: async (namespace, name) => {
      asked.push(`Secret ${namespace}/${name}`);
      return secret;
    },
    global: undefined,
  });
  return { send, asked };
}

describe('an alert by an AlertProvider', () => {
  it('goes to the address of the Secret, with its token and the name of the cluster first', async () => {
    const secret = { address: `${chat.origin}/${PLANTED.address}\n`, token: `${PLANTED.token}\n` };
    const spec = { type: 'slack', address: 'http://127.0.0.1:1/never', secretRef: { name: 'chat' }, channel: 'ops' };
    const { send, asked } = deps(spec, secret, { clusterName: 'eu-1' });
    expect(await send(canary, delivery(), signal)).toEqual({ ok: true });
    expect(asked).toEqual(['AlertProvider test/chat', 'Secret test/chat']);
    expect(chat.posts[0]?.path).toBe(`POST /${PLANTED.address}`);
    expect(chat.posts[0]?.headers.authorization).toBe(`Bearer ${PLANTED.token}`);
    expect(JSON.parse(chat.posts[0]?.body ?? '')).toMatchObject({
      channel: 'ops',
      username: 'flagger',
      attachments: [
        {
          author_name: 'podinfo.test',
          text: 'rolled back',
          fields: [
            { title: 'Cluster', value: 'eu-1' },
            { title: 'Revision', value: 's1:b' },
          ],
        },
      ],
    });
  });

  const ofCommit = (): Delivery => {
    const { alert, ...rest } = delivery();
    const details = { release: 1, revision: 's1:b', weight: 0, checks: [], commit: '0123456' };
    return { ...rest, ...(alert && { alert: { ...alert, commitOnly: true, details } }) };
  };

  it.each([
    ['of another kind', { type: 'slack', address: 'http://127.0.0.1:1/never', secretRef: { name: 'chat' } }],
    ['that does not exist', undefined],
  ])('for a commit is dropped without a message by an AlertProvider %s, and no Secret is read', async (_, spec) => {
    const { send, asked } = deps(spec, {});
    expect(await send(canary, ofCommit(), signal)).toEqual({ ok: true });
    expect(asked).toEqual(['AlertProvider test/chat']);
  });

  it('for a commit goes to its forge', async () => {
    const { send } = deps({ type: 'gitlab', address: `${chat.origin}/a/b`, secretRef: { name: 'chat' } }, { token: PLANTED.token });
    expect(await send(canary, ofCommit(), signal)).toEqual({ ok: true });
    expect(chat.posts.map(({ path }) => path)).toEqual(['POST /api/v4/projects/a%2Fb/statuses/0123456']);
  });

  it('links to the page of the Canary with --dashboard-url', async () => {
    const spec = { type: 'slack', address: `${chat.origin}/` };
    await deps(spec, undefined, { dashboardUrl: 'https://serin.example/' }).send(canary, delivery(), signal);
    expect(chat.posts[0]?.body).toContain('"author_link":"https://serin.example/canaries/test/podinfo"');
  });

  it('has the text of its template, and the default one where that gives none, which is logged', async () => {
    const read = readMessageTemplates('Failed: "{{#images}}{{change}}{{/images}}{{#fields}}{{value}} is bad{{/fields}}"');
    if ('problem' in read) throw new Error(read.problem);
    const warnings: unknown[] = [];
    const provider = { apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata: { name: 'chat', namespace: 'test' } };
    const send = alertSender({
      config: ControllerConfig.parse({}),
      cluster: { get: async () => ({ ...provider, spec: { type: 'slack', address: `${chat.origin}/` } }) as KubeObject },
      secret: async () => undefined,
      global: undefined,
      messageTemplates: read.templates,
      log: { warn: (...line) => void warnings.push(line) },
    });
    await send(canary, delivery(), signal);
    expect(chat.posts.at(-1)?.body).toContain('"text":"s1:b is bad"');
    expect(warnings).toEqual([]);
    const bare = delivery();
    await send(
      canary,
      { ...bare, alert: { reason: 'Failed', severity: 'error', to: { namespace: 'test', name: 'chat' }, fields: [] } },
      signal,
    );
    expect(chat.posts.at(-1)?.body).toContain('"text":"rolled back"');
    expect(warnings).toEqual([
      [
        { canary: 'test/podinfo', reason: 'Failed: it gives no text for this alert: give it words of its own' },
        'a message template is not used: the alert is sent with the default text',
      ],
    ]);
  });

  it('to the channel general, in the name of flagger, where nothing else is said', async () => {
    await deps({ type: 'slack', address: `${chat.origin}/` }).send(canary, delivery(), signal);
    expect(JSON.parse(chat.posts[0]?.body ?? '')).toMatchObject({ channel: 'general', username: 'flagger' });
  });

  it('reads the provider for each attempt, so that a corrected one counts at once', async () => {
    const { send, asked } = deps({ type: 'webhook', address: `${chat.origin}/` });
    await send(canary, delivery(), signal);
    await send(canary, delivery(), signal);
    expect(asked).toEqual(['AlertProvider test/chat', 'AlertProvider test/chat']);
  });

  const secretRef = { name: 'chat' };
  it.each<{ what: string; spec?: object; secret?: Record<string, string>; reason: string }>([
    { what: 'no provider', reason: 'it does not exist: create it, or correct providerRef' },
    { what: 'no Secret', spec: { type: 'slack', secretRef }, reason: 'its Secret chat does not exist' },
    {
      what: 'a Secret without an address',
      spec: { type: 'slack', secretRef },
      secret: { token: PLANTED.token },
      reason: 'its Secret chat has no key address, and spec.address is not set',
    },
    { what: 'no address', spec: { type: 'slack' }, reason: 'the address must be an http or https URL' },
    {
      what: 'an address that is none',
      spec: { type: 'slack', secretRef },
      secret: { address: `hooks/${PLANTED.address}` },
      reason: 'the address must be an http or https URL',
    },
  ])('$what is reported without a request, and waits for a correction', async ({ spec, secret, reason }) => {
    expect(await deps(spec, secret).send(canary, delivery(), signal)).toEqual({ ok: false, reason, mayRetry: false });
    expect(chat.posts).toEqual([]);
  });

  it('an unknown type names the field', async () => {
    expect(await deps({ type: 'pager', address: chat.origin }).send(canary, delivery(), signal)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('spec.type'),
      mayRetry: false,
    });
  });

  it('an error shows nothing of the Secret', async () => {
    chat.behaves({ kind: 'echoes', status: 403 });
    const secret = { address: `${chat.origin}/${PLANTED.address}`, token: PLANTED.token, signingKey: PLANTED.signingKey };
    const outcome = await deps({ type: 'webhook', secretRef: { name: 'chat' } }, secret).send(canary, delivery(), signal);
    expect(outcome).toMatchObject({ ok: false, reason: `HTTP 403 from ${new URL(chat.origin).host}` });
    for (const planted of Object.values(PLANTED)) expect(JSON.stringify(outcome)).not.toContain(planted);
    const send = alertSender({
      config: ControllerConfig.parse({}),
      cluster: { get: () => Promise.reject(new Error(PLANTED.token)) },
      secret: async () => undefined,
      global: undefined,
    });
    expect(await send(canary, delivery(), signal)).toEqual({ ok: false, reason: 'it or its Secret could not be read', mayRetry: true });
  });

  it('one of another namespace is not even read with --no-cross-namespace-refs', async () => {
    const forbidden = deps({ type: 'webhook', address: chat.origin }, undefined, { noCrossNamespaceRefs: true });
    expect(await forbidden.send(canary, delivery('ops'), signal)).toMatchObject({ ok: false, isFinal: true });
    expect([forbidden.asked, chat.posts]).toEqual([[], []]);
    expect(await forbidden.send(canary, delivery('test'), signal)).toEqual({ ok: true });
    const allowed = deps({ type: 'webhook', address: chat.origin });
    expect(await allowed.send(canary, delivery('ops'), signal)).toEqual({ ok: true });
    expect(allowed.asked).toEqual(['AlertProvider ops/chat']);
  });
});

describe('an alert by the global receiver', () => {
  it('I6: is also sent for a delivery of an earlier version, which has fewer fields', async () => {
    const global = memoryNotifier();
    const send = alertSender({
      config: ControllerConfig.parse({}),
      cluster: { get: async () => undefined },
      secret: async () => undefined,
      global,
    });
    const { alert: _, ...bare } = delivery();
    expect(await send(canary, bare, signal)).toEqual({ ok: true });
    expect(global.sent).toMatchObject([{ key: bare.key, severity: 'error', reason: 'Failed', text: 'rolled back', fields: [] }]);
  });

  it('without one no receiver is waited for', async () => {
    const { alert: _, ...bare } = delivery();
    expect(await deps(undefined).send(canary, bare, signal)).toEqual({ ok: true });
  });

  const made = (config: Partial<ControllerConfig>) => globalNotifier(ControllerConfig.parse(config));
  it('Teams wins over Slack, and none is none', async () => {
    expect(made({})).toBeUndefined();
    const both = made({
      msteamsUrl: `${chat.origin}/teams`,
      slackUrl: `${chat.origin}/slack`,
      slackChannel: 'ops',
      slackProxyUrl: 'http://127.0.0.1:1',
    });
    if (!both || 'problem' in both) throw new Error('no notifier');
    const message = {
      key: 'k',
      canary: { name: 'a', namespace: 'b' },
      severity: 'info',
      reason: 'Failed',
      text: 't',
      fields: [],
      atMs: 0,
    } as const;
    expect(await both.send(message, signal)).toEqual({ ok: true });
    expect(chat.posts[0]?.path).toBe('POST /teams');
    const slack = made({ slackUrl: `${chat.origin}/slack`, slackChannel: 'ops', slackToken: PLANTED.token });
    if (!slack || 'problem' in slack) throw new Error('no notifier');
    await slack.send(message, signal);
    expect(chat.posts[1]?.headers.authorization).toBe(`Bearer ${PLANTED.token}`);
    expect(chat.posts[1]?.body).toContain('"channel":"ops"');
  });

  it.each<{ config: Partial<ControllerConfig>; problem: string }>([
    { config: { slackUrl: 'http://chat.example' }, problem: '--slack-channel is empty: name the channel that alerts go to' },
    {
      config: { slackUrl: 'http://chat.example', slackChannel: 'a', slackUser: '' },
      problem: '--slack-user is empty: name the sender of alerts',
    },
    { config: { slackUrl: 's3cret', slackChannel: 'a' }, problem: '--slack-url: the address must be an http or https URL' },
    { config: { msteamsUrl: 's3cret' }, problem: '--msteams-url: the address must be an http or https URL' },
  ])('$problem', ({ config, problem }) => {
    expect(made(config)).toEqual({ problem });
  });
});

/** Keeps what it is given; for tests and rehearsals. `answers` are used up first, then all is well. */
function memoryNotifier(answers: SendOutcome[] = []): Notifier & { readonly sent: readonly AlertMessage[] } {
  const sent: AlertMessage[] = [];
  return {
    sent,
    async send(message, signal) {
      signal.throwIfAborted();
      sent.push(message);
      return answers.shift() ?? { ok: true };
    },
  };
}
