import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../api/clock.ts';
import { Verb } from '../api/verb-request.ts';
import { assets, documentText } from './assets.ts';
import { boundedJson } from './bounded-json.ts';
import type { CanaryModel } from './canary-model.ts';
import { EventStreams } from './event-streams.ts';
import { requestProblem } from './request-problem.ts';
import { Sessions } from './sessions.ts';
import { ViewError, type Views } from './views.ts';
import type { CanaryName } from './wire.ts';

export interface DashboardOptions {
  /** 0: any that is free. */
  port: number;
  /** Exchanged once for a session. */
  token: string;
  model: CanaryModel;
  views: Views;
  clock?: Clock;
  /** Only tests allow fewer. */
  limits?: Partial<typeof LIMITS>;
}

const LIMITS = { connections: 128, streams: 32, bodyBytes: 1_024, headerBytes: 8_192, wrongTokensAMinute: 20, requestsUnderWay: 32 };
const LOOPBACK = '127.0.0.1';

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Paths that the page itself reads. */
const PAGES = [/^\/$/, /^\/canaries\/[^/]+\/[^/]+(\/history|\/diff|\/releases\/\d{1,9}|\/compare\/\d{1,9}\/\d{1,9})?$/];
const OF_CANARY = /^\/api\/canaries\/([^/]+)\/([^/]+)\/(stream|history|difference|verbs|releases\/(\d{1,9}))$/;
const KUBE_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The dashboard on the loopback address, for the user of this machine who has the token. */
export async function startDashboard(options: DashboardOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { clock = systemClock, model, views, token } = options;
  const limits = { ...LIMITS, ...options.limits };
  const sessions = new Sessions(token, clock, limits.wrongTokensAMinute);
  const streams = new EventStreams(limits.streams);
  let hosts: readonly string[] = [];
  let cookie = '';
  let underWay = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers, url = '/' } = request;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const problem = requestProblem(method, headers, hosts);
    if (problem) return answer(response, problem.status, `${problem.reason}\n`);
    const [path = '/', query = ''] = url.split('?', 2);
    if (path === '/login' && method === 'GET') return login(query, response);
    if (!sessions.isOpen(cookieOf(headers.cookie, cookie)))
      return answer(response, 401, 'no session: start serin dashboard again, and open the address that it prints\n');
    if (method === 'POST') {
      const [, namespace, name, what] = OF_CANARY.exec(path) ?? [];
      const canary = what === 'verbs' ? canaryOf(namespace, name) : undefined;
      if (canary === undefined) return answer(response, 404, 'not found\n');
      const body = await bodyOf(request, limits.bodyBytes);
      if (body === undefined) return answer(response, 413, `the body must be at most ${limits.bodyBytes} bytes\n`);
      const verb = verbIn(body);
      if (verb === undefined) return answer(response, 400, `verb must be one of ${Verb.options.join(', ')}\n`);
      return json(response, await views.act(canary, verb));
    }
    if (path.startsWith('/assets/')) {
      const name = path.slice('/assets/'.length);
      const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
      return asset ? answer(response, 200, asset.text, asset.type) : answer(response, 404, 'not found\n');
    }
    if (PAGES.some((page) => page.test(path))) return answer(response, 200, documentText, 'text/html; charset=utf-8');
    if (path === '/api/stream') {
      const isOpen = streams.open(response, (send) => {
        const first = model.list();
        send(first.event, first.data);
        return model.onChange(({ event, data }) => send(event, data));
      });
      return isOpen ? undefined : tooManyStreams(response);
    }
    const [, namespace, name, what = '', run] = OF_CANARY.exec(path) ?? [];
    const canary = canaryOf(namespace, name);
    if (canary === undefined) return answer(response, 404, 'not found\n');
    if (run !== undefined) return json(response, await views.journal(canary, Number(run)));
    if (what === 'history') return json(response, await views.history(canary));
    if (what === 'difference') return json(response, await views.difference(canary));
    if (what !== 'stream') return answer(response, 405, 'verbs are asked for by POST\n');
    const isOpen = streams.open(response, (send) =>
      views.follow(
        canary,
        (release) => send('release', release),
        (error) => send('problem', { status: error.status, message: error.message }),
      ),
    );
    return isOpen ? undefined : tooManyStreams(response);
  };

  const login = (query: string, response: ServerResponse) => {
    const exchanged = sessions.exchange(new URLSearchParams(query).get('token') ?? '');
    if (exchanged === 'tooMany') return answer(response, 429, 'too many wrong tokens: wait a minute\n');
    if (exchanged === 'wrong')
      return answer(response, 401, 'wrong token, or one that was used: start serin dashboard again, and open the address that it prints\n');
    response.setHeader('set-cookie', `${cookie}=${exchanged.session}; Path=/; HttpOnly; SameSite=Strict`);
    response.setHeader('location', '/');
    answer(response, 303, '');
  };

  const settings = { headersTimeout: 10_000, requestTimeout: 10_000, maxHeaderSize: limits.headerBytes };
  const server = createServer(settings, (request, response) => {
    if (underWay >= limits.requestsUnderWay) return answer(response, 503, 'too many requests at once\n');
    underWay += 1;
    handle(request, response)
      .catch((error: unknown) => {
        if (response.headersSent) return response.destroy();
        if (error instanceof ViewError) return answer(response, error.status, `${error.message}\n`);
        return answer(response, 500, 'internal error\n');
      })
      .finally(() => {
        underWay -= 1;
      });
  });
  server.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, LOOPBACK, resolve);
  });
  const { port } = server.address() as AddressInfo;
  hosts = [`${LOOPBACK}:${port}`, `localhost:${port}`];
  // Cookies are shared by all ports of a host.
  cookie = `serin-dashboard-${port}`;
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        streams.closeAll();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type });
  response.end(text);
}

const json = (response: ServerResponse, value: unknown): void => answer(response, 200, boundedJson(value), 'application/json');

const tooManyStreams = (response: ServerResponse): void => answer(response, 429, 'too many open pages: close some\n');

function canaryOf(namespace: string | undefined, name: string | undefined): CanaryName | undefined {
  if (namespace === undefined || name === undefined || !KUBE_NAME.test(namespace) || !KUBE_NAME.test(name)) return undefined;
  return { namespace, name };
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Undefined: it is too long. */
async function bodyOf(request: IncomingMessage, most: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function verbIn(body: string): Verb | undefined {
  try {
    const { verb } = JSON.parse(body) as { verb?: unknown };
    return Verb.safeParse(verb).data;
  } catch {
    return undefined;
  }
}
