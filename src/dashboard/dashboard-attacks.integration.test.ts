import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askHttp, type HttpQuestion } from '../../test/fakes/ask-http.ts';
import { handClock } from '../../test/fakes/clock.ts';
import { HeldSockets } from '../../test/fakes/held-sockets.ts';
import { sessionBy } from '../../test/fakes/one-time-session.ts';
import { aCluster } from '../../test/fakes/watched-canaries.ts';
import { CanaryModel } from './canary-model.ts';
import { startDashboard } from './dashboard-server.ts';
import { PROOF_HEADER } from './own-headers.ts';
import { newSecret } from './sessions.ts';
import type { Views } from './views.ts';
import { ViewError } from './views.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'</script><script>alert(2)</script>';
const token = newSecret();
const acted: string[] = [];
const views: Views = {
  follow: (canary, _show, fail) => {
    fail(new ViewError(404, `${canary.name} ${HOSTILE}`));
    return () => undefined;
  },
  history: () => Promise.reject(new ViewError(502, HOSTILE)),
  journal: () => Promise.reject(new Error(`secret ${token}`)),
  difference: () => Promise.resolve({ changes: [{ field: HOSTILE, target: 'x'.repeat(100_000) }], hidden: [] }),
  act: ({ name }, verb) => {
    acted.push(`${verb} ${name}`);
    return Promise.resolve({ outcome: 'done' });
  },
};

let port = 0;
let stop: () => Promise<void>;
/** Both halves of the session. */
let session: Record<string, string> = {};

/** One request as an attacker words it. */
const ask = (path: string, question?: HttpQuestion) => askHttp(port, path, question);

const own = (): Record<string, string> => session;
const posting = (more: Record<string, string> = {}): Record<string, string> => ({
  ...own(),
  origin: `http://127.0.0.1:${port}`,
  'x-serin-dashboard': '1',
  'content-type': 'application/json',
  ...more,
});
const VERBS = '/api/canaries/test/podinfo/verbs';
const PROMOTE = JSON.stringify({ verb: 'promote' });
const without = (name: string): Record<string, string> => Object.fromEntries(Object.entries(posting()).filter(([key]) => key !== name));

const watched = aCluster();
const model = new CanaryModel(watched.cluster, undefined, ({ metadata: { name, namespace = '' } }) => ({
  ...{ name, namespace, phase: HOSTILE, suspended: false, failedChecks: 0, message: HOSTILE.repeat(1_000) },
  ...{ target: { kind: 'Deployment', name: HOSTILE }, traffic: { kind: 'weighted', primary: 100, canary: 0 } },
}));

beforeAll(async () => {
  ({ port, stop } = await startDashboard({ port: 0, token, model, views, limits: { streams: 3, wrongTokensAMinute: 5 } }));
  watched.list('test/podinfo');
});
afterAll(async () => {
  model.stop();
  await stop();
});
beforeEach(() => acted.splice(0));

