import { systemClock } from '../base/clock.ts';
import { idempotencyHeader, idempotencyValue } from '../base/idempotency-key.ts';
import { call, type OutgoingResponse, type OutgoingSettings } from '../outgoing/call.ts';
import type { HookCredentials } from './hook-secret.ts';

/** Longest part of an answer that is read: it is shown, never used. */
const BODY_LIMIT_BYTES = 8192;

export interface Answered {
  status: number;
  body: string;
  /** Wait that the server requires, in milliseconds, from `Retry-After`. */
  retryAfterMs?: number;
}
export interface Unanswered {
  status?: never;
  /** Cause without the address, which can hold credentials. */
  cause: string;
  mayRetry: boolean;
}

interface PostOptions extends OutgoingSettings {
  key: string;
  credentials?: HookCredentials | undefined;
}

/** One POST of JSON, redirects followed as Go's client does. Throws only when `signal` was aborted. */
export async function postOnce(url: URL, payload: object, options: PostOptions): Promise<Answered | Unanswered> {
  const { key, timeoutMs, signal, clock = systemClock, credentials } = options;
  const body = JSON.stringify(payload);
  const headers = {
    'content-type': 'application/json',
    [idempotencyHeader]: idempotencyValue(key),
    ...credentials?.headers(body, url, clock.nowMs()),
  };
  const response = await call(
    { url, method: 'POST', headers, body },
    { ...options, secrets: credentials?.secrets ?? [], redirects: 'anywhere', cutAtBytes: BODY_LIMIT_BYTES },
  );
  if (!('failed' in response)) return answered(response);
  if (response.failed === 'cancelled') signal.throwIfAborted();
  if (response.failed === 'late') return { cause: `no complete answer within ${timeoutMs} ms`, mayRetry: true };
  return { cause: response.why, mayRetry: !response.isLasting };
}

function answered({ status, body, headers }: OutgoingResponse): Answered {
  const retryAfterMs = retryAfter(textOf(headers['retry-after']), textOf(headers.date));
  return { status, body, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

const textOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** Seconds, or a date, which is compared with the server's own clock so that ours need not agree. */
function retryAfter(header: string | undefined, serverDate: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const waitMs = Date.parse(header) - Date.parse(serverDate ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
