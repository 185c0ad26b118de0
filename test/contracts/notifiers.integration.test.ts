import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlertProviderType } from '../../src/api/alert-provider.ts';
import { formats, notifierFor } from '../../src/notifiers/index.ts';
import type { Notifier, SendOutcome } from '../../src/notifiers/notifier.ts';
import { ownEgress } from '../../src/outgoing/own-egress.ts';
import { knowsProxies } from '../../src/outgoing/proxy.ts';
import { type Behaviour, type ChatServer, nowhere, startChatServer } from './notifiers/chat-server.ts';
import { notifierCases } from './notifiers/index.ts';
import { COMMIT, message, type NotifierCase } from './notifiers/notifier-case.ts';

const signal = new AbortController().signal;
/** Credentials that no outcome may show. */
const planted = { path: 's3cret-path', token: 'xoxb-t0ken', signingKey: 's1gning-key', password: 'pr0xy-pass' };

let chat: ChatServer;
let other: ChatServer;
beforeAll(async () => {
  [chat, other] = await Promise.all([startChatServer(), startChatServer()]);
});
afterAll(() => Promise.all([chat.stop(), other.stop()]));

type Given = Partial<Parameters<typeof notifierFor>[1]>;
const made = (type: AlertProviderType, given: Given = {}, options: Parameters<typeof notifierFor>[2] = {}): Notifier => {
  const { token, signingKey } = planted;
  const notifier = notifierFor(type, { address: `${chat.origin}/hook/${planted.path}`, token, signingKey, ...given }, options);
  if ('problem' in notifier) throw new Error(notifier.problem);
  return notifier;
};
const expectNothingShown = (outcome: SendOutcome | { problem: string }) => {
  for (const secret of Object.values(planted)) expect(JSON.stringify(outcome)).not.toContain(secret);
};
const outcomeOf = async (type: AlertProviderType, behaviour: Behaviour, given?: Given, options?: object): Promise<SendOutcome> => {
  chat.behaves(behaviour);
  const outcome = await made(type, given, { timeoutMs: 60_000, ...options }).send(message, signal);
  expectNothingShown(outcome);
  return outcome;
};
const host = () => new URL(chat.origin).host;

it('every kind of receiver has a case', () => expect(Object.keys(notifierCases).sort()).toEqual(Object.keys(formats).sort()));

