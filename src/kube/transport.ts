import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../base/clock.ts';
import { sleep } from '../base/clock.ts';
import { keptIn } from '../base/once.ts';
import { type ApiCall, type ApiResponse, type ApiVerb, type BeforeSend, isWrite } from './api-call.ts';
import { type ApiOutage, isUnanswered } from './api-outage.ts';
import type { Connection, TlsIdentity } from './connect.ts';
import { eachChunk } from './each-chunk.ts';
import { apiErrorOf, isConnectionFailure, RequestTimeoutError, SilentStreamError, UnreachableError } from './errors.ts';
import { FairQueue } from './fair-queue.ts';
import { lineOf, MOST_OF_LINE, MOST_OF_UPKEEP, MOST_UNDER_WAY } from './request-line.ts';
import { orAborted, type PacedOutcome, type RequestPacing } from './request-pacing.ts';
import { createTokenBucket } from './token-bucket.ts';
import { WRITE_TIMEOUT_MS } from './write-deadline.ts';

export interface FinishedRequest {
  verb: ApiVerb;
  resource: string;
  subresource?: string;
  /** 0: no answer. */
  status: number;
  durationMs: number;
}

export interface TransportOptions {
  /** Time limit of a call with its retries, once the rate limit lets it out. With `pacing` it is the limit of each attempt of a read. */
  requestTimeoutMs: number;
  qps?: number | undefined;
  burst?: number | undefined;
  clock: Clock;
  onRequest?: ((request: FinishedRequest) => void) | undefined;
  /** Learns of each answer, and of each request without one. */
  outage?: ApiOutage | undefined;
  /**
   * Called right before a call's bytes go out, after every wait; what it throws is the call's outcome, and nothing is sent. A signal that it returns
   * cancels the call while it is under way.
   */
  beforeSend?: BeforeSend | undefined;
  /** Limits writes and retries. A write under way is not cancelled when its caller no longer waits. `undefined` sends every request at once. */
  pacing?: RequestPacing | undefined;
}

export interface Transport {
  /** Every answer, errors included, is a response. Throws only without an answer. */
  send(call: ApiCall): Promise<ApiResponse>;
  /** Streams the answer's body. An error answer throws an ApiError. No deadline but `signal`. */
  stream(call: ApiCall & { signal: AbortSignal }): Promise<http.IncomingMessage>;
  /** Resolves when no write is under way any more, also none that its caller has given up. */
  settled(): Promise<void>;
  close(): void;
}

const maxAttempts = 4;

/** One attempt of a call. */
interface Attempt {
  call: ApiCall;
  limit: AbortController;
  startedAtMs: number;
  /** The server might have received it. */
  isSent: boolean;
  /** Undoes what `beforeSend` has tied it to. */
  untie(): void;
}

