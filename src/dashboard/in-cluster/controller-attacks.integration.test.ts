import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askHttp, type HttpQuestion, openStream } from '../../../test/fakes/ask-http.ts';
import { ControllerDashboard, type Headers, logInAt, postingTo, sessionIn } from '../../../test/fakes/controller-dashboard.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { requestAnnotation } from '../../api/names.ts';
import { SESSION_COOKIE } from '../access/cluster-access.ts';
import type { User } from '../access/user.ts';
import { newSecret } from '../sessions.ts';

const HOST = 'serin.example.org';
const ORIGIN = `https://${HOST}`;
const dashboard = new ControllerDashboard();
const { clock, cluster, logged } = dashboard;
const aUser = (name: string, more: Partial<User> = {}): User => ({
  name,
  uid: `uid-${name}`,
  groups: ['team'],
  extra: { scopes: ['all'] },
  ...more,
});
const tokenOf = (user: User, audience?: string) => dashboard.tokenOf(user, audience);
const anns = tokenOf(aUser('ann'));
const bens = tokenOf(aUser('ben'));

for (const namespace of ['a', 'b']) {
  const { canary } = initialized(aCanary({ stepWeight: 25 }));
  const copy = JSON.parse(JSON.stringify(canary));
  cluster.put({
    ...copy,
    metadata: { ...copy.metadata, namespace, name: `shop-${namespace}`, uid: `uid-${namespace}`, resourceVersion: '5' },
  });
}

let port = 0;
let stop: () => Promise<void>;
const ask = (path: string, { headers, ...question }: HttpQuestion = {}) =>
  askHttp(port, path, { ...question, headers: { host: HOST, ...headers } });
const posting = (session: Headers, more: Headers = {}): Headers => ({ ...postingTo(ORIGIN), ...session, ...more });
const login = (token: unknown, headers: Headers = {}) => logInAt(port, ORIGIN, token, { headers });
const sessionOf = async (token: string): Promise<Headers> => {
  const answer = await login(token);
  expect(answer.status).toBe(204);
  return sessionIn(answer);
};
const asVerb = (canary: string, session: Headers, more?: Headers) =>
  ask(`/api/canaries/${canary}/verbs`, { method: 'POST', headers: posting(session, more), body: JSON.stringify({ verb: 'promote' }) });
const serve = (options: Partial<Parameters<ControllerDashboard['serve']>[0]> = {}) =>
  dashboard.serve({ origin: ORIGIN, limits: { mostOfUser: 3 }, ...options });

beforeAll(async () => {
  ({ port, stop } = await serve());
});
afterAll(async () => {
  await dashboard.stop();
});
beforeEach(() => {
  // Failed logins are forgotten, and so are answers of reviews.
  clock.advance(130_000);
  cluster.rights.clear();
  cluster.give('ann', 'a', 'get', 'list', 'watch', 'patch');
  cluster.give('ben', undefined, 'get', 'list', 'watch');
  cluster.patched.splice(0);
  cluster.read.splice(0);
  logged.splice(0);
});

