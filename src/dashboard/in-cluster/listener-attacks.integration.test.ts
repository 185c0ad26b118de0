import { afterEach, describe, expect, it } from 'vitest';
import { askHttp, type HttpQuestion, openStream } from '../../../test/fakes/ask-http.ts';
import { ControllerDashboard, type Headers, logInAt, postingTo, sessionIn } from '../../../test/fakes/controller-dashboard.ts';
import { HeldSockets } from '../../../test/fakes/held-sockets.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { PROOF_HEADER } from '../own-headers.ts';
import { newSecret } from '../sessions.ts';

const ORIGIN = 'https://serin.example.org';
/** Origin in the browser of an operator who forwards the port, and of every other port of that machine. */
const LOCAL = 'http://localhost:8090';
const [OPERATOR, POD, ATTACKER] = ['127.0.0.1', '127.0.0.9', '127.0.0.3'];
/** Another peer than the attacker. */
const USER = '127.0.0.2';
const PROMOTE = '{"verb":"promote"}';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The dashboard with its shipped settings, and with an operator who may do everything. */
async function served({ origin }: { origin: string | undefined } = { origin: ORIGIN }) {
  const dashboard = new ControllerDashboard();
  const { cluster, clock, logged } = dashboard;
  cluster.give('ann', undefined, 'get', 'list', 'watch', 'patch');
  const { canary } = initialized(aCanary({ stepWeight: 25 }));
  cluster.put({ ...JSON.parse(JSON.stringify(canary)), metadata: { ...canary.metadata, resourceVersion: '5' } });
  const { namespace, name } = canary.metadata;
  const token = dashboard.tokenOf({ name: 'ann', groups: [], extra: {} });
  const { port, localPort } = await dashboard.serve({ origin });
  ends.push(() => dashboard.stop());
  const attack = (at: number) => {
    const sockets = new HeldSockets(at);
    ends.push(() => sockets.close());
    return sockets;
  };
  return { cluster, clock, logged, token, port, localPort, own: `/api/canaries/${namespace}/${name}`, attack };
}

/** Both listeners, and the origin of the page at each. */
const LISTENERS = [
  { listener: 'a port-forward', origin: LOCAL, portOf: (listeners: { localPort: number }) => listeners.localPort },
  { listener: 'the Service', origin: ORIGIN, portOf: (listeners: { port: number }) => listeners.port },
];

describe('a cookie that was stolen by another port of its host', () => {
  it.each(LISTENERS)('opens nothing at the listener of $listener', async ({ origin, portOf }) => {
    const dashboard = await served();
    const port = portOf(dashboard);
    const { cookie, ...proof } = sessionIn(await logInAt(port, origin, dashboard.token, { localAddress: OPERATOR }));
    const ask = (path: string, question: HttpQuestion) =>
      askHttp(port, path, { localAddress: POD, ...question, headers: { ...postingTo(origin), cookie, ...question.headers } });
    const { own, cluster } = dashboard;
    const before = cluster.read.length;
    for (const headers of [{}, { [PROOF_HEADER]: '' }, { [PROOF_HEADER]: newSecret() }] satisfies Headers[]) {
      for (const path of ['/api/session', '/api/stream', `${own}/stream`, `${own}/history`, `${own}/difference`, `${own}/releases/1`])
        expect([path, (await ask(path, { headers })).status]).toEqual([path, 401]);
      expect((await ask(`${own}/verbs`, { method: 'POST', headers, body: PROMOTE })).status).toBe(401);
      expect(JSON.parse((await ask('/login/state', { headers })).text)).toEqual({ oidc: false, next: '/' });
      await ask('/logout', { method: 'POST', headers, body: '{}' });
    }
    expect([cluster.read.length, cluster.patched]).toEqual([before, []]);
    // The session goes on: its page, which has the proof, can still send requests.
    expect((await ask('/api/session', { headers: proof })).status).toBe(200);
  });

  it('neither uses up the requests of its session, nor keeps it open', async () => {
    const { port, token, clock } = await served();
    const { cookie, ...proof } = sessionIn(await logInAt(port, ORIGIN, token));
    const ask = (path: string, headers: Headers) => askHttp(port, path, { headers: { host: new URL(ORIGIN).host, cookie, ...headers } });
    for (let sent = 0; sent < 100; sent += 1) expect((await ask('/', {})).status).toBe(200);
    expect((await ask('/api/session', proof)).status).toBe(200);
    clock.advance(20 * 60_000);
    await ask('/', {});
    await ask('/api/session', {});
    clock.advance(20 * 60_000);
    expect((await ask('/api/session', proof)).status).toBe(401);
  });

  it('that was planted by one puts no user into the session of another', async () => {
    const { port, token } = await served();
    const [own, planted] = [sessionIn(await logInAt(port, ORIGIN, token)), sessionIn(await logInAt(port, ORIGIN, token))];
    const headers = { ...postingTo(ORIGIN), ...own, cookie: planted.cookie };
    expect((await askHttp(port, '/api/session', { headers })).status).toBe(401);
  });
});