/** HTTP/1.1 with keep-alive to one API server. Retries only requests for which the server itself requires a retry. */
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
  /** Outcomes of the writes under way, also of writes without a waiting caller. */
  readonly #writes = new Map<Attempt, Promise<unknown>>();

  constructor(connection: Connection, options: TransportOptions) {
    const { clock } = options;
    this.#connection = connection;
    this.#options = options;
    this.#clock = clock;
    this.#queue = new FairQueue({
      clock,
      admission: createTokenBucket(clock, options),
      perKey: MOST_OF_LINE,
      mostUnderWay: MOST_UNDER_WAY,
      mostOf: { initialization: MOST_OF_UPKEEP, upkeep: MOST_OF_UPKEEP },
      ...(options.pacing && { limitOf: options.pacing.limitOf }),
    });
    options.pacing?.watch(this.#queue);
    this.#secure = connection.baseUrl.startsWith('https:');
  }

  async settled(): Promise<void> {
    while (this.#writes.size > 0) await Promise.allSettled(this.#writes.values());
  }

  close(): void {
    for (const { limit } of this.#writes.keys()) limit.abort(new Error('the connection is closed'));
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agentNow(): http.Agent {
    if (this.#connection.agent !== undefined) return this.#connection.agent;
    const { tls } = this.#connection;
    return keptIn(this.#agents, tls, () =>
      this.#secure ? withOnePool(new https.Agent({ keepAlive: true, ...tls })) : new http.Agent({ keepAlive: true }),
    );
  }

  async #open(attempt: Attempt): Promise<http.IncomingMessage> {
    const { call } = attempt;
    const { signal } = attempt.limit;
    // A credential plugin can wait for a login: the deadline and the caller's signal hold nevertheless.
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
    this.#tie(attempt, this.#options.beforeSend?.({ verb: call.verb, resource: call.resource }));
    return new Promise((resolve, reject) => {
      const request = (this.#secure ? https : http).request(this.#connection.baseUrl + call.path, {
        method: call.method,
        headers,
        agent: this.#agentNow(),
      });
      // Node's own option `signal` does the same, but also listens to the ends of the stream.
      signal.addEventListener('abort', () => request.destroy(signal.reason), { once: true });
      request.once('response', (response) => {
        this.#options.outage?.answered();
        if (response.statusCode === 401) this.#connection.refused?.();
        resolve(response);
      });
      request.on('error', (cause: NodeJS.ErrnoException) => {
        // The server closed an idle connection as we took it: a read is sent again, but a write might have been carried out.
        if (request.reusedSocket && cause.code === 'ECONNRESET' && call.method === 'GET' && !signal.aborted) resolve(this.#open(attempt));
        else reject(cause);
      });
      attempt.isSent = true;
      request.end(body);
    });
  }

  #tie(attempt: Attempt, ends: AbortSignal | undefined): void {
    attempt.untie();
    if (ends === undefined) return;
    const onAbort = (): void => attempt.limit.abort(ends.reason);
    ends.addEventListener('abort', onAbort, { once: true });
    attempt.untie = () => ends.removeEventListener('abort', onAbort);
  }

  #begin(call: ApiCall): Attempt {
    return { call, limit: new AbortController(), startedAtMs: this.#clock.monotonicMs(), isSent: false, untie: () => undefined };
  }

  async #answerOf(attempt: Attempt): Promise<ApiResponse> {
    const startedAtMs = this.#clock.monotonicMs();
    let status = 0;
    try {
      const response = await this.#open(attempt);
      const read = response.statusCode === 200 ? attempt.call.read : undefined;
      const text = await (read ?? readText)(response);
      status = response.statusCode ?? 0;
      const retryAfterMs = retryAfter(response.headers['retry-after'], this.#clock);
      return { status, text, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    } finally {
      attempt.untie();
      this.#seen(attempt.call, status, startedAtMs);
    }
  }

  #seen(call: ApiCall, status: number, startedAtMs: number): void {
    const { verb, resource, subresource } = call;
    const durationMs = this.#clock.monotonicMs() - startedAtMs;
    this.#options.onRequest?.({ verb, resource, ...(subresource === undefined ? {} : { subresource }), status, durationMs });
  }

  #turnOf(call: ApiCall): Promise<() => void> {
    const { signal, priority } = call;
    const pool = this.#options.pacing?.poolOf(call);
    return this.#queue.turn(lineOf(call), { signal, priority, pool });
  }

  send(call: ApiCall): Promise<ApiResponse> {
    const { pacing } = this.#options;
    return pacing === undefined ? this.#sendAtOnce(call) : this.#sendPaced(call, pacing);
  }

  async #sendAtOnce(call: ApiCall): Promise<ApiResponse> {
    const ended = await this.#turnOf(call);
    const what = `${call.method} ${call.path}`;
    const attempt = this.#begin(call);
    const { limit } = attempt;
    const onAbort = () => limit.abort(call.signal?.reason);
    call.signal?.addEventListener('abort', onAbort, { once: true });
    const endsAtMs = this.#clock.monotonicMs() + this.#options.requestTimeoutMs;
    const cancelTimer = this.#clock.setTimer(this.#options.requestTimeoutMs, () =>
      limit.abort(new RequestTimeoutError(what, this.#options.requestTimeoutMs)),
    );
    try {
      for (let tries = 1; ; tries += 1) {
        const answer = await this.#answerOf(attempt);
        const waitMs = answer.status === 429 || answer.status === 503 ? answer.retryAfterMs : undefined;
        // Longer than the deadline: the caller learns retryAfterMs and decides.
        if (waitMs === undefined || tries === maxAttempts || this.#clock.monotonicMs() + waitMs >= endsAtMs) return answer;
        await sleep(this.#clock, waitMs, limit.signal);
      }
    } catch (cause) {
      throw this.#failureOf(attempt, cause);
    } finally {
      cancelTimer();
      call.signal?.removeEventListener('abort', onAbort);
      ended();
    }
  }

  /** Error of a call without an answer. */
  #failureOf({ call, limit }: Attempt, cause: unknown): unknown {
    const what = `${call.method} ${call.path}`;
    const error = limit.signal.aborted ? limit.signal.reason : isConnectionFailure(cause) ? new UnreachableError(what, cause) : cause;
    if (isUnanswered(error)) this.#options.outage?.failed(error);
    return error;
  }

  /** Sends again if the server requires it and the budget of retries allows it. A pause longer than the deadline is the caller's. */
  async #sendPaced(call: ApiCall, pacing: RequestPacing): Promise<ApiResponse> {
    for (let tries = 1; ; tries += 1) {
      const retried = await pacing.mayBegin(call);
      const ended = await this.#turnOf(call).catch((error: unknown) => {
        retried?.();
        throw error;
      });
      pacing.began(call, this.#queue.runningIn(pacing.poolOf(call)));
      const attempt = this.#begin(call);
      const outcome = this.#carryOut(attempt, pacing, retried !== undefined).finally(() => {
        ended();
        retried?.();
        this.#writes.delete(attempt);
      });
      if (isWrite(call)) this.#writes.set(attempt, outcome);
      const answer = isWrite(call) ? await this.#orAbandoned(attempt, outcome, pacing) : await outcome;
      const waitMs = answer.status === 429 || answer.status === 503 ? answer.retryAfterMs : undefined;
      if (waitMs === undefined || tries === maxAttempts || waitMs >= this.#options.requestTimeoutMs) return answer;
    }
  }

  /** Runs to the end of the attempt: a write under way does not end with its caller. */
  async #carryOut(attempt: Attempt, pacing: RequestPacing, wasRetry: boolean): Promise<ApiResponse> {
    const { call, limit, startedAtMs } = attempt;
    const timeoutMs = isWrite(call) ? WRITE_TIMEOUT_MS : this.#options.requestTimeoutMs;
    const onAbort = (): void => {
      if (!attempt.isSent || !isWrite(call)) limit.abort(call.signal?.reason);
    };
    if (call.signal?.aborted) onAbort();
    call.signal?.addEventListener('abort', onAbort, { once: true });
    const cancelTimer = this.#clock.setTimer(timeoutMs, () =>
      limit.abort(new RequestTimeoutError(`${call.method} ${call.path}`, timeoutMs)),
    );
    try {
      const answer = await this.#answerOf(attempt);
      pacing.ended(call, outcomeOf(answer), { startedAtMs, wasRetry, retryAfterMs: answer.retryAfterMs });
      return answer;
    } catch (cause) {
      const error = this.#failureOf(attempt, cause);
      pacing.ended(call, isUnanswered(error) ? 'overloaded' : 'neutral', { startedAtMs, wasRetry });
      if (isWrite(call) && attempt.isSent && limit.signal.aborted) pacing.cancelled(call, startedAtMs + WRITE_TIMEOUT_MS);
      throw error;
    } finally {
      cancelTimer();
      call.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** The outcome, or the reason of the caller's signal. */
  #orAbandoned(attempt: Attempt, outcome: Promise<ApiResponse>, pacing: RequestPacing): Promise<ApiResponse> {
    const { call } = attempt;
    const waited = orAborted(outcome, call.signal);
    waited.catch(() => {
      if (call.signal?.aborted && attempt.isSent) pacing.abandoned(call, outcome);
    });
    return waited;
  }

  async stream(call: ApiCall & { signal: AbortSignal }): Promise<http.IncomingMessage> {
    const ended = await this.#turnOf(call);
    const startedAtMs = this.#clock.monotonicMs();
    const attempt = this.#begin(call);
    const onAbort = (): void => attempt.limit.abort(call.signal.reason);
    if (call.signal.aborted) onAbort();
    call.signal.addEventListener('abort', onAbort, { once: true });
    let status = 0;
    try {
      const response = await this.#open(attempt);
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

/** The agent has one server and one identity: Node would build a name of all their certificates for each request. */
function withOnePool(agent: https.Agent): https.Agent {
  agent.getName = () => 'api-server';
  return agent;
}

/** Answers of a server that has too much to do. */
const OVERLOADED = new Set([429, 503, 504]);

function outcomeOf({ status }: ApiResponse): PacedOutcome {
  if (OVERLOADED.has(status)) return 'overloaded';
  return status >= 500 ? 'failed' : 'answered';
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
