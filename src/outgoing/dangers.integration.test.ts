import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { handClock } from '../../test/fakes/clock.ts';
import { egressSettings, message, outgoing, payload } from '../../test/fakes/egress.ts';
import type { Clock } from '../base/clock.ts';
import { sendRequest } from '../metrics/http/send-request.ts';
import { withinTimeout } from '../metrics/http/within-timeout.ts';
import { runSignalFlow } from '../metrics/providers/signalflow/run-signalflow.ts';
import { notifierFor } from '../notifiers/index.ts';
import { callWebhook } from '../webhooks/call-webhook.ts';
import type { EgressPolicy } from './connection.ts';
import { outgoingFetch } from './fetch.ts';

const SECRET = 's3cret-word';
const TIMEOUT_MS = 10_000;

interface Around {
  egress: EgressPolicy;
  /** Only some resources can name one. */
  proxy?: string;
  clock?: Clock;
}
interface Caller {
  /** The address of a call that carries the secret, below this origin. */
  address(origin: string): string;
  /** Outcome of the call in its own words: an answer begins with its status. */
  call(address: string, around: Around): Promise<string>;
  namesProxy: boolean;
  /** It reads an answer to the end, up to its limit in bytes, and not only as far as it needs. */
  readsAll: boolean;
}

const signal = AbortSignal.timeout(120_000);
const base = (origin: string) => `${origin}/x`;
const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** A hook without retries: each of them would be another first request. */
const hook = async (url: string, around: Around, secret?: string) => {
  const read = async () => (secret === undefined ? undefined : { 'header.authorization': `Bearer ${secret}` });
  const named = secret === undefined ? {} : { secretRef: { name: 's' } };
  const answer = await callWebhook({ name: 'h', url, timeout: '10s', retries: 0, ...named }, payload, {
    ...{ key: 'k', signal, secret: read },
    ...around,
  });
  return answer.outcome === 'passed' ? `200 ${answer.body}` : answer.reason;
};

const callers: Record<string, Caller> = {
  'metric backends': {
    address: base,
    async call(address, around) {
      const request = { url: new URL(address), headers: { authorization: `Bearer ${SECRET}` } };
      const answer = await sendRequest(request, { who: 'X', timeoutMs: TIMEOUT_MS, secrets: [SECRET], signal, ...around });
      return 'kind' in answer ? answer.reason : `${answer.status} ${answer.body}`;
    },
    namesProxy: true,
    readsAll: true,
  },
  'metric backends with a name and a password in the address': {
    address: (origin) => base(origin.replace('//', `//me:${SECRET}@`)),
    async call(address, around) {
      const answer = await sendRequest({ url: new URL(address) }, { who: 'X', timeoutMs: TIMEOUT_MS, secrets: [], signal, ...around });
      return 'kind' in answer ? answer.reason : `${answer.status} ${answer.body}`;
    },
    namesProxy: true,
    readsAll: true,
  },
  webhooks: { address: base, call: (address, around) => hook(address, around, SECRET), namesProxy: false, readsAll: false },
  'webhooks with a name and a password in the address': {
    address: (origin) => base(origin.replace('//', `//me:${SECRET}@`)),
    call: (address, around) => hook(address, around),
    namesProxy: false,
    readsAll: false,
  },
  alerts: {
    address: base,
    async call(address, { egress, proxy, clock }) {
      const made = notifierFor('webhook', { address, token: SECRET, signingKey: SECRET, proxy }, { egress, timeoutMs: TIMEOUT_MS, clock });
      if ('problem' in made) return made.problem;
      const sent = await made.send(message, signal);
      return sent.ok ? '200' : sent.reason;
    },
    namesProxy: true,
    readsAll: false,
  },
  'the login by OpenID Connect': {
    address: base,
    async call(address, { egress, clock }) {
      const asked = outgoingFetch({ egress, timeoutMs: TIMEOUT_MS, clock });
      const init = { method: 'POST', headers: { authorization: `Basic ${SECRET}` }, body: new URLSearchParams({ client_secret: SECRET }) };
      // The library shows nothing of the answer's body.
      return asked(address, init).then(({ status }) => String(status), words);
    },
    namesProxy: false,
    readsAll: true,
  },
};

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serving(answer: RequestListener, host = '127.0.0.1', port = 0) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.on('connect', (request, socket) => {
    seen.push(request);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = (server.address() as AddressInfo).port;
  return { seen, port: at, origin: `http://${host}:${at}` };
}
const redirecting = (status: number, location: string) => serving((_, response) => void response.writeHead(status, { location }).end());
const here = { ...egressSettings, allowedLocalAddresses: ['127.0.0.1'] };
const quoting: LookupFunction = (_name, _options, callback) => callback(new Error(`nothing at ${SECRET}`), '');
/** The token of any form that a header can have. */
const carried = (requests: readonly IncomingMessage[]): string => JSON.stringify(requests.map(({ headers, url }) => [headers, url]));
const secretIn = (text: string) => [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 10)].filter((form) => text.includes(form));

