import got, { RequestError } from 'got';
import { type Clock, deadlineAfter } from '../api/clock.ts';
import {
  codeOfError,
  type EgressPolicy,
  NOT_THROUGH_PROXY,
  NotAllowedError,
  type OutgoingConnection,
  onlyWithin,
  readUpTo,
} from '../api/outgoing.ts';
import { signatureHeader, signatureOf } from '../api/signature.ts';
import type { AlertFormat, AlertMessage, ReceiverSettings, SendOutcome } from './notifier.ts';
import { agentsFor, type ProxyEnvironment } from './proxy.ts';

/** More than this of an answer is not read. */
const BODY_LIMIT_BYTES = 8192;

interface Post {
  url: URL;
  format: AlertFormat;
  settings: ReceiverSettings;
  message: AlertMessage;
  proxy: string | undefined;
  environment: ProxyEnvironment;
  egress: EgressPolicy | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  clock: Clock;
}

/**
 * One POST, without retries: those are the queue's. Reasons name the host and a status or a code alone: the path of the address is often
 * the secret, a foreign body may echo it, and messages of libraries may quote either.
 */
export async function postAlert(post: Post): Promise<SendOutcome> {
  const { url, format, settings, message, proxy, environment, egress, timeoutMs, signal, clock } = post;
  signal.throwIfAborted();
  const connection = egress ? egress(url, proxy) : connectionOf(agentsFor(proxy, environment));
  if ('problem' in connection) return { ok: false, reason: connection.problem, retry: false };
  const { token, signingKey } = settings;
  const carriesCredentials = Boolean((format.takesToken && token) || (format.isSigned && signingKey) || url.username || url.password);
  if (egress && proxy !== undefined && url.protocol === 'http:' && carriesCredentials) {
    connection.end();
    return { ok: false, reason: `${url.host} cannot be called: ${NOT_THROUGH_PROXY}`, retry: false };
  }
  const body = JSON.stringify(format.body(message, settings));
  const deadline = deadlineAfter(clock, timeoutMs);
  const request = got.stream.post(url, {
    body,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': message.key,
      ...(format.takesToken && token ? { authorization: `Bearer ${token}` } : {}),
      ...(format.isSigned && signingKey ? { [signatureHeader]: signatureOf(body, signingKey) } : {}),
    },
    ...(connection.agent && { agent: connection.agent }),
    retry: { limit: 0 },
    throwHttpErrors: false,
    methodRewriting: true,
    maxRedirects: 5,
    hooks: { beforeRedirect: [onlyWithin(url, () => new RedirectedError())] },
    signal: AbortSignal.any([signal, deadline.signal]),
  });
  // Destroying a half-read answer may report an error once more, which is ignored.
  request.on('error', () => undefined);
  try {
    const { status, retryAfter } = await headOf(request);
    if (status >= 200 && status < 300) return accepted(format, url, format.judge ? await bodyOf(request) : '');
    const isPassing = status === 429 || (status >= 500 && status !== 501);
    return { ok: false, reason: `HTTP ${status} from ${url.host}`, retry: isPassing, ...(isPassing ? waitOf(retryAfter) : {}) };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.signal.aborted) return { ok: false, reason: `no answer from ${url.host} within ${timeoutMs} ms`, retry: true };
    return failed(error, url);
  } finally {
    deadline.end();
    request.destroy();
    connection.end();
  }
}

function connectionOf(agent: ReturnType<typeof agentsFor>): OutgoingConnection | { problem: string } {
  if (agent === undefined) return { problem: 'a proxy needs Node 22.21, 24.5 or later' };
  const end = () => {
    agent.http.destroy();
    agent.https.destroy();
  };
  return { agent, end };
}

function accepted({ judge }: AlertFormat, url: URL, body: string): SendOutcome {
  const refused = judge?.(body);
  return refused ? { ok: false, reason: `${refused.reason} (${url.host})`, retry: refused.retry } : { ok: true };
}

class RedirectedError extends Error {}

function failed(error: unknown, url: URL): SendOutcome {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (error instanceof RedirectedError || cause instanceof RedirectedError)
    return { ok: false, reason: `${url.host} redirects to another address, which is not followed`, retry: false };
  if (!(error instanceof Error)) throw error;
  if (cause instanceof NotAllowedError) return { ok: false, reason: `${url.host} cannot be called: ${cause.message}`, retry: true };
  return { ok: false, reason: `no answer from ${url.host}: ${codeOfError(error) ?? error.name}`, retry: true };
}

type Stream = ReturnType<typeof got.stream.post>;

function headOf(request: Stream): Promise<{ status: number; retryAfter: string | undefined }> {
  return new Promise((resolve, reject) => {
    request.once('response', ({ statusCode, headers }: { statusCode: number; headers: Record<string, string | undefined> }) =>
      resolve({ status: statusCode, retryAfter: headers['retry-after'] }),
    );
    request.once('error', reject);
  });
}

async function bodyOf(request: Stream): Promise<string> {
  const body = await readUpTo(request, BODY_LIMIT_BYTES);
  if (request.response?.complete === false && body.length < BODY_LIMIT_BYTES)
    throw new RequestError('cut off', { code: 'ECONNRESET' }, request.options);
  return body.toString('utf8');
}

/** Seconds alone: chat services send no dates here. */
function waitOf(retryAfter: string | undefined): { retryAfterMs?: number } {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter.trim()) ? { retryAfterMs: Number(retryAfter) * 1000 } : {};
}