describe('attacks on the dashboard', () => {
  it('a wrong token opens nothing, is refused by rate after a few, and keeps the right one from no one', async () => {
    const statuses = [];
    for (let tried = 0; tried < 7; tried += 1) statuses.push((await ask(`/login?token=${newSecret()}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await ask(`/login?token=${token}`, { method: 'HEAD' })).status).not.toBe(303);
    const opened = await ask(`/login?token=${token}`);
    expect(opened.status).toBe(303);
    const [, proof = ''] = /^\/#proof=([\w-]{43})$/.exec(opened.headers.location ?? '') ?? [];
    expect(proof).not.toBe('');
    const [cookie = ''] = opened.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^serin-dashboard-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    session = { cookie: cookie.split(';')[0] ?? '', [PROOF_HEADER]: proof };
  });

  it.each([
    { attack: 'the token a second time', path: () => `/login?token=${token}`, status: 429 },
    { attack: 'no token at all', path: () => '/login', status: 429 },
    { attack: 'the token as a path', path: () => `/${token}`, status: 401 },
    {
      attack: 'the token as the session',
      path: () => '/api/stream',
      headers: () => ({ cookie: `serin-dashboard-${port}=${token}` }),
      status: 401,
    },
    { attack: 'no session for the page', path: () => '/', status: 401 },
    { attack: 'no session for the script', path: () => '/assets/page.js', status: 401 },
    { attack: 'no session for the list', path: () => '/api/stream', status: 401 },
    { attack: 'no session for a release', path: () => '/api/canaries/test/podinfo/stream', status: 401 },
    { attack: "another's session", path: () => '/', headers: () => ({ cookie: `serin-dashboard-${port}=${newSecret()}` }), status: 401 },
    { attack: 'an empty session', path: () => '/', headers: () => ({ cookie: `serin-dashboard-${port}=` }), status: 401 },
    { attack: 'the session under another name', path: () => '/', headers: () => ({ ...own(), cookie: `x${session.cookie}` }), status: 401 },
    { attack: 'a rebound name', path: () => '/', headers: () => ({ ...own(), host: 'evil.example' }), status: 421 },
    { attack: 'a rebound name with the port', path: () => '/', headers: () => ({ ...own(), host: `evil.example:${port}` }), status: 421 },
    { attack: 'the right name with another port', path: () => '/', headers: () => ({ ...own(), host: '127.0.0.1:1' }), status: 421 },
    {
      attack: 'a name that begins right',
      path: () => '/',
      headers: () => ({ ...own(), host: `127.0.0.1:${port}.evil.example` }),
      status: 421,
    },
    {
      attack: 'reading from another origin',
      path: () => '/api/stream',
      headers: () => ({ ...own(), origin: 'http://evil.example' }),
      status: 403,
    },
    {
      attack: 'a script of another site',
      path: () => '/assets/page.js',
      headers: () => ({ ...own(), 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }),
      status: 403,
    },
    {
      attack: 'a frame of another site',
      path: () => '/',
      headers: () => ({ ...own(), 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }),
      status: 403,
    },
    {
      attack: 'another port of this machine',
      path: () => '/api/stream',
      headers: () => ({ ...own(), 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }),
      status: 403,
    },
    { attack: 'a file by dots', path: () => '/assets/../../../etc/passwd', headers: own, status: 404 },
    { attack: 'a file by encoded dots', path: () => '/assets/..%2f..%2fpackage.json', headers: own, status: 404 },
    { attack: 'a property of every object', path: () => '/assets/__proto__', headers: own, status: 404 },
    { attack: 'another namespace by dots', path: () => '/api/canaries/../secrets/history', headers: own, status: 404 },
    { attack: 'a name with a slash in it', path: () => '/api/canaries/test/a%2Fb/history', headers: own, status: 404 },
    { attack: 'a name with a line break', path: () => '/api/canaries/test/a%0d%0ab/history', headers: own, status: 404 },
    { attack: 'a name of 300 characters', path: () => `/api/canaries/test/${'a'.repeat(300)}/history`, headers: own, status: 404 },
    {
      attack: 'a release number without end',
      path: () => `/api/canaries/test/podinfo/releases/${'9'.repeat(40)}`,
      headers: own,
      status: 404,
    },
    { attack: 'a verb by GET', path: () => VERBS, headers: own, status: 405 },
  ])('$attack: $status', async ({ path, headers, status }) => {
    const answer = await ask(path(), { headers: headers?.() ?? {} });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('podinfo');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    { attack: 'without a session', headers: () => without('cookie'), status: 401 },
    { attack: 'without the proof', headers: () => without(PROOF_HEADER), status: 401 },
    { attack: 'with another proof', headers: () => posting({ [PROOF_HEADER]: newSecret() }), status: 401 },
    { attack: 'without Origin', headers: () => without('origin'), status: 403 },
    { attack: 'of another origin', headers: () => posting({ origin: 'http://evil.example' }), status: 403 },
    { attack: 'of the origin null', headers: () => posting({ origin: 'null' }), status: 403 },
    { attack: 'of another port', headers: () => posting({ origin: 'http://127.0.0.1:1' }), status: 403 },
    { attack: 'of the other name of this machine', headers: () => posting({ origin: `http://localhost:${port}` }), status: 403 },
    { attack: 'of a rebound name', headers: () => posting({ host: 'evil.example', origin: 'http://evil.example' }), status: 421 },
    { attack: 'without the own header, as a form sends it', headers: () => without('x-serin-dashboard'), status: 403 },
    { attack: 'as a form', headers: () => posting({ 'content-type': 'text/plain' }), status: 415 },
    { attack: 'with a body of 1 MiB', headers: () => posting(), body: 'x'.repeat(1_048_576), status: 413 },
    { attack: 'with no JSON', headers: () => posting(), body: '{', status: 400 },
    { attack: 'with null', headers: () => posting(), body: 'null', status: 400 },
    { attack: 'with an unknown verb', headers: () => posting(), body: '{"verb":"delete"}', status: 400 },
    { attack: 'with a property of every object as verb', headers: () => posting(), body: '{"verb":"__proto__"}', status: 400 },
    { attack: 'by PUT', method: 'PUT', headers: () => posting(), status: 405 },
    { attack: 'by DELETE', method: 'DELETE', headers: () => posting(), status: 405 },
  ])('a verb $attack: $status, and no verb runs', async ({ method = 'POST', headers, body = PROMOTE, status }) => {
    const answer = await ask(VERBS, { method, headers: headers(), body }).catch((error: NodeJS.ErrnoException) => {
      // The server may hang up on a body that it does not want.
      if (status === 413 && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return { status };
      throw error;
    });
    expect(answer.status).toBe(status);
    expect(acted).toEqual([]);
  });

  it('without the proof the cookie, which browsers send to every port of this machine, reads and does nothing; nor does only the proof', async () => {
    const { cookie = '', ...proof } = session;
    for (const headers of [{ cookie }, { cookie, [PROOF_HEADER]: newSecret() }, proof]) {
      for (const path of ['/api/session', '/api/stream', '/api/canaries/test/podinfo/stream', '/api/canaries/test/podinfo/history']) {
        const { status, text } = await ask(path, { headers });
        expect([path, status]).toEqual([path, 401]);
        expect(text).not.toContain('podinfo');
      }
    }
    expect((await ask('/', { headers: { cookie } })).text).not.toContain('podinfo');
  });

  it('the page itself can run a verb', async () => {
    expect((await ask(VERBS, { method: 'POST', headers: posting(), body: PROMOTE })).status).toBe(200);
    expect(acted).toEqual(['promote podinfo']);
  });

  it.each(['/', '/api/canaries/test/podinfo/history', '/assets/page.js', '/nothing', '/login?token=x'])(
    'clickjacking, sniffing and foreign scripts: %s has the headers against them',
    async (path) => {
      const { headers } = await ask(path, { headers: own() });
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it('XSS in texts of tenants: they leave the server only as JSON or plain text, and cut to a length', async () => {
    const list = await ask('/api/stream', { headers: own() });
    expect(list.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(list.text).toContain('podinfo');
    expect(list.text.length).toBeLessThan(5_000);
    const failure = await ask('/api/canaries/test/podinfo/history', { headers: own() });
    expect([failure.status, failure.headers['content-type']]).toEqual([502, 'text/plain; charset=utf-8']);
    const difference = await ask('/api/canaries/test/podinfo/difference', { headers: own() });
    expect(difference.headers['content-type']).toBe('application/json');
    expect(difference.text.length).toBeLessThan(3_000);
    const page = await ask('/canaries/test/podinfo', { headers: own() });
    expect(page.text).not.toMatch(/<script>|onerror|podinfo/);
  });

  it('an event of a stream cannot be forged by a line break in a text', async () => {
    const { text } = await ask('/api/canaries/test/podinfo/stream', { headers: own() });
    expect(text.split('\n').filter((line) => line.startsWith('event:'))).toEqual(['event: problem']);
  });

  it('a fault of the server says nothing of itself', async () => {
    const { status, text } = await ask('/api/canaries/test/podinfo/releases/1', { headers: own() });
    expect([status, text]).toEqual([500, 'internal error\n']);
  });

  it('a flood of streams: streams beyond the limit are refused, and a closed stream makes room', async () => {
    const open = await Promise.all([1, 2, 3].map(() => openStream()));
    expect((await ask('/api/stream', { headers: own() })).status).toBe(429);
    open[0]?.destroy();
    await expect.poll(async () => (await ask('/api/stream', { headers: own() })).status).toBe(200);
    for (const socket of open) socket.destroy();
  });

  it.each([
    { what: 'connections that say nothing', said: () => '', displaced: 300 - 128 },
    {
      what: 'verbs whose body does not end',
      // They have their answer before.
      displaced: 0,
      said: () => {
        const headers = { host: `127.0.0.1:${port}`, ...without('cookie'), 'content-length': '100' };
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        return `POST ${VERBS} HTTP/1.1\r\n${lines.join('')}\r\n{`;
      },
    },
  ])('I15: another user of this machine who holds 300 $what keeps the page from no one', async ({ said, displaced }) => {
    const page = await openStream();
    const sockets = new HeldSockets(port);
    await sockets.open(300, '127.0.0.1', said());
    expect((await ask('/api/session', { headers: own() })).status).toBe(200);
    await expect.poll(() => sockets.held).toBeLessThanOrEqual(128);
    await expect.poll(() => sockets.displaced).toBeGreaterThanOrEqual(displaced);
    expect(page.closed).toBe(false);
    sockets.close();
    page.destroy();
  });

  it('I15: a session that does not read its answers has two of them under way, and loses those in time', async () => {
    const clock = handClock();
    const changes = Array.from({ length: 50_000 }, () => ({ field: 'x'.repeat(200), target: '' }));
    const large: Views = { ...views, difference: () => Promise.resolve({ changes, hidden: [] }) };
    const own = newSecret();
    const limits = { requestsOfSession: 2 };
    const other = await startDashboard({ port: 0, token: own, model, views: large, clock, limits });
    const { cookie, ...proof } = await sessionBy(`http://127.0.0.1:${other.port}/login?token=${own}`);
    const headers = { host: `127.0.0.1:${other.port}`, cookie, ...proof };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const slow = [1, 2].map(() => connect(other.port, '127.0.0.1'));
    for (const socket of slow) {
      socket.on('error', () => undefined).once('data', () => socket.pause());
      socket.write(`GET /api/canaries/test/podinfo/difference HTTP/1.1\r\n${lines.join('')}\r\n`);
      await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
    }
    expect((await askHttp(other.port, '/api/session', { headers })).status).toBe(503);
    clock.advance(10_000);
    for (const socket of slow) socket.resume();
    await expect.poll(() => slow.every(({ closed }) => closed)).toBe(true);
    for (const { bytesRead } of slow) expect(bytesRead).toBeLessThan(changes.length * 200);
    expect((await askHttp(other.port, '/api/session', { headers })).status).toBe(200);
    await other.stop();
  });

  it.each([
    { what: 'headers', said: () => `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n` },
    {
      what: 'body',
      said: (other: number, session: Record<string, string>) => {
        const headers = { ...posting(session), host: `127.0.0.1:${other}`, origin: `http://127.0.0.1:${other}`, 'content-length': '100' };
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        return `POST ${VERBS} HTTP/1.1\r\n${lines.join('')}\r\n{`;
      },
    },
  ])('I15: a request without an end of its $what is ended in time', async ({ said }) => {
    const own = newSecret();
    const other = await startDashboard({ port: 0, token: own, model, views, limits: { requestMs: 100 } });
    const session = await sessionBy(`http://127.0.0.1:${other.port}/login?token=${own}`);
    const socket = connect(other.port, '127.0.0.1');
    socket.on('error', () => undefined).setEncoding('utf8');
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.write(said(other.port, session));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1.1 408 /);
    await other.stop();
  });

  it('headers of 9,000 characters are refused', async () => {
    const answer = await ask('/', { headers: { ...own(), 'x-long': 'a'.repeat(9_000) } });
    expect(answer.status).toBe(431);
  });
});

/** Resolves when the stream has begun. */
function openStream(): Promise<ReturnType<typeof connect>> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `GET /api/stream HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncookie: ${session.cookie}\r\n${PROOF_HEADER}: ${session[PROOF_HEADER]}\r\n\r\n`,
      ),
    );
    socket.once('data', () => resolve(socket));
    socket.once('error', reject);
  });
}