describe('the login of the dashboard in the controller', () => {
  it('opens a session by a cookie that is Secure, HttpOnly and Strict, and has nothing of the token', async () => {
    const { status, headers } = await login(anns);
    expect(status).toBe(204);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-serin-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(cookie).not.toContain(anns);
    expect(logged).toEqual([expect.stringContaining('"user":"ann","message":"login to the dashboard"')]);
  });

  it.each([
    { attack: 'no token', token: () => undefined, status: 400 },
    { attack: 'an empty token', token: () => '', status: 400 },
    { attack: 'a token that is not a text', token: () => ({ anns }), status: 400 },
    { attack: 'a token with a line break', token: () => `${anns}\r\nx: y`, status: 400 },
    { attack: 'an unknown token', token: () => newSecret(), status: 401 },
    { attack: 'a token of another audience', token: () => tokenOf(aUser('ann'), 'vault'), status: 401 },
    { attack: 'a token of 20,000 characters', token: () => 'x'.repeat(20_000), status: 413 },
    { attack: 'a user with a line break in the name', token: () => tokenOf(aUser('ann\r\nset-cookie: a=b')), status: 401 },
    { attack: 'a user with an escape in the name', token: () => tokenOf(aUser('ann\u001b[2J')), status: 401 },
    { attack: 'a user with a name of 301 characters', token: () => tokenOf(aUser('x'.repeat(301))), status: 401 },
    { attack: 'a user with 1 MiB of groups', token: () => tokenOf(aUser('ann', { groups: ['x'.repeat(1_048_576)] })), status: 401 },
  ])('$attack opens nothing: $status', async ({ token, status }) => {
    const used = token();
    const answer = await login(used);
    expect(answer.status).toBe(status);
    expect(answer.headers['set-cookie']).toBeUndefined();
    if (typeof used === 'string' && used !== '') {
      expect(answer.text).not.toContain(used);
      expect(logged.join('\n')).not.toContain(used);
    }
  });

  it('with an audience of its own a token of the API server opens nothing, and one of the audience does', async () => {
    const { port: other } = await serve({ audience: 'serin' });
    expect((await logInAt(other, ORIGIN, anns)).status).toBe(401);
    expect((await logInAt(other, ORIGIN, tokenOf(aUser('ann'), 'serin'))).status).toBe(204);
  });

  it.each([
    { attack: 'of another origin', more: { origin: 'https://evil.example' }, status: 403 },
    { attack: 'of the origin without TLS', more: { origin: `http://${HOST}` }, status: 403 },
    { attack: 'of a rebound name', more: { host: 'evil.example', origin: 'https://evil.example' }, status: 421 },
    { attack: 'of a name that begins right', more: { host: `${HOST}.evil.example` }, status: 421 },
    { attack: 'of a name like localhost', more: { host: 'localhost.evil.example' }, status: 421 },
    { attack: 'as a form', more: { 'content-type': 'application/x-www-form-urlencoded' }, status: 415 },
    { attack: 'without the own header', more: { 'x-serin-dashboard': '' }, status: 403 },
  ])('a login $attack: $status', async ({ more, status }) => {
    const answer = await login(anns, more);
    expect(answer.status).toBe(status);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('a login by GET or in the URL opens nothing', async () => {
    const answer = await ask(`/login?token=${anns}`);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.text).not.toContain(anns);
  });

  it('fixation: a secret that the browser brought is never the session', async () => {
    const planted = `${SESSION_COOKIE}=${newSecret()}`;
    const session = sessionIn(await login(anns, { cookie: planted }));
    expect(session.cookie).not.toBe(planted);
    expect((await ask('/api/session', { headers: { ...session, cookie: planted } })).status).toBe(401);
    // A new login ends the session that the browser had.
    await login(anns, session);
    expect((await ask('/api/session', { headers: session })).status).toBe(401);
  });

  it('an API server that does not answer opens nothing, and nothing of it is shown', async () => {
    cluster.isDown = true;
    const answer = await login(anns);
    cluster.isDown = false;
    expect([answer.status, answer.text]).toEqual([502, 'the API server does not answer: try again\n']);
    expect(logged.join()).not.toContain('ECONNREFUSED');
  });

  it.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/canaries/a/b"><script>',
    'javascript:alert(1)',
    '/login',
    '/%2f%2fevil',
  ])('open redirect: next=%s leads to the list', async (next) => {
    const { text } = await ask(`/login/state?next=${encodeURIComponent(next)}`);
    expect(JSON.parse(text)).toEqual({ oidc: false, next: '/' });
  });

  it('a page of the dashboard is where the login leads', async () => {
    const { status, headers } = await ask('/canaries/a/shop-a', { headers: { 'sec-fetch-dest': 'document' } });
    expect([status, headers.location]).toEqual([303, '/login?next=%2Fcanaries%2Fa%2Fshop-a']);
    const { text } = await ask(headers.location?.replace('/login', '/login/state') ?? '');
    expect(JSON.parse(text).next).toBe('/canaries/a/shop-a');
  });
});

