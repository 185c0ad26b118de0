import { idempotencyHeader, idempotencyValue } from '../base/idempotency-key.ts';
import { signatureHeader, signatureOf } from '../base/signature.ts';
import { call, type OutgoingFailure, type OutgoingSettings } from '../outgoing/call.ts';
import type { AlertFormat, AlertMessage, ReceiverSettings, SendOutcome } from './notifier.ts';

/** Longest part of an answer that is read. */
const BODY_LIMIT_BYTES = 8192;

interface Post extends OutgoingSettings {
  url: URL;
  format: AlertFormat;
  settings: ReceiverSettings;
  message: AlertMessage;
}

/**
 * One POST, without retries: the queue retries. Reasons name only the host and a status or a code: the path of the address is often a secret, and a foreign
 * body or the message of a library can quote it.
 */
export async function postAlert({ url, format, settings, message, ...options }: Post): Promise<SendOutcome> {
  const token = format.takesToken ? settings.token : undefined;
  const signingKey = format.isSigned ? settings.signingKey : undefined;
  const body = JSON.stringify(format.body(message, settings));
  const headers = {
    'content-type': 'application/json',
    [idempotencyHeader]: idempotencyValue(message.key),
    ...format.headers,
    ...(token && (format.tokenHeader ? { [format.tokenHeader]: token } : { authorization: `Bearer ${token}` })),
    ...(signingKey && { [signatureHeader]: signatureOf(body, signingKey) }),
  };
  const response = await call(
    { url, method: 'POST', headers, body },
    {
      ...options,
      secrets: [token, signingKey],
      redirects: 'sameOrigin',
      cutAtBytes: BODY_LIMIT_BYTES,
      readsBodyOf: (status) => (isAccepted(status) ? format.failureIn : format.refusal) !== undefined,
    },
  );
  if ('failed' in response) return failed(response, url, options);
  const { status } = response;
  if (isAccepted(status)) return outcomeOf(format, url, response.body);
  const refusal = format.refusal?.({ ...response, message });
  if (refusal === 'accepted') return { ok: true };
  const isPassing = refusal?.mayRetry ?? (status === 429 || (status >= 500 && status !== 501));
  return {
    ok: false,
    reason: `HTTP ${status} from ${url.host}${refusal ? `: ${refusal.words}` : ''}`,
    mayRetry: isPassing,
    ...(isPassing ? waitOf(response.headers['retry-after']) : {}),
  };
}

const isAccepted = (status: number): boolean => status >= 200 && status < 300;

function outcomeOf({ failureIn }: AlertFormat, url: URL, body: string): SendOutcome {
  const refused = failureIn?.(body);
  return refused ? { ok: false, reason: `${refused.reason} (${url.host})`, mayRetry: refused.mayRetry } : { ok: true };
}

function failed({ failed: how, why, isLasting }: OutgoingFailure, { host }: URL, { signal, timeoutMs }: OutgoingSettings): SendOutcome {
  if (how === 'cancelled') signal.throwIfAborted();
  if (how === 'late') return { ok: false, reason: `no answer from ${host} within ${timeoutMs} ms`, mayRetry: true };
  if (how === 'network') return { ok: false, reason: `no answer from ${host}: ${why}`, mayRetry: true };
  if (how === 'redirected') return { ok: false, reason: `${host} redirects to another address, which is not followed`, mayRetry: false };
  return { ok: false, reason: `${host} cannot be called: ${why}`, mayRetry: !isLasting };
}

/** Only seconds: chat services send no dates here. */
function waitOf(retryAfter: string | string[] | undefined): { retryAfterMs?: number } {
  const text = String(retryAfter ?? '').trim();
  return /^\d{1,6}$/.test(text) ? { retryAfterMs: Number(text) * 1000 } : {};
}
