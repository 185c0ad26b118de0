import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROOF_HEADER } from '../../src/dashboard/own-headers.ts';
import { askHttp, openStream } from '../fakes/ask-http.ts';
import { type Headers, logInAt, postingTo, sessionIn } from '../fakes/controller-dashboard.ts';
import { HeldSockets } from '../fakes/held-sockets.ts';
import { eventually } from '../scenarios/eventually.ts';
import { ServedDashboard } from './served-dashboard.ts';

const ORIGIN = 'https://serin.example.org';
const [ATTACKER, USER] = ['127.0.0.3', '127.0.0.2'];
/** Connections, and requests under way, without a session that the listener keeps (docs/dashboard.md). */
const [KEPT, UNDER_WAY] = [512, 64];
const LOOKS = 5;

/** Milliseconds of a user's requests. */
interface Look {
  login: number;
  page: number;
  list: number;
  release: number;
}

/** A request whose body does not end. */
const unending = (path: string): string => {
  const lines = Object.entries({ ...postingTo(ORIGIN), 'content-length': '100' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n{`;
};

/** `npm run test:e2e -- dashboard-floods` prints the figures of docs/dashboard.md: milliseconds of a user's requests, median of five. */
describe('I15: the dashboard on a real control plane under a client that holds connections', () => {
  let served: ServedDashboard;
  let token = '';
  beforeAll(async () => {
    served = await ServedDashboard.start(ORIGIN);
    token = await served.token('viewer');
  });
  afterAll(() => served?.stop());

  /** A login, the page with its script, the list of Canaries and a release, as a browser requests them. */
  async function look(): Promise<Look> {
    let sinceMs = performance.now();
    const lap = () => {
      const startedMs = sinceMs;
      sinceMs = performance.now();
      return sinceMs - startedMs;
    };
    const answer = await logInAt(served.port, ORIGIN, token, { localAddress: USER });
    const login = lap();
    expect(answer.status).toBe(204);
    const headers: Headers = { ...postingTo(ORIGIN), ...sessionIn(answer) };
    const read = async (path: string) => (await askHttp(served.port, path, { headers, localAddress: USER })).text;
    const texts = [await read('/'), await read('/assets/page.js')];
    const page = lap();
    expect(texts).toEqual([expect.stringContaining('/assets/page.js'), expect.stringContaining(PROOF_HEADER)]);
    expect(await read('/api/stream')).toContain('shop-b');
    const list = lap();
    expect(await read('/api/canaries/b/shop-b/stream')).toContain('event: release');
    return { login, page, list, release: lap() };
  }

  const floods = [
    { what: 'no connection', said: '', count: 0 },
    { what: '512 idle connections', said: '', count: 512 },
    { what: '5,000 idle connections', said: '', count: 5_000 },
    { what: '64 logins with slow bodies', said: unending('/login'), count: 64, most: UNDER_WAY },
    { what: '5,000 logins with slow bodies', said: unending('/login'), count: 5_000, most: UNDER_WAY },
    { what: '512 verbs with slow bodies', said: unending('/api/canaries/b/shop-b/verbs'), count: 512 },
    { what: '600 idle connections that are opened again', said: '', count: 600, insists: true },
    { what: '600 logins with slow bodies that are opened again', said: unending('/login'), count: 600, insists: true },
  ];
  it.each(floods)(
    '$what of one address: a user at another one logs in and works, and an open page stays',
    async ({ what, said, count, most = KEPT, insists }) => {
      const session = sessionIn(await logInAt(served.port, ORIGIN, token, { localAddress: USER }));
      const page = openStream(served.port, '/api/stream', { ...postingTo(ORIGIN), ...session }, USER);
      await eventually('the page is open', async () => page.text.includes('shop-b'));
      const sockets = new HeldSockets(served.port, insists);
      try {
        await sockets.open(count, ATTACKER, said);
        const looks: Look[] = [];
        for (let nth = 0; nth < LOOKS; nth += 1) looks.push(await look());
        if (insists) await eventually('as many were opened again', async () => sockets.reopened > count);
        else await eventually('no more are held than have a slot', async () => sockets.displaced >= count - most);
        const median = (part: keyof Look) =>
          Math.round(looks.map((one) => one[part]).toSorted((a, b) => a - b)[Math.floor(LOOKS / 2)] ?? 0);
        const figures = {
          ...{ login: median('login'), page: median('page'), list: median('list'), release: median('release') },
          ...{ longestLogin: Math.round(Math.max(...looks.map(({ login }) => login))), held: sockets.held, reopened: sockets.reopened },
        };
        process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
        expect(page.isOver).toBe(false);
      } finally {
        page.close();
        sockets.close();
      }
    },
  );

  it('the controller is ready all the same, and its log has no line for a connection', () => {
    expect(served.controller.hasExited()).toBe(false);
    expect(served.log.split('\n').length).toBeLessThan(1_000);
  });
});
