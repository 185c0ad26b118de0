import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Verb } from '../api/verb-request.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { limitConnections } from '../server/connections.ts';
import { FairSlots } from '../server/fair-slots.ts';
import { peerOf } from '../server/peer.ts';
import type { Access, PageResponse, Viewer } from './access/access.ts';
import { oneTimeAccess } from './access/one-time-access.ts';
import { assets, documentText } from './assets.ts';
import type { CanaryModel } from './canary-model.ts';
import { boundedJson, EventStreams } from './event-streams.ts';
import { bodyOf, fieldOf } from './request-body.ts';
import { requestProblem } from './request-problem.ts';
import { SessionRequests } from './session-requests.ts';
import { ViewError, type Views } from './views.ts';
import type { CanaryName } from './wire.ts';

/** Options of `serin dashboard`. */
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

/** Options of a server with any access. */
export interface ServeOptions {
  port: number;
  /** By default all addresses. */
  host?: string;
  server: (settings: ServerOptions) => Server;
  accessAt(port: number): Access;
  clock: Clock;
  limits: typeof LIMITS;
}

/**
 * Limits of the server for one user. Connections and requests without a session have slots of their own, in which no peer takes those of another. Requests of a
 * session have limits besides, and keep their connection.
 */
export const LIMITS = {
  ...{ connections: 128, strangersUnderWay: 32 },
  ...{ streams: 32, streamsOfSession: 32, requestsUnderWay: 32, requestsOfSession: 32 },
  ...{ bodyBytes: 1_024, headerBytes: 8_192, requestMs: 10_000, answerMs: 10_000, wrongTokensAMinute: 20 },
};
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
export function startDashboard(options: DashboardOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { clock = systemClock, model, views, token } = options;
  const limits = { ...LIMITS, ...options.limits };
  const { wrongTokensAMinute } = limits;
  const accessAt = (port: number) => oneTimeAccess({ token, model, views, clock, wrongTokensAMinute, port });
  return serveDashboard({ port: options.port, host: LOOPBACK, server: (settings) => createServer(settings), accessAt, clock, limits });
}

