import http from 'node:http';
import https from 'node:https';
import { type ApiOutage, isUnanswered } from './api-outage.ts';
import type { Clock } from './clock.ts';
import { sleep } from './clock.ts';
import type { Connection, TlsIdentity } from './connect.ts';
import { eachChunk } from './each-chunk.ts';
import { apiErrorOf, isConnectionFailure, RequestTimeoutError, SilentStreamError, UnreachableError } from './errors.ts';
import { atMost, FairQueue } from './fair-queue.ts';
import { lineOf, MOST_OF_LINE, MOST_OF_UPKEEP, MOST_UNDER_WAY } from './request-line.ts';
import { createTokenBucket } from './token-bucket.ts';

export type ApiVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'apply' | 'patch' | 'delete' | 'raw';

/** One call of the API server, as it is counted and sent. */
export interface ApiCall {
  verb: ApiVerb;
  /** Plural resource name, for metrics. */
  resource: string;
  subresource?: string | undefined;
  method: string;
  /** Below the connection's baseUrl, with query. */
  path: string;
  accept?: string;
  contentType?: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** No release waits for it: releases' requests go first. */
  isUpkeep?: boolean;
  /** Takes the parts of a good answer as they come; what it returns at the end is the answer's text. */
  read?: ((response: http.IncomingMessage) => Promise<string>) | undefined;
}

export interface ApiResponse {
  status: number;
  text: string;
  retryAfterMs?: number;
}

export interface FinishedRequest {
  verb: ApiVerb;
  resource: string;
  subresource?: string;
  /** 0: no answer. */
  status: number;
  durationMs: number;
}

export interface TransportOptions {
  /** How long a call may take with its retries, once the rate limit lets it out. */
  requestTimeoutMs: number;
  qps?: number | undefined;
  burst?: number | undefined;
  clock: Clock;
  onRequest?: ((request: FinishedRequest) => void) | undefined;
  /** Learns of each answer, and of each request without one. */
  outage?: ApiOutage | undefined;
  /** Called right before a call's bytes go out, after every wait; what it throws is the call's outcome, and nothing is sent. */
  beforeSend?: ((call: { verb: ApiVerb; resource: string }) => void) | undefined;
}

export interface Transport {
  /** Every answer, errors included, is a response; throws only where there is none. */
  send(call: ApiCall): Promise<ApiResponse>;
  /** The answer's body as it comes; an error answer throws an ApiError. No deadline but `signal`. */
  stream(call: ApiCall & { signal: AbortSignal }): Promise<http.IncomingMessage>;
  close(): void;
}

const maxAttempts = 4;

/** HTTP/1.1 with keep-alive to one API server. Retries only what the server itself asks to be sent again. */
export function createTransport(connection: Connection, options: TransportOptions): Transport {
  return new HttpTransport(connection, options);
}

class HttpTransport implements Transport {
  readonly #connection: Connection;
  readonly #options: TransportOptions;
  readonly #clock: Clock;
  readonly #queue: FairQueue;
  readonly #agents = new Map<TlsIdentity | undefined, http.Agent>();
  readonly #secure: boolean;