describe.each(Object.entries(notifierCases) as [AlertProviderType, NotifierCase][])('notifier %s', (type, known) => {
  it('posts the payload of its kind as JSON, with the idempotency key', async () => {
    expect(await outcomeOf(type, { kind: 'answers', status: 200, body: 'ok' })).toEqual({ ok: true });
    const [post] = chat.posts;
    expect(chat.posts).toHaveLength(1);
    expect(post?.path).toBe(`POST ${known.path}`);
    expect(JSON.parse(post?.body ?? '')).toEqual(known.payload);
    expect(post?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': message.key });
  });

  const tokenIn = (headers: Record<string, unknown> | undefined) => headers?.[known.tokenHeader ?? 'authorization'];
  const tokenText = (token: string) => (known.takesToken ? `${known.tokenHeader ? '' : 'Bearer '}${token}` : undefined);

  it('the token goes in the header of its kind where that takes one, and nowhere else', async () => {
    await outcomeOf(type, { kind: 'answers', status: 200 });
    expect(tokenIn(chat.posts[0]?.headers)).toBe(tokenText(planted.token));
    expect(JSON.stringify(chat.posts).split(planted.token).length - 1).toBe(known.takesToken ? 1 : 0);
    if (known.marksCommits) {
      const problem = 'it has no token: name a Secret whose key token may write commit statuses';
      expect(notifierFor(type, { address: `${chat.origin}/a/b` })).toEqual({ problem });
      return;
    }
    await outcomeOf(type, { kind: 'answers', status: 200 }, { token: undefined });
    expect(chat.posts[0]?.headers.authorization).toBeUndefined();
  });

  it(`the body ${known.isSigned ? 'is signed' : 'is not signed'}`, async () => {
    await outcomeOf(type, { kind: 'answers', status: 200 });
    const [post] = chat.posts;
    const signature = `sha256=${createHmac('sha256', planted.signingKey)
      .update(post?.body ?? '')
      .digest('hex')}`;
    expect(post?.headers['x-serin-signature-256']).toBe(known.isSigned ? signature : undefined);
  });

  it('the severity travels in the way of its kind', async () => {
    for (const severity of ['error', 'warn'] as const) {
      chat.behaves({ kind: 'answers', status: 200 });
      await made(type).send({ ...message, severity }, signal);
      expect(chat.posts[0]?.body).toContain(known.severity[severity]);
    }
  });

  it("a tenant's text mentions no user, and hides no address behind other words", async () => {
    const words =
      '@all @here <!channel> <@1> [Grafana](https://evil.example) <https://evil.example|Grafana> <a href="https://evil.example">x</a>';
    for (const format of ['messageCard', 'adaptiveCard'] as const) {
      chat.behaves({ kind: 'answers', status: 200 });
      await made(type, { format }).send({ ...message, text: words, fields: [{ name: words, value: words }] }, signal);
      const body = chat.posts.at(-1)?.body ?? '';
      expect(body).toContain('evil.example');
      if (!known.showsAsItIs) expect(body).not.toMatch(/<!channel|<@1|<https:|<a href/);
      if (known.readsMarkdown) expect(body).not.toMatch(/@all|@here|\]\(https/);
    }
  });

  it.each([200, 201, 202, 204, 299])('%i is a success', async (status) => {
    expect(await outcomeOf(type, { kind: 'answers', status })).toEqual({ ok: true });
  });

  it.each([
    { status: 400, mayRetry: false },
    { status: 401, mayRetry: false },
    { status: 403, mayRetry: false },
    { status: 404, mayRetry: false },
    { status: 429, mayRetry: true },
    { status: 500, mayRetry: true },
    { status: 501, mayRetry: false },
    { status: 503, mayRetry: true },
  ])('$status is refused, with only the status and the host; a retry helps: $mayRetry', async ({ status, mayRetry }) => {
    const reason = `HTTP ${status} from ${host()}${known.refusals?.[status] ?? ''}`;
    expect(await outcomeOf(type, { kind: 'echoes', status })).toEqual({ ok: false, reason, mayRetry });
  });

  it('the Retry-After of a receiver is passed on', async () => {
    const answer = { kind: 'answers', status: 429, headers: { 'retry-after': '30' } } as const;
    expect(await outcomeOf(type, answer)).toMatchObject({ ok: false, mayRetry: true, retryAfterMs: 30_000 });
  });

  it('a receiver that says nothing is given up', async () => {
    const outcome = await outcomeOf(type, { kind: 'silent' }, {}, { timeoutMs: 60 });
    expect(outcome).toEqual({ ok: false, reason: `no answer from ${host()} within 60 ms`, mayRetry: true });
  });

  it('an answer that is cut off in its head is none', async () => {
    expect(await outcomeOf(type, { kind: 'cutOff' })).toMatchObject({ ok: false, mayRetry: true });
  });

  it(`an answer that is cut off in its body is ${known.readsBody ? 'none' : 'one all the same: it is not read'}`, async () => {
    const expected = known.readsBody ? { ok: false, mayRetry: true } : { ok: true };
    expect(await outcomeOf(type, { kind: 'cutOffBody' })).toMatchObject(expected);
  });

  it('an answer without end is read no further than it has to be', async () => {
    expect(await outcomeOf(type, { kind: 'pours' })).toEqual({ ok: true });
  });

  it('follows a redirect within its host, and none to another', async () => {
    other.behaves({ kind: 'answers', status: 200 });
    chat.behaves({ kind: 'answers', status: 307, headers: { location: `${other.origin}/taken` } });
    const refused = await made(type).send(message, signal);
    expectNothingShown(refused);
    expect(refused).toEqual({ ok: false, reason: `${host()} redirects to another address, which is not followed`, mayRetry: false });
    expect(other.posts).toEqual([]);
    const looped = await outcomeOf(type, { kind: 'answers', status: 307, headers: { location: '/again' } });
    expect(looped).toMatchObject({ ok: false });
    expect(chat.posts.at(-1)?.path).toBe('POST /again');
    expect(chat.posts.length).toBeLessThan(8);
  });

  it('an unreachable receiver is reported by its code', async () => {
    const address = `${await nowhere()}/hook/${planted.path}`;
    const outcome = await made(type, { address }).send(message, signal);
    expectNothingShown(outcome);
    expect(outcome).toEqual({
      ok: false,
      reason: `no answer from ${new URL(address).host}: nothing listens at its address and port (ECONNREFUSED)`,
      mayRetry: true,
    });
  });

  it('a receiver with an unknown certificate gets nothing', async () => {
    // Plain HTTP under https: the handshake fails, and the words of the TLS library do not get out.
    const address = `https://${host()}/hook/${planted.path}`;
    const outcome = await made(type, { address }).send(message, signal);
    expectNothingShown(outcome);
    expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining(`no answer from ${host()}`) });
  });

  it.each(['', 'hooks.slack.example/s3cret-path', '/s3cret-path', 'ftp://chat.example/s3cret-path'])(
    'the address "%s" is refused without being shown',
    (address) => {
      const refused = notifierFor(type, { address });
      expect(refused).toEqual({ problem: 'the address must be an http or https URL' });
    },
  );

  it('line ends of a Secret are taken off its values', async () => {
    const { token, path } = planted;
    await outcomeOf(type, { kind: 'answers', status: 200 }, { address: `${chat.origin}/hook/${path}\n`, token: `${token}\n` });
    expect(chat.posts[0]?.path).toBe(`POST ${known.path}`);
    expect(tokenIn(chat.posts[0]?.headers)).toBe(tokenText(token));
  });

  it.skipIf(!knowsProxies(process.versions.node))(
    'goes through the proxy that is given, else through that of the environment (skipped where Node knows no proxies)',
    async () => {
      const address = `http://chat.invalid/hook/${planted.path}`;
      const proxy = chat.origin.replace('//', `//me:${planted.password}@`);
      const asked = `POST http://chat.invalid${known.path}`;
      expect(await outcomeOf(type, { kind: 'answers', status: 200 }, { address, proxy })).toEqual({ ok: true });
      expect(chat.posts.map(({ path }) => path)).toEqual([asked]);
      const environment = { HTTP_PROXY: chat.origin };
      expect(
        await outcomeOf(type, { kind: 'answers', status: 200 }, { address }, { egress: ownEgress({ proxyEnvironment: environment }) }),
      ).toEqual({ ok: true });
      expect(chat.posts.map(({ path }) => path)).toEqual([asked]);
      // The proxy of the provider replaces the one of the environment.
      const elsewhere = { HTTP_PROXY: other.origin, NO_PROXY: '*' };
      other.behaves({ kind: 'answers', status: 200 });
      await outcomeOf(type, { kind: 'answers', status: 200 }, { address, proxy }, { egress: ownEgress({ proxyEnvironment: elsewhere }) });
      expect([chat.posts.length, other.posts.length]).toEqual([1, 0]);
      // TLS goes through a tunnel of the proxy, and its error shows nothing of the message.
      const secure = address.replace('http:', 'https:');
      expect(await outcomeOf(type, { kind: 'answers', status: 200 }, { address: secure, proxy })).toMatchObject({
        ok: false,
        mayRetry: true,
      });
      expect(chat.posts.map(({ path }) => path)).toEqual(['CONNECT chat.invalid:443']);
    },
  );

  it('a proxy that is none is refused without being shown', () => {
    const { origin } = chat;
    expect(notifierFor(type, { address: origin, proxy: 's3cret-path' })).toEqual({ problem: 'the proxy must be an http or https URL' });
  });

  it('throws only when it is aborted', async () => {
    chat.behaves({ kind: 'silent' });
    await expect(made(type).send(message, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    const stopping = new AbortController();
    const sent = made(type).send(message, stopping.signal);
    await expect.poll(() => chat.posts.length).toBe(1);
    stopping.abort(new Error('stop'));
    await expect(sent).rejects.toThrow('stop');
  });
});

describe('slack', () => {
  it.each([
    { error: 'channel_not_found', mayRetry: false },
    { error: 'invalid_auth', mayRetry: false },
    { error: 'ratelimited', mayRetry: true },
  ])('200 with ok:false and $error is a failure; a retry helps: $mayRetry', async ({ error, mayRetry }) => {
    const answer = { kind: 'answers', status: 200, body: JSON.stringify({ ok: false, error }) } as const;
    expect(await outcomeOf('slack', answer)).toEqual({ ok: false, reason: `Slack refused it: ${error} (${host()})`, mayRetry });
  });

  it('a text that is not a code of Slack is not shown', async () => {
    const answer = { kind: 'answers', status: 200, body: JSON.stringify({ ok: false, error: `no ${planted.token}` }) } as const;
    expect(await outcomeOf('slack', answer)).toMatchObject({ ok: false, reason: expect.stringContaining('without a reason') });
  });

  it.each(['{"ok":true}', 'ok', '[]', 'null', ''])('takes the answer %j for a success', async (body) => {
    expect(await outcomeOf('slack', { kind: 'answers', status: 200, body })).toEqual({ ok: true });
  });
});

describe('addresses', () => {
  it.each([
    { given: '/api/webhooks/1/t', asked: '/api/webhooks/1/t/slack' },
    { given: '/api/webhooks/1/t/', asked: '/api/webhooks/1/t/slack' },
    { given: '/api/webhooks/1/t/slack', asked: '/api/webhooks/1/t/slack' },
    { given: '/api/webhooks/1/t?thread_id=5', asked: '/api/webhooks/1/t/slack?thread_id=5' },
    { given: '/api/webhooks/1/t/slack?thread_id=5', asked: '/api/webhooks/1/t/slack?thread_id=5' },
  ])('discord posts to the /slack path of $given', async ({ given, asked }) => {
    await outcomeOf('discord', { kind: 'answers', status: 204 }, { address: `${chat.origin}${given}` });
    expect(chat.posts[0]?.path).toBe(`POST ${asked}`);
  });

  it.each([
    { given: '', asked: '/api/v2/alerts' },
    { given: '/am/', asked: '/am/api/v2/alerts' },
    { given: '/api/v2/alerts', asked: '/api/v2/alerts' },
  ])('alertmanager posts to /api/v2/alerts of "$given"', async ({ given, asked }) => {
    await outcomeOf('alertmanager', { kind: 'answers', status: 200 }, { address: `${chat.origin}${given}` });
    expect(chat.posts[0]?.path).toBe(`POST ${asked}`);
  });
});

describe('msteams', () => {
  it('an Adaptive Card is sent if the provider requires the format', async () => {
    await outcomeOf('msteams', { kind: 'answers', status: 202 }, { format: 'adaptiveCard' });
    expect(JSON.parse(chat.posts[0]?.body ?? '')).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', text: message.text, weight: 'Bolder', color: 'Attention', wrap: true },
              { type: 'TextBlock', text: 'podinfo.test', isSubtle: true, spacing: 'None', wrap: true },
              {
                type: 'FactSet',
                facts: [
                  { title: 'Target', value: 'Deployment/podinfo.test' },
                  { title: 'Traffic routing', value: 'Weight <10>' },
                ],
              },
            ],
          },
        },
      ],
    });
  });
});

