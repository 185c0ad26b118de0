import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { TargetPolicy } from './target-policy.ts';

/** A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Connections of one program. */
export interface Connections {
  http: HttpAgent;
  https: HttpsAgent;
  policy: TargetPolicy;
  close(): void;
}

export interface SentRequest {
  method: string;
  url: URL;
  headers: OutgoingHttpHeaders;
  body: string | undefined;
  /** For the whole exchange; 0 is unlimited. */
  timeoutMs: number;
  /** Until a connection exists, in each of its requests; 0 is unlimited. */
  connectMs?: number;
  /** Only addresses of this IP version. */
  family?: 4 | 6 | undefined;
  redirects: number;
  /** Bytes of the answer's body that are kept; the rest is read and dropped. */
  keepBytes: number;
}

export interface HttpResponse {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Bytes of the body in all. */
  size: number;
}

/** The code is that of Node, or one of TIMEOUT, TOO_MANY_REDIRECTS, ADDRESS_REFUSED, BAD_REDIRECT. */
export class ExchangeError extends Error {
  readonly code: string;
  constructor(code: string, message: string = code) {
    super(message);
    this.code = code;
  }
}

/** Agents of HTTP and HTTPS whose lookups the target policy checks; `atMost`: sockets to one host. */
export function openConnections(policy: TargetPolicy, options: { keepAlive: boolean; verifyTls: boolean; atMost: number }): Connections {
  const settings = { keepAlive: options.keepAlive, maxSockets: options.atMost, maxFreeSockets: options.atMost, lookup: policy.lookup };
  const http = new HttpAgent(settings);
  const https = new HttpsAgent({ ...settings, rejectUnauthorized: options.verifyTls });
  const close = () => {
    http.destroy();
    https.destroy();
  };
  return { http, https, policy, close };
}

/** One request and its answer, redirects followed: 301, 302 and 303 become a GET without body. */
export async function exchange(asked: SentRequest, connections: Connections, signal: AbortSignal): Promise<HttpResponse> {
  signal.throwIfAborted();
  // By hand: `AbortSignal.any` on a signal that lives as long as the load leaves a trace of each request.
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = asked.timeoutMs > 0 ? setTimeout(onAbort, Math.min(asked.timeoutMs, LONGEST_TIMER_MS)) : undefined;
  try {
    let next = asked;
    for (let followed = 0; ; followed += 1) {
      const answer = await once(next, connections, stop.signal);
      const redirected = asked.redirects > 0 ? redirect(next, answer) : undefined;
      if (redirected === undefined) return answer;
      if (followed >= asked.redirects) throw new ExchangeError('TOO_MANY_REDIRECTS');
      next = redirected;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (stop.signal.aborted) throw new ExchangeError('TIMEOUT', `no complete answer within ${asked.timeoutMs} ms`);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function redirect(asked: SentRequest, { status, headers }: HttpResponse): SentRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return undefined;
  const url = URL.parse(headers.location, asked.url.href);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new ExchangeError('BAD_REDIRECT');
  const elsewhere = url.origin === asked.url.origin ? [] : ['host', 'authorization', 'cookie'];
  const withoutBody = status < 307 && asked.method !== 'HEAD';
  const dropped = new Set([...elsewhere, ...(withoutBody ? ['content-type', 'content-length'] : [])]);
  return {
    ...asked,
    url,
    headers: Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !dropped.has(name.toLowerCase()))),
    ...(withoutBody && { method: 'GET', body: undefined }),
  };
}

async function once(
  { method, url, headers, body, keepBytes, connectMs = 0, family }: SentRequest,
  connections: Connections,
  signal: AbortSignal,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const refused = connections.policy.refuses(url.hostname);
  if (refused !== undefined) throw new ExchangeError('ADDRESS_REFUSED', refused);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isHttps = url.protocol === 'https:';
  // Node sends a body of a GET without a length, and servers pass over it.
  const sent = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
  const agent = isHttps ? connections.https : connections.http;
  const request = (isHttps ? httpsRequest : httpRequest)(url, {
    method,
    headers: sent,
    agent,
    maxHeaderSize: 65_536,
    ...(family && { family }),
  });
  const onAbort = () => request.destroy(new ExchangeError('ABORTED'));
  signal.addEventListener('abort', onAbort, { once: true });
  const late = new ExchangeError('TIMEOUT', `no connection within ${connectMs} ms`);
  const connecting = connectMs > 0 ? setTimeout(() => request.destroy(late), Math.min(connectMs, LONGEST_TIMER_MS)) : undefined;
  if (connecting)
    request.once('socket', (socket) => {
      if (!socket.connecting) return clearTimeout(connecting);
      socket.once(isHttps ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    });
  request.once('response', resolve);
  request.on('error', reject);
  request.end(body);
  try {
    const response = await promise;
    const kept: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      const bytes = chunk as Buffer;
      if (size < keepBytes) kept.push(bytes.subarray(0, keepBytes - size));
      size += bytes.length;
    }
    const { statusCode = 0, statusMessage: statusText = '' } = response;
    return { status: statusCode, statusText, headers: response.headers, body: Buffer.concat(kept), size };
  } catch (error) {
    request.destroy();
    throw error;
  } finally {
    clearTimeout(connecting);
    signal.removeEventListener('abort', onAbort);
  }
}

/** An error in a summary: a code, never an address with credentials. */
export function errorCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? 'Error');
}