describe('sessions of the dashboard in the controller', () => {
  it.each([
    '/api/stream',
    '/api/session',
    '/api/canaries/a/shop-a/stream',
    '/api/canaries/a/shop-a/history',
    '/api/canaries/a/shop-a/difference',
    '/api/canaries/a/shop-a/releases/1',
    '/assets/page.js',
  ])('without a session %s is refused, and nothing is read', async (path) => {
    for (const headers of [
      {},
      { cookie: `${SESSION_COOKIE}=` },
      { cookie: `${SESSION_COOKIE}=${newSecret()}` },
      { cookie: `${SESSION_COOKIE}=${anns}` },
    ])
      expect((await ask(path, { headers })).status).toBe(401);
    expect((await ask(path, { headers: { authorization: `Bearer ${anns}` } })).status).toBe(401);
    expect(cluster.read).toEqual([]);
  });

  it('ends with the logout, after 30 minutes without a request, and after 8 hours at most', async () => {
    const isOpen = async (session: Headers) => (await ask('/api/session', { headers: session })).status === 200;
    const left = await sessionOf(anns);
    expect((await ask('/logout', { method: 'POST', headers: posting(left), body: '{}' })).status).toBe(204);
    expect(await isOpen(left)).toBe(false);
    const idle = await sessionOf(anns);
    clock.advance(29 * 60_000);
    expect(await isOpen(idle)).toBe(true);
    clock.advance(31 * 60_000);
    expect(await isOpen(idle)).toBe(false);
    const busy = await sessionOf(anns);
    for (let minutes = 0; minutes < 8 * 60 - 20; minutes += 20) {
      clock.advance(20 * 60_000);
      expect(await isOpen(busy)).toBe(true);
    }
    clock.advance(20 * 60_000);
    expect(await isOpen(busy)).toBe(false);
  });

  it('a logout of another site ends nothing', async () => {
    const session = await sessionOf(anns);
    const headers = posting(session, { origin: 'https://evil.example' });
    expect((await ask('/logout', { method: 'POST', headers, body: '{}' })).status).toBe(403);
    expect((await ask('/api/session', { headers: session })).status).toBe(200);
  });

  it('does not outlive its token', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'RS256' })}.${part({ exp: clock.nowMs() / 1_000 + 300 })}.x`;
    cluster.users.set(token, { user: aUser('ann'), audience: 'api' });
    const session = await sessionOf(token);
    clock.advance(299_000);
    expect((await ask('/api/session', { headers: session })).status).toBe(200);
    clock.advance(2_000);
    expect((await ask('/api/session', { headers: session })).status).toBe(401);
  });

  it('a user has at most 3 sessions: the least recently used one ends', async () => {
    const sessions = [];
    for (let opened = 0; opened < 4; opened += 1) {
      sessions.push(await sessionOf(bens));
      clock.advance(1_000);
    }
    const statuses = await Promise.all(sessions.map(async (headers) => (await ask('/api/session', { headers })).status));
    expect(statuses).toEqual([401, 200, 200, 200]);
  });

  it('a flood of requests is refused by rate, and only for its session', async () => {
    const [flooding, other] = [await sessionOf(anns), await sessionOf(bens)];
    const answers = [];
    for (let sent = 0; sent < 70; sent += 1) answers.push(await ask('/api/session', { headers: flooding }));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect((await ask('/api/session', { headers: other })).status).toBe(200);
  });

  it('a flood of streams of one session leaves room for others', async () => {
    const [flooding, other] = [await sessionOf(bens), await sessionOf(anns)];
    const streams = Array.from({ length: 12 }, () => openStream(port, '/api/stream', { host: HOST, ...flooding }));
    await expect.poll(() => streams.every(({ text }) => text.includes('event: list'))).toBe(true);
    expect((await ask('/api/stream', { headers: flooding })).status).toBe(429);
    expect((await ask('/api/stream', { headers: other })).status).toBe(200);
    for (const one of streams) one.close();
  });
});

describe('rights on the dashboard in the controller', () => {
  it('a list has only Canaries of namespaces in which the user may list and watch them', async () => {
    const namesFor = async (token: string) => {
      const { text } = await ask('/api/stream', { headers: await sessionOf(token) });
      const [, data = ''] = /data: (.*)/.exec(text) ?? [];
      return JSON.parse(data).rows.map(({ name }: { name: string }) => name);
    };
    expect(await namesFor(anns)).toEqual(['shop-a']);
    expect(await namesFor(bens)).toEqual(['shop-a', 'shop-b']);
    cluster.rights.delete('ann watch canaries a');
    expect(await namesFor(anns)).toEqual([]);
  });

  it.each(['stream', 'history', 'difference', 'releases/1'])(
    '%s of another namespace is refused, and nothing of it is read',
    async (view) => {
      const answer = await ask(`/api/canaries/b/shop-b/${view}`, { headers: await sessionOf(anns) });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('User "ann" cannot get resource "canaries"');
      expect(cluster.read).toEqual([]);
    },
  );

  it('a Canary that does not exist gets the same refusal as an existing one', async () => {
    const headers = await sessionOf(anns);
    const statuses = await Promise.all(
      ['shop-b', 'gone'].map(async (name) => (await ask(`/api/canaries/b/${name}/history`, { headers })).status),
    );
    expect(statuses).toEqual([403, 403]);
  });

  it('a stream takes the right to watch', async () => {
    cluster.rights.delete('ann watch canaries a');
    const headers = await sessionOf(anns);
    expect((await ask('/api/canaries/a/shop-a/stream', { headers })).status).toBe(403);
  });

  it.each([
    { attack: 'in another namespace', canary: 'b/shop-b', token: anns },
    { attack: 'without the right to patch', canary: 'a/shop-a', token: bens },
  ])('a verb $attack is refused, and nothing is written', async ({ canary, token }) => {
    const answer = await asVerb(canary, await sessionOf(token));
    expect(answer.status).toBe(canary === 'b/shop-b' ? 403 : 200);
    if (answer.status === 200)
      expect(JSON.parse(answer.text)).toMatchObject({ outcome: 'refused', message: expect.stringContaining('cannot patch') });
    expect(cluster.patched).toEqual([]);
  });

  it('a verb is requested in the name of the user, and logged with it', async () => {
    const session = await sessionOf(anns);
    const asked = asVerb('a/shop-a', session);
    await expect.poll(() => cluster.patched.length).toBe(1);
    clock.advance(61_000);
    await asked;
    expect(raw(cluster.patched[0]).patch.metadata.annotations[requestAnnotation]).toMatch(/^promote [\w-]{36} \S+ ann$/);
    expect(logged).toContainEqual(expect.stringContaining('"user":"ann","verb":"promote","canary":"a/shop-a"'));
  });

  it('without --dashboard-verbs no verb is requested', async () => {
    const { port: readOnly } = await serve({ mayAct: false });
    const session = sessionIn(await logInAt(readOnly, ORIGIN, anns));
    const question = { method: 'POST', headers: posting(session), body: '{"verb":"promote"}' };
    expect((await askHttp(readOnly, '/api/canaries/a/shop-a/verbs', question)).status).toBe(403);
    expect(cluster.patched).toEqual([]);
  });

  it.each([
    { attack: 'of another origin', more: { origin: 'https://evil.example' }, status: 403 },
    { attack: 'of a rebound name', more: { host: 'evil.example', origin: 'https://evil.example' }, status: 421 },
    { attack: 'without the own header', more: { 'x-serin-dashboard': '' }, status: 403 },
  ])('a verb $attack: $status', async ({ more, status }) => {
    expect((await asVerb('a/shop-a', await sessionOf(anns), more)).status).toBe(status);
    expect(cluster.patched).toEqual([]);
  });

  it('every review has name, uid, groups and extra of the user', async () => {
    cluster.created.splice(0);
    await ask('/api/canaries/a/shop-a/history', { headers: await sessionOf(anns) });
    const spec = raw(cluster.created.find(({ kind }) => kind === 'SubjectAccessReview')).spec;
    expect(spec).toEqual({
      ...{ user: 'ann', uid: 'uid-ann', groups: ['team'], extra: { scopes: ['all'] } },
      resourceAttributes: { verb: 'get', group: 'flagger.app', resource: 'canaries', namespace: 'a', name: 'shop-a' },
    });
  });

  it('an API server that answers no review shows nothing', async () => {
    const headers = await sessionOf(anns);
    cluster.isDown = true;
    const [view, list] = [await ask('/api/canaries/a/shop-a/history', { headers }), await ask('/api/stream', { headers })];
    cluster.isDown = false;
    expect(view.status).toBe(502);
    expect(list.text).toContain('"rows":[]');
    expect(cluster.read.filter((one) => one.startsWith('get'))).toEqual([]);
  });

  it('objects that the user may not read are hidden: workloads and pods', async () => {
    const { text } = await ask('/api/canaries/a/shop-a/stream', { headers: await sessionOf(anns) });
    const [, data = '{}'] = /data: (.*)/.exec(text) ?? [];
    expect(JSON.parse(data).hidden).toEqual(expect.arrayContaining([expect.stringContaining('Deployment cannot be read')]));
    expect(cluster.read.filter((one) => one.includes('Deployment'))).toEqual([]);
  });

  it('a stream ends within a minute when its right ends', async () => {
    const stream = openStream(port, '/api/canaries/a/shop-a/stream', { host: HOST, ...(await sessionOf(anns)) });
    await expect.poll(() => stream.text).toContain('event: release');
    clock.advance(20_000);
    expect(stream.isOver).toBe(false);
    cluster.rights.clear();
    clock.advance(40_000);
    await expect.poll(() => stream.isOver).toBe(true);
  });

  it('Canaries leave an open list when the right to them ends', async () => {
    const stream = openStream(port, '/api/stream', { host: HOST, ...(await sessionOf(anns)) });
    await expect.poll(() => stream.text).toContain('shop-a');
    cluster.rights.clear();
    const before = stream.text.length;
    clock.advance(40_000);
    await expect.poll(() => stream.text.slice(before)).toContain('"rows":[]');
    stream.close();
  });

  it.each(['/api/stream', '/api/canaries/a/shop-a/stream'])('%s ends with its session', async (path) => {
    const session = await sessionOf(anns);
    const stream = openStream(port, path, { host: HOST, ...session });
    await expect.poll(() => stream.text).toContain('event:');
    await ask('/logout', { method: 'POST', headers: posting(session), body: '{}' });
    await expect.poll(() => stream.isOver).toBe(true);
  });

  it('a stream ends when the session is over, without any other request', async () => {
    const stream = openStream(port, '/api/stream', { host: HOST, ...(await sessionOf(anns)) });
    await expect.poll(() => stream.text).toContain('event:');
    clock.advance(8 * 3_600_000 + 10_000);
    await expect.poll(() => stream.isOver).toBe(true);
  });

  it('no watch stays when no one looks any more', async () => {
    await expect
      .poll(() => {
        clock.advance(31_000);
        return cluster.watches;
      })
      .toBe(0);
  });
});

it.each(['/login', '/login/state', '/login/page.js', '/', '/api/session'])('%s has the headers of the page', async (path) => {
  const { headers } = await ask(path);
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
});

it('stops while streams are open', async () => {
  const stream = openStream(port, '/api/stream', { host: HOST, ...(await sessionOf(anns)) });
  await expect.poll(() => stream.text).toContain('event:');
  await stop();
  await expect.poll(() => stream.isOver).toBe(true);
});