it('A proxy is used by every Node that knows them', () => {
  const versions = ['22.18.0', '22.21.0', '23.11.0', '24.4.9', '24.5.0', '25.0.0'];
  expect(versions.map(knowsProxies)).toEqual([false, true, false, false, true, true]);
});

describe('forges', () => {
  it.each([
    ['github', 'https://github.com/org/repo', `https://api.github.com/repos/org/repo/statuses/${COMMIT}`],
    ['github', 'https://github.com/org/repo.git/', `https://api.github.com/repos/org/repo/statuses/${COMMIT}`],
    ['github', 'https://acme.ghe.com/org/repo', `https://api.acme.ghe.com/repos/org/repo/statuses/${COMMIT}`],
    ['github', 'https://github.com.evil.example/org/repo', `https://github.com.evil.example/api/v3/repos/org/repo/statuses/${COMMIT}`],
    ['github', 'https://me:pass@git.example/org/repo?x=1#y', `https://git.example/api/v3/repos/org/repo/statuses/${COMMIT}`],
    ['gitlab', 'https://gitlab.example/a/b/c.git', `https://gitlab.example/api/v4/projects/a%2Fb%2Fc/statuses/${COMMIT}`],
    ['gitlab', 'http://gitlab.example:8080/a/b', `http://gitlab.example:8080/api/v4/projects/a%2Fb/statuses/${COMMIT}`],
  ] as const)('%s with the address %s is called at %s', (type, address, called) => {
    expect(formats[type].url?.(new URL(address), message).href).toBe(called);
  });

  it.each([
    ['that names no commit', undefined],
    ['whose commit is a path', '../../issues'],
    ['whose commit is the digest of an artifact', `latest@sha256:${'a'.repeat(64)}`],
  ])('a message %s is refused for good, without a request', async (_, commit) => {
    for (const type of ['github', 'gitlab'] as const) {
      chat.behaves({ kind: 'answers', status: 200 });
      const reason = expect.stringContaining('into the annotation serin.dev/commit');
      expect(await made(type).send({ ...message, commit }, signal)).toEqual({ ok: false, reason, mayRetry: false, isFinal: true });
      expect(chat.posts).toEqual([]);
    }
  });

  it('GitHub says 403 for a limit of requests as well, which ends by itself', async () => {
    const reason = `HTTP 403 from ${host()}: its limit of requests is reached`;
    const answers = (headers: Record<string, string>): Behaviour => ({ kind: 'answers', status: 403, headers });
    expect(await outcomeOf('github', answers({ 'x-ratelimit-remaining': '0' }))).toEqual({ ok: false, reason, mayRetry: true });
    expect(await outcomeOf('github', answers({ 'retry-after': '60' }))).toEqual({
      ok: false,
      reason,
      mayRetry: true,
      retryAfterMs: 60_000,
    });
  });

  const said = (text: string): Behaviour => ({ kind: 'answers', status: 400, body: JSON.stringify({ message: text }) });
  it('GitLab has a state already that another attempt has set, and refuses any other', async () => {
    const running = 'Cannot transition status via :run from :running (Reason(s): Status cannot transition via "run")';
    chat.behaves(said(running));
    expect(await made('gitlab').send({ ...message, reason: 'NewRevision' }, signal)).toEqual({ ok: true });
    chat.behaves(said(running));
    expect(await made('gitlab').send(message, signal)).toMatchObject({ ok: false });
    chat.behaves(said('Cannot transition status via :run from :success'));
    expect(await made('gitlab').send({ ...message, reason: 'NewRevision' }, signal)).toMatchObject({ ok: false });
  });
});
