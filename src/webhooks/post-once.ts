import got, { RequestError } from 'got';
import { type Clock, deadlineAfter, systemClock } from '../api/clock.ts';
import {
  CONCEALED,
  codeOfError,
  type EgressPolicy,
  NotAllowedError,
  type OutgoingConnection,
  onlyWithin,
  openEgress,
  readUpTo,
} from '../api/outgoing.ts';
import type { HookCredentials } from './hook-secret.ts';

/** More than this of an answer is not read: it is shown, never used. */
const BODY_LIMIT_BYTES = 8192;

export interface Answered {
  status: number;
  body: string;
  /** Milliseconds that the server asks us to wait, from `Retry-After`. */
  retryAfterMs?: number;
}
export interface Unanswered {
  status?: never;
  /** Why, without the address: it may hold credentials. */
  cause: string;
  mayRetry: boolean;
}

export interface PostOptions {
  timeoutMs: number;
  verifyTls: boolean;
  signal: AbortSignal;
  /** Default: the machine's. */
  clock?: Clock | undefined;
  credentials?: HookCredentials | undefined;
  /** Default: straight. */
  egress?: EgressPolicy | undefined;
}

class RedirectedError extends Error {}
class RedirectNotAllowedError extends Error {}

/**
 * One POST of JSON, redirects followed as Go's client does (301, 302 and 303 become a GET without body). Throws only when
 * `signal` was aborted.
 */
export async function postOnce(
  url: URL,
  payload: object,
  { timeoutMs, verifyTls, signal, clock = systemClock, credentials, egress = openEgress }: PostOptions,
): Promise<Answered | Unanswered> {
  signal.throwIfAborted();
  const connection = egress(url);
  if ('problem' in connection) return { cause: connection.problem, mayRetry: false };
  const body = JSON.stringify(payload);
  const deadline = deadlineAfter(clock, timeoutMs);
  const request = got.stream.post(url, {
    body,
    headers: { 'content-type': 'application/json', ...credentials?.headers(body, url, clock.nowMs()) },
    retry: { limit: 0 },
    throwHttpErrors: false,
    methodRewriting: true,
    https: { rejectUnauthorized: verifyTls },
    ...(connection.agent && { agent: connection.agent }),
    hooks: {
      beforeRedirect: [
        (next) => {
          const onward = next.url instanceof URL ? egress(next.url) : undefined;
          if (onward && 'problem' in onward) throw new RedirectNotAllowedError(onward.problem);
          onward?.end();
        },
        // They may stand in any header, so such a redirect is refused rather than stripped.
        ...(credentials ? [onlyWithin(url, () => new RedirectedError())] : []),
      ],
    },
    signal: AbortSignal.any([signal, deadline.signal]),
  });
  // Destroying a half-read answer may report an error once more, which is ignored.
  request.on('error', () => undefined);
  try {
    return await readAnswer(request, connection);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.signal.aborted) return { cause: `no complete answer within ${timeoutMs} ms`, mayRetry: true };
    if (!(error instanceof Error)) throw error;
    if (error instanceof RedirectedError || error.cause instanceof RedirectedError)
      return { cause: 'it redirects to another address, and headers of a Secret go nowhere else', mayRetry: false };
    if (error instanceof RedirectNotAllowedError || error.cause instanceof RedirectNotAllowedError)
      return { cause: `it redirects, and ${error.message}`, mayRetry: false };
    return { cause: describe(error), mayRetry: !isPermanent(error) };
  } finally {
    deadline.end();
    request.destroy();
    connection.end();
  }
}

async function readAnswer(request: ReturnType<typeof got.stream.post>, { conceals }: OutgoingConnection): Promise<Answered> {
  const body = await readUpTo(request, BODY_LIMIT_BYTES);
  const { response } = request;
  if (!response) throw new RequestError('no response', { code: 'ECONNRESET' }, request.options);
  const retryAfterMs = retryAfter(response.headers['retry-after'], response.headers.date);
  return {
    status: response.statusCode,
    body: conceals?.() ? CONCEALED : body.subarray(0, BODY_LIMIT_BYTES).toString('utf8'),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Seconds, or a date, which is compared with the server's own clock so that ours need not agree. */
function retryAfter(header: string | undefined, serverDate: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const waitMs = Date.parse(header) - Date.parse(serverDate ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Certificates, redirect loops and bad schemes do not get better by asking again (02-8). */
function isPermanent(error: Error): boolean {
  const code = codeOfError(error) ?? '';
  return /CERT|SELF_SIGNED|UNABLE_TO|TLS_|SSL|TOO_MANY_REDIRECTS|UNSUPPORTED_PROTOCOL|INVALID/.test(code);
}

/** The code alone where the message is not ours: those of got and Node may quote the address. */
function describe(error: Error): string {
  if (error.cause instanceof NotAllowedError) return error.cause.message;
  return codeOfError(error) ?? error.name;
}