describe.each(Object.entries(callers))('%s', (_, { address, call, readsAll }) => {
  it.each([301, 302, 303, 307, 308])('carry no credentials to another origin by a redirect (%s)', async (status) => {
    const other = await serving((_, response) => void response.end('{}'));
    const first = await redirecting(status, `${other.origin}/y`);
    await call(address(first.origin), { egress: outgoing(here) });
    expect([first.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it.each(['http://127.0.0.9:1/', 'http://169.254.169.254/latest', 'http://localhost:1/', 'http://[::ffff:7f00:9]:1/'])(
    'follow no redirect to %s',
    async (location) => {
      const first = await redirecting(307, location);
      const answer = await call(address(first.origin), { egress: outgoing(here) });
      expect(answer).toMatch(/redirects|^307/);
      expect(first.seen).toHaveLength(1);
    },
  );

  it('go to the address that was judged, even if the name has another address next time', async () => {
    const first = await serving((_, response) => void response.end('{}'));
    const forbidden = await serving((_, response) => void response.end('{}'), '127.0.0.2', first.port);
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, callback) => {
      asked += 1;
      callback(null, [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    };
    const egress = outgoing({ ...here, lookup });
    const named = address(`http://rebinding.test:${first.port}`);
    expect(await call(named, { egress })).toMatch(/^200/);
    expect(await call(named, { egress })).toContain('only where --allowed-local-addresses lists it');
    expect([asked, first.seen.length, forbidden.seen.length]).toEqual([2, 1, 0]);
  });

  it('read no answer without an end', async () => {
    let written = 0;
    const endless = await serving((request, response) => {
      request.resume();
      const piece = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        for (let isTaken = true; isTaken && !response.destroyed; written += piece.length) isTaken = response.write(piece);
      };
      response.on('drain', more);
      more();
    });
    const answer = await call(address(endless.origin), { egress: outgoing(here) });
    expect(answer.length).toBeLessThan(10_000);
    if (readsAll) expect(answer).toContain('longer than 1 MiB');
    // Bytes in the kernel between the two are not read.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  it('wait for no answer longer than the timeout', async () => {
    const clock = handClock();
    const slow = await serving((request, response) => {
      request.resume();
      // A head at once, and a body that never ends. An alert is taken with the head.
      if (readsAll) response.write('{');
    });
    const waiting = call(address(slow.origin), { egress: outgoing(here), clock });
    await expect.poll(() => slow.seen.length).toBe(1);
    await expect.poll(() => clock.nextInMs).toBeDefined();
    clock.advance(TIMEOUT_MS);
    expect(await waiting).toMatch(/10000 ms/);
  });

  it('show no secret in what they say of a failure', async () => {
    const echoing = await serving((request, response) => {
      const echo = `no ${request.headers.authorization} ${request.url}`;
      response.writeHead(302, { location: `https://127.0.0.1:1/${encodeURIComponent(echo)}` }).end(echo);
    });
    const broken = await serving((request) => request.socket.end(`HTTP/1.1 200 ${request.headers.authorization}\r\n: bad\r\n\r\n`));
    const answers = [
      await call(address(echoing.origin), { egress: outgoing(here) }),
      await call(address(broken.origin), { egress: outgoing(here) }),
      await call(address('http://127.0.0.1:1'), { egress: outgoing(here) }),
      await call(address('http://unknown.invalid'), { egress: outgoing(here) }),
      // A library can quote its input.
      await call(address('http://quoting.test'), { egress: outgoing({ ...here, lookup: quoting }) }),
    ];
    expect(answers.filter((answer) => /^200/.test(answer))).toEqual([]);
    expect(answers.flatMap(secretIn)).toEqual([]);
  });
});

describe('without credentials', () => {
  const answers = async (first: string): Promise<Record<string, string>> => {
    const egress = outgoing(here);
    const asked = await sendRequest({ url: new URL(first) }, { who: 'X', timeoutMs: TIMEOUT_MS, secrets: [], signal, egress });
    const made = notifierFor('webhook', { address: first }, { egress });
    if ('problem' in made) throw new Error(made.problem);
    const sent = await made.send(message, signal);
    return {
      query: 'kind' in asked ? asked.reason : String(asked.status),
      alert: sent.ok ? '200' : sent.reason,
      webhook: await hook(first, { egress }),
    };
  };

  it('a webhook follows a redirect to another origin, as Go does; a query and an alert do not', async () => {
    const other = await serving((_, response) => void response.end('{}'));
    const first = await redirecting(307, other.origin);
    const { query, alert, webhook } = await answers(first.origin);
    expect(query).toContain('it redirects to another address');
    expect(alert).toContain('redirects to another address, which is not followed');
    expect(webhook).toMatch(/^200/);
    expect(other.seen.map(({ method }) => method)).toEqual(['POST']);
  });
});

const throughProxy = Object.entries(callers).filter(([, { namesProxy }]) => namesProxy);
it.each(throughProxy)('%s show a proxy that a resource names no credentials', async (_, { address, call }) => {
  const proxy = await serving((__, response) => void response.end('{}'));
  for (const origin of ['http://backend.invalid', 'https://backend.invalid'])
    await call(address(origin), { egress: outgoing(here), proxy: proxy.origin });
  expect(proxy.seen.map(({ method }) => method)).toEqual(['CONNECT']);
  expect(secretIn(carried(proxy.seen))).toEqual([]);
});

describe('the web socket of Splunk', () => {
  const run = (url: string, { egress, proxy, clock = handClock() }: Around) => {
    const options = { who: 'Splunk', timeoutMs: TIMEOUT_MS, secrets: [SECRET], signal, clock };
    const transport = { timeoutMs: TIMEOUT_MS, egress, proxy };
    const flow = { url: new URL(url), token: SECRET, program: 'p', startMs: 0, stopMs: 1, transport };
    return withinTimeout((over) => runSignalFlow({ ...flow, signal: over }), options);
  };
  const said = async (outcome: ReturnType<typeof run>) => {
    const one = await outcome;
    return 'kind' in one ? one.reason : 'series';
  };

  it('follows no redirect', async () => {
    const other = await serving((_, response) => void response.end());
    const first = await redirecting(307, other.origin);
    expect(await said(run(first.origin.replace('http', 'ws'), { egress: outgoing(here) }))).toBe('Splunk answered 307');
    expect(other.seen).toEqual([]);
  });

  it('is refused a local address and a metadata service', async () => {
    for (const host of ['127.0.0.2:1', '169.254.169.254', 'localhost:1'])
      expect(await said(run(`ws://${host}/`, { egress: outgoing(egressSettings) }))).toMatch(/which is (never called|called only where)/);
  });

  it('shows a proxy that a resource names no credentials', async () => {
    const proxy = await serving((_, response) => void response.end());
    const around = { egress: outgoing(here), proxy: proxy.origin };
    expect(await said(run('ws://backend.invalid/', around))).toContain('would see its credentials');
    expect(proxy.seen).toEqual([]);
  });

  it('reads no answer without an end, and waits no longer than the timeout', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    ends.push(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    server.once('connection', (socket) => {
      socket.on('error', () => undefined);
      const more = () => socket.readyState === socket.OPEN && socket.send(JSON.stringify({ type: 'x', a: 'x'.repeat(200_000) }), more);
      more();
    });
    expect(await said(run(url, { egress: outgoing(here) }))).toContain('longer than 1 MiB');
    const clock = handClock();
    const waiting = said(run(url, { egress: outgoing(here), clock }));
    await expect.poll(() => clock.nextInMs).toBeDefined();
    clock.advance(TIMEOUT_MS);
    expect(await waiting).toBe('Splunk did not answer within 10000 ms');
  });
});