/** Serves the page and its requests to viewers that the access lets in. */
export async function serveDashboard(options: ServeOptions): Promise<{ port: number; server: Server; stop(): Promise<void> }> {
  const { limits, clock } = options;
  const streams = new EventStreams(limits.streams, limits.streamsOfSession, clock);
  let opened: Access | undefined;

  const handle = async (request: IncomingMessage, response: ServerResponse, access: Access, viewer: Viewer | undefined): Promise<void> => {
    const { method = '', headers, url = '/' } = request;
    const [path = '/', query = ''] = url.split('?', 2);
    const entered = await access.enter(request, path, new URLSearchParams(query));
    if (entered) return send(response, entered);
    // A navigation and a script bring no proof.
    const loaded = method === 'POST' ? undefined : loadable(path);
    if (loaded) return send(response, access.mayLoad(headers) ? loaded : access.refuse(request, path));
    if (viewer === undefined) return send(response, access.refuse(request, path));
    const waitSeconds = viewer.waitSeconds();
    if (waitSeconds !== undefined) return send(response, tooManyRequests(waitSeconds));
    const { views } = viewer;
    if (method === 'POST') {
      const [, namespace, name, what] = OF_CANARY.exec(path) ?? [];
      const canary = what === 'verbs' ? canaryOf(namespace, name) : undefined;
      if (canary === undefined) return respond(response, 404, 'not found\n');
      const body = await bodyOf(request, limits.bodyBytes);
      if (body === undefined) return respond(response, 413, `the body must be at most ${limits.bodyBytes} bytes\n`);
      const verb = Verb.safeParse(fieldOf(body, 'verb')).data;
      if (verb === undefined) return respond(response, 400, `verb must be one of ${Verb.options.join(', ')}\n`);
      if (!viewer.about.mayAct) return respond(response, 403, 'this dashboard is read-only: --dashboard-verbs allows verbs\n');
      await viewer.mayRead(canary, 'get');
      return json(response, await views.act(canary, verb));
    }
    if (path === '/api/session') return json(response, viewer.about);
    if (path === '/api/stream') {
      const reader = { session: viewer.session, check: async () => undefined, onEnd: viewer.onEnd };
      const isOpen = streams.open(response, reader, (send) => viewer.followList(({ event, data }) => send(event, data)));
      return isOpen ? undefined : tooManyStreams(response);
    }
    const [, namespace, name, what = '', run] = OF_CANARY.exec(path) ?? [];
    const canary = canaryOf(namespace, name);
    if (canary === undefined) return respond(response, 404, 'not found\n');
    await viewer.mayRead(canary, 'get');
    if (run !== undefined) return json(response, await views.journal(canary, Number(run)));
    if (what === 'history') return json(response, await views.history(canary));
    if (what === 'difference') return json(response, await views.difference(canary));
    if (what !== 'stream') return respond(response, 405, 'a verb needs the method POST\n');
    await viewer.mayRead(canary, 'watch');
    const check = async () => {
      await viewer.mayRead(canary, 'get');
      await viewer.mayRead(canary, 'watch');
    };
    const isOpen = streams.open(response, { session: viewer.session, check, onEnd: viewer.onEnd }, (send) =>
      views.follow(
        canary,
        (release) => send('release', release),
        (error) => send('problem', { status: error.status, message: error.message }),
      ),
    );
    return isOpen ? undefined : tooManyStreams(response);
  };

  const server = options.server({
    ...{ headersTimeout: limits.requestMs, requestTimeout: limits.requestMs, connectionsCheckingInterval: 1_000 },
    maxHeaderSize: limits.headerBytes,
  });
  const connections = limitConnections(server, limits.connections);
  const strangers = new FairSlots<ServerResponse>(limits.strangersUnderWay);
  const known = new SessionRequests(limits.requestsUnderWay, limits.requestsOfSession);
  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    if (opened === undefined) return tooMany(response);
    const problem = requestProblem(request.method ?? '', request.headers, opened);
    if (problem) return respond(response, problem.status, `${problem.reason}\n`);
    const viewer = opened.viewerOf(request.headers);
    let end: () => void;
    if (viewer) {
      const ended = known.begin(viewer.session);
      if (ended === undefined) return tooMany(response);
      end = ended;
      response.once('close', connections.spare(request.socket));
    } else {
      const lost = strangers.take(response, peerOf(request.socket.remoteAddress));
      if (lost) tooMany(lost);
      end = () => strangers.free(response);
    }
    handle(request, response, opened, viewer)
      .catch((error: unknown) => {
        if (response.headersSent) return response.destroy();
        if (error instanceof ViewError) return respond(response, error.status, `${error.message}\n`);
        return respond(response, 500, 'internal error\n');
      })
      .finally(() => {
        // A stream is not at its end, and has bounds of its own. An answer that its client does not read is kept here.
        if (response.closed || !response.writableEnded) return end();
        const forget = clock.setTimer(limits.answerMs, () => response.destroy());
        response.once('close', () => {
          forget();
          end();
        });
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  opened = options.accessAt(port);
  return {
    ...{ port, server },
    stop: () =>
      new Promise((resolve) => {
        streams.closeAll();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, text, type, headers = {} }: PageResponse): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  respond(response, status, text, type);
}

/** A page of the dashboard, or what one loads: the same for everyone. */
function loadable(path: string): PageResponse | undefined {
  if (PAGES.some((page) => page.test(path))) return { status: 200, text: documentText, type: 'text/html; charset=utf-8' };
  if (!path.startsWith('/assets/')) return undefined;
  const name = path.slice('/assets/'.length);
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  return asset ? { status: 200, ...asset } : { status: 404, text: 'not found\n' };
}

/** Closes the connection: the client might never end its request. */
function tooMany(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  response.setHeader('connection', 'close');
  response.setHeader('retry-after', '1');
  respond(response, 503, 'too many requests at once: try again in a moment\n');
}

const tooManyRequests = (waitSeconds: number): PageResponse => ({
  status: 429,
  text: 'too many requests: wait a moment\n',
  headers: { 'retry-after': String(waitSeconds) },
});

function respond(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type });
  response.end(text);
}

const json = (response: ServerResponse, value: unknown): void => respond(response, 200, boundedJson(value), 'application/json');

const tooManyStreams = (response: ServerResponse): void => respond(response, 429, 'too many open pages: close some\n');

function canaryOf(namespace: string | undefined, name: string | undefined): CanaryName | undefined {
  if (namespace === undefined || name === undefined || !KUBE_NAME.test(namespace) || !KUBE_NAME.test(name)) return undefined;
  return { namespace, name };
}