  constructor(connection: Connection, options: TransportOptions) {
    const { clock } = options;
    this.#connection = connection;
    this.#options = options;
    this.#clock = clock;
    const admission = atMost(MOST_UNDER_WAY, createTokenBucket(clock, options));
    this.#queue = new FairQueue({ clock, admission, perKey: MOST_OF_LINE, mostUpkeep: MOST_OF_UPKEEP });
    this.#secure = connection.baseUrl.startsWith('https:');
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agentNow(): http.Agent {
    if (this.#connection.agent !== undefined) return this.#connection.agent;
    const known = this.#agents.get(this.#connection.tls);
    if (known !== undefined) return known;
    const agent = this.#secure ? new https.Agent({ keepAlive: true, ...this.#connection.tls }) : new http.Agent({ keepAlive: true });
    this.#agents.set(this.#connection.tls, agent);
    return agent;
  }

  async #open(call: ApiCall, signal: AbortSignal): Promise<http.IncomingMessage> {
    // A credential plugin may wait for a login; the deadline and the caller's signal hold all the same.
    const credentials = await orAborted(this.#connection.headers(), signal);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const headers: Record<string, string | number> = {
      Accept: call.accept ?? 'application/json',
      'User-Agent': this.#connection.userAgent,
      ...credentials,
    };
    if (body !== undefined) {
      headers['Content-Type'] = call.contentType ?? 'application/json';
      headers['Content-Length'] = Buffer.byteLength(body);
    }
    signal.throwIfAborted();
    this.#options.beforeSend?.({ verb: call.verb, resource: call.resource });
    return new Promise((resolve, reject) => {
      const request = (this.#secure ? https : http).request(this.#connection.baseUrl + call.path, {
        method: call.method,
        headers,
        agent: this.#agentNow(),
        signal,
      });
      request.once('response', (response) => {
        this.#options.outage?.answered();
        if (response.statusCode === 401) this.#connection.refused?.();
        resolve(response);
      });
      request.on('error', (cause: NodeJS.ErrnoException) => {
        // The server closed an idle connection as we took it: a read is sent again, a write may have been done.
        if (request.reusedSocket && cause.code === 'ECONNRESET' && call.method === 'GET' && !signal.aborted)
          resolve(this.#open(call, signal));
        else reject(cause);
      });
      request.end(body);
    });
  }

  async #attempt(call: ApiCall, signal: AbortSignal): Promise<ApiResponse> {
    const startedAtMs = this.#clock.monotonicMs();
    let status = 0;
    try {
      const response = await this.#open(call, signal);
      const read = response.statusCode === 200 ? call.read : undefined;
      const text = await (read ?? readText)(response);
      status = response.statusCode ?? 0;
      const retryAfterMs = retryAfter(response.headers['retry-after'], this.#clock);
      return { status, text, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    } finally {
      this.#seen(call, status, startedAtMs);
    }
  }

  #seen(call: ApiCall, status: number, startedAtMs: number): void {
    const { verb, resource, subresource } = call;
    const durationMs = this.#clock.monotonicMs() - startedAtMs;
    this.#options.onRequest?.({ verb, resource, ...(subresource === undefined ? {} : { subresource }), status, durationMs });
  }

  async send(call: ApiCall): Promise<ApiResponse> {
    const ended = await this.#queue.turn(lineOf(call), { signal: call.signal, isUpkeep: call.isUpkeep });
    const what = `${call.method} ${call.path}`;
    const limit = new AbortController();
    const onAbort = () => limit.abort(call.signal?.reason);
    call.signal?.addEventListener('abort', onAbort, { once: true });
    const endsAtMs = this.#clock.monotonicMs() + this.#options.requestTimeoutMs;
    const cancelTimer = this.#clock.setTimer(this.#options.requestTimeoutMs, () =>
      limit.abort(new RequestTimeoutError(what, this.#options.requestTimeoutMs)),
    );
    try {
      for (let tries = 1; ; tries += 1) {
        const answer = await this.#attempt(call, limit.signal);
        const waitMs = answer.status === 429 || answer.status === 503 ? answer.retryAfterMs : undefined;
        // Longer than the deadline: the caller learns retryAfterMs and decides.
        if (waitMs === undefined || tries === maxAttempts || this.#clock.monotonicMs() + waitMs >= endsAtMs) return answer;
        await sleep(this.#clock, waitMs, limit.signal);
      }
    } catch (cause) {
      const error = limit.signal.aborted ? limit.signal.reason : isConnectionFailure(cause) ? new UnreachableError(what, cause) : cause;
      if (isUnanswered(error)) this.#options.outage?.failed(error);
      throw error;
    } finally {
      cancelTimer();
      call.signal?.removeEventListener('abort', onAbort);
      ended();
    }
  }

  async stream(call: ApiCall & { signal: AbortSignal }): Promise<http.IncomingMessage> {
    const ended = await this.#queue.turn(lineOf(call), { signal: call.signal, isUpkeep: call.isUpkeep });
    const startedAtMs = this.#clock.monotonicMs();
    let status = 0;
    try {
      const response = await this.#open(call, call.signal);
      status = response.statusCode ?? 0;
      if (status < 400) return response;
      const text = await readText(response);
      throw apiErrorOf(`${call.method} ${call.path}`, status, text, retryAfter(response.headers['retry-after'], this.#clock));
    } catch (cause) {
      if (call.signal.aborted) {
        const { reason } = call.signal;
        if (status === 0 && reason instanceof SilentStreamError) this.#options.outage?.failed(reason);
        throw reason;
      }
      if (!isConnectionFailure(cause)) throw cause;
      const error = new UnreachableError(`${call.method} ${call.path}`, cause);
      this.#options.outage?.failed(error);
      throw error;
    } finally {
      ended();
      this.#seen(call, status, startedAtMs);
    }
  }
}

/** The work's outcome, or the signal's reason as soon as it aborts; the work itself goes on. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Seconds, or an HTTP date; in milliseconds, never negative. */
function retryAfter(value: string | undefined, clock: Clock): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - clock.nowMs();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  await eachChunk(response, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