describe('the two listeners of the dashboard in the controller', () => {
  it.each([OPERATOR, POD])('no local name is known at the listener of the Service, to the peer %s', async (localAddress) => {
    const { port, localPort, token } = await served();
    const session = sessionIn(await logInAt(localPort, LOCAL, token));
    for (const name of [
      'localhost:8090',
      'localhost',
      '127.0.0.1:8090',
      '[::1]:8090',
      'LOCALHOST:8090',
      'localhost.:8090',
      '[::ffff:127.0.0.1]',
    ]) {
      const origin = `http://${name}`;
      const headers = { ...postingTo(LOCAL), ...session, host: name, origin };
      expect([name, (await askHttp(port, '/api/session', { headers, localAddress })).status]).toEqual([name, 421]);
      expect((await askHttp(port, '/login', { method: 'POST', headers, localAddress, body: JSON.stringify({ token }) })).status).toBe(421);
    }
  });

  it('a port-forward is reached as localhost, and by no other name', async () => {
    const { localPort } = await served();
    const statusFor = async (host: string) => (await askHttp(localPort, '/login', { headers: { host } })).status;
    const names = ['localhost:9999', '127.0.0.1:1', '[::1]:5', new URL(ORIGIN).host, 'localhost:1.evil.example', '127.0.0.1.evil.example'];
    expect(await Promise.all(names.map(statusFor))).toEqual([200, 200, 200, 421, 421, 421]);
  });

  it.each([
    { from: LISTENERS[0], to: LISTENERS[1] },
    { from: LISTENERS[1], to: LISTENERS[0] },
  ])('a session of the listener of $from.listener is not valid at the listener of $to.listener', async ({ from, to }) => {
    const dashboard = await served();
    const portOf = (listener: (typeof LISTENERS)[number] | undefined) => listener?.portOf(dashboard) ?? 0;
    const session = sessionIn(await logInAt(portOf(from), from?.origin ?? '', dashboard.token));
    const headers = { ...postingTo(to?.origin ?? ''), ...session };
    expect((await askHttp(portOf(to), '/', { headers: { ...headers, 'sec-fetch-dest': 'document' } })).status).toBe(303);
    expect((await askHttp(portOf(to), '/api/session', { headers })).status).toBe(401);
    expect((await askHttp(portOf(to), `${dashboard.own}/verbs`, { method: 'POST', headers, body: PROMOTE })).status).toBe(401);
    expect(dashboard.cluster.patched).toEqual([]);
  });

  it('the listener of a port-forward is only at the loopback address', async () => {
    const { localPort } = await served();
    const ask = fetch(`http://${USER}:${localPort}/login`, { headers: { host: 'localhost:8090' } });
    await expect(ask).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it.each([undefined, 'http://localhost:8090'])('with the address %s that of the Service is not open', async (origin) => {
    const { port, localPort, token } = await served({ origin });
    expect(port).toBe(0);
    expect((await logInAt(localPort, LOCAL, token)).status).toBe(204);
  });
});

/** Requests of the attacker that do not end. */
const unending = (path: string) => {
  const headers = { ...postingTo(ORIGIN), 'content-length': '100' };
  return `POST ${path} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n{`;
};

describe('I15: clients without a session', () => {
  const FLOODS = [
    { what: 'connections that say nothing', said: '', counts: [512, 5_000], most: 512 },
    { what: 'headers that do not end', said: `GET /login HTTP/1.1\r\nhost: ${new URL(ORIGIN).host}\r\n`, counts: [512], most: 512 },
    { what: 'logins whose body does not end', said: unending('/login'), counts: [64, 512, 5_000], most: 64 },
    { what: 'verbs whose body does not end', said: unending('/api/canaries/test/podinfo/verbs'), counts: [64, 512], most: 512 },
  ];
  it.each(FLOODS.flatMap(({ counts, ...flood }) => counts.map((count) => ({ ...flood, count }))))(
    '$count $what from one address: a user at another one logs in and works, and no open page is lost',
    async ({ said, count, most }) => {
      const { port, token, own, attack } = await served();
      // Behind the same ingress as the attacker.
      const session = sessionIn(await logInAt(port, ORIGIN, token, { localAddress: ATTACKER }));
      const page = openStream(port, '/api/stream', { ...postingTo(ORIGIN), ...session }, ATTACKER);
      await expect.poll(() => page.text).toContain('podinfo');
      const sockets = attack(port);
      await sockets.open(count, ATTACKER, said);
      const answer = await logInAt(port, ORIGIN, token, { localAddress: USER });
      expect(answer.status).toBe(204);
      const headers = { ...postingTo(ORIGIN), ...sessionIn(answer) };
      expect((await askHttp(port, `${own}/stream`, { headers, localAddress: USER })).text).toContain('event: release');
      expect((await askHttp(port, '/api/stream', { headers, localAddress: USER })).text).toContain('podinfo');
      // So does one behind the same ingress.
      expect((await logInAt(port, ORIGIN, token, { localAddress: ATTACKER })).status).toBe(204);
      await expect.poll(() => sockets.held).toBeLessThanOrEqual(512);
      await expect.poll(() => sockets.displaced).toBeGreaterThanOrEqual(count - most);
      expect(page.isOver).toBe(false);
      page.close();
    },
  );

  it.each(FLOODS)('600 $what, each from an address of its own: a user logs in, and keeps the page', async ({ said }) => {
    const { port, token, attack } = await served();
    const answer = await logInAt(port, ORIGIN, token, { localAddress: USER });
    const page = openStream(port, '/api/stream', { ...postingTo(ORIGIN), ...sessionIn(answer) }, USER);
    await expect.poll(() => page.text).toContain('podinfo');
    const sockets = attack(port);
    for (let nth = 0; nth < 600; nth += 1) await sockets.open(1, `127.1.${nth % 200}.${1 + Math.floor(nth / 200)}`, said);
    expect((await logInAt(port, ORIGIN, token, { localAddress: USER })).status).toBe(204);
    expect(page.isOver).toBe(false);
    page.close();
  });

  it('at the listener of the Service leave that of a port-forward open', async () => {
    const { port, localPort, token, attack } = await served();
    await attack(port).open(600, OPERATOR);
    expect((await logInAt(localPort, LOCAL, token)).status).toBe(204);
  });
});

describe('I15: wrong tokens', () => {
  it.each([
    { count: 10, addresses: 1 },
    { count: 60, addresses: 6 },
    { count: 300, addresses: 3 },
  ])('$count from $addresses addresses keep the right one from no one', async ({ count, addresses }) => {
    const { port, token, clock } = await served();
    for (let tried = 0; tried < count; tried += 1) {
      // A login that waits for its turn has it after a fifth of a second.
      clock.advance(200);
      expect((await logInAt(port, ORIGIN, newSecret(), { localAddress: `127.0.0.${10 + (tried % addresses)}` })).status).toBe(401);
    }
    clock.advance(200);
    expect((await logInAt(port, ORIGIN, token, { localAddress: '127.0.0.10' })).status).toBe(204);
  });

  it('are checked at a rate; others at once are refused for a moment, and a right one among them gets its turn', async () => {
    const { port, token, clock, cluster } = await served();
    const statuses: number[] = [];
    for (let tried = 0; tried < 200; tried += 1)
      void logInAt(port, ORIGIN, newSecret(), { localAddress: ATTACKER }).then(({ status }) => statuses.push(status));
    // 30 at once, and 32 that wait: the others are refused.
    await expect.poll(() => statuses.length).toBe(200 - 32);
    expect(cluster.created.length).toBe(30);
    let right = 0;
    void logInAt(port, ORIGIN, token, { localAddress: USER }).then(({ status }) => {
      right = status;
    });
    await expect
      .poll(() => {
        clock.advance(200);
        return right;
      })
      .toBe(204);
    await expect
      .poll(() => {
        clock.advance(200);
        return statuses.length;
      })
      .toBe(200);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(30 + 31);
    expect(statuses.filter((status) => status === 429 || status === 503).length).toBeGreaterThanOrEqual(200 - 30 - 32);
  });

  it('write no more than 30 lines a minute into the log, and the next one says how many it left out', async () => {
    const { port, clock, logged } = await served();
    for (let tried = 0; tried < 50; tried += 1) {
      clock.advance(200);
      await logInAt(port, ORIGIN, newSecret());
    }
    expect(logged).toHaveLength(30);
    clock.advance(60_000);
    await logInAt(port, ORIGIN, newSecret());
    expect(logged.at(-1)).toContain('"leftOut":20');
  });
});
