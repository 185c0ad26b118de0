import got, { type Request, RequestError, type StreamOptions } from 'got';
import { type Clock, deadlineAfter, systemClock } from '../base/clock.ts';
import { redact, userInfoOf } from '../base/hide-secrets.ts';
import { carriesCredentials, connectionFor, type EgressPolicy, NotAllowedError, type OutgoingConnection } from './connection.ts';
import { failureWords, hasWords } from './failure-words.ts';
import { openEgress } from './own-egress.ts';
import { readBody, readUpTo, TooLongError } from './read-body.ts';
import type { TlsFiles } from './tls-files.ts';

/** One request of Serin to a server that is not its API server. */
export interface OutgoingRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string | string[]>>;
  body?: string | undefined;
}

/** Settings of a call, given by users or by the caller. */
export interface OutgoingSettings {
  timeoutMs: number;
  signal: AbortSignal;
  /** Default: the machine's. */
  clock?: Clock | undefined;
  /** Default: straight. */
  egress?: EgressPolicy | undefined;
  /** The egress proxy; the request takes no other route. */
  proxy?: string | undefined;
  tls?: TlsFiles | undefined;
  insecureSkipVerify?: boolean | undefined;
}

interface CallOptions extends OutgoingSettings {
  /** Texts of the request that no other server may get, and no text may show. Those of the URL need not be among them. */
  secrets: readonly (string | undefined)[];
  /** `manual`: an answer like others. `sameOrigin`: others are refused. `anywhere`: as far as the policy allows, and without credentials. */
  redirects: 'manual' | 'sameOrigin' | 'anywhere';
  /** Bytes of the answer that are read. Default: `MAX_BODY_BYTES`, and a longer one is a failure. */
  cutAtBytes?: number | undefined;
  /** Default: the body of every answer is read. */
  readsBodyOf?: ((status: number) => boolean) | undefined;
}

/** An answer with any status. */
export interface OutgoingResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  /** Its body is replaced by `CONCEALED`: it may neither be shown nor used. */
  isConcealed: boolean;
}

/** Reason for a missing answer. No text holds an address or a credential. */
export interface OutgoingFailure {
  /** `cancelled`: the signal was aborted. `late`: the time was over. `refused`: a rule of ours. */
  failed: 'cancelled' | 'late' | 'notAllowed' | 'redirected' | 'tooLong' | 'network';
  /** Reason in words for the user, for all but the first two. */
  why: string;
  /** For a failure of the network: our words, or words of Node or TLS, without the secrets. They can quote the address. */
  message: string;
  /** No connection could be made, or none was kept: the address can be wrong. */
  isUnreachable?: boolean;
  /** Another attempt would fail in the same way. */
  isLasting: boolean;
}

/** Replaces the text of an answer that is concealed. */
export const CONCEALED = 'what it says is not shown, since --allowed-addresses does not name its address';
/** Limits of Go's client, and of our earlier ones. */
const MOST_REDIRECTS = { anywhere: 10, sameOrigin: 5, manual: 0 } as const;

/**
 * One request, redirects included, under the rules that hold for every outgoing call: allowed addresses, no credentials to another origin or to a proxy that
 * reads them, a limit of time and bytes, and no secret in what comes back as an error. Never throws.
 */
export async function call(request: OutgoingRequest, options: CallOptions): Promise<OutgoingResponse | OutgoingFailure> {
  const { url } = request;
  const { timeoutMs, signal, clock = systemClock, egress = openEgress, proxy, secrets } = options;
  if (signal.aborted) return failure('cancelled', '', false);
  const connection = connectionFor(url, { egress, proxy, secrets });
  if ('problem' in connection) return failure('notAllowed', connection.problem);
  const deadline = deadlineAfter(clock, timeoutMs);
  const over = AbortSignal.any([signal, deadline.signal]);
  const stream = got.stream(url, streamOptions(request, options, connection, over));
  // Destroying a half-read answer can report an error once more, which is ignored.
  stream.on('error', () => undefined);
  try {
    return await readAnswer(stream, connection, options, over);
  } catch (error) {
    if (signal.aborted) return failure('cancelled', '', false);
    if (deadline.signal.aborted) return failure('late', '', false);
    return failureOf(error, [...secrets, ...userInfoOf(url.href)]);
  } finally {
    deadline.end();
    stream.destroy();
    connection.end();
  }
}

function streamOptions(
  { url, method, headers, body }: OutgoingRequest,
  { tls, insecureSkipVerify, ...options }: CallOptions,
  { agent }: OutgoingConnection,
  signal: AbortSignal,
): StreamOptions {
  return {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    ...(agent && { agent }),
    signal,
    retry: { limit: 0 },
    throwHttpErrors: false,
    // Like Go's client: 301, 302 and 303 become a GET without body.
    methodRewriting: true,
    followRedirect: options.redirects !== 'manual',
    maxRedirects: MOST_REDIRECTS[options.redirects],
    https: {
      rejectUnauthorized: insecureSkipVerify !== true,
      ...(tls?.ca && { certificateAuthority: tls.ca }),
      ...(tls?.cert && tls.key && { certificate: tls.cert, key: tls.key }),
    },
    hooks: { beforeRedirect: [(next) => void (next.url instanceof URL && judgeRedirect(url, next.url, options))] },
  };
}

class RedirectError extends Error {}

/** Throws if a redirect is not followed. Any header can hold credentials, so such a redirect is refused rather than stripped. */
function judgeRedirect(from: URL, to: URL, { redirects, secrets, egress = openEgress, proxy }: CallOptions): void {
  const isElsewhere = to.origin !== from.origin;
  if (isElsewhere && redirects === 'sameOrigin') throw new RedirectError('it redirects to another address');
  if (isElsewhere && carriesCredentials(from, secrets))
    throw new RedirectError('it redirects to another address, and its credentials go nowhere else');
  const onward = connectionFor(to, { egress, proxy, secrets });
  if ('problem' in onward) throw new RedirectError(`it redirects, and ${onward.problem}`);
  onward.end();
}

async function readAnswer(
  stream: Request,
  connection: OutgoingConnection,
  { cutAtBytes, readsBodyOf }: CallOptions,
  over: AbortSignal,
): Promise<OutgoingResponse> {
  const answered = async (): Promise<string> => {
    if (readsBodyOf && !readsBodyOf(await statusOf(stream))) return '';
    return cutAtBytes === undefined ? readBody(stream, connection, over) : readUpTo(stream, cutAtBytes);
  };
  const body = await answered();
  const { response } = stream;
  if (!response) throw new RequestError('no response', { code: 'ECONNRESET' }, stream.options);
  const isConcealed = connection.conceals?.() ?? false;
  return { status: response.statusCode, headers: response.headers, body: isConcealed ? CONCEALED : body, isConcealed };
}

function statusOf(stream: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    stream.once('response', ({ statusCode }: { statusCode: number }) => resolve(statusCode));
    stream.once('error', reject);
  });
}

function failure(failed: OutgoingFailure['failed'], why: string, isLasting = true, message = why): OutgoingFailure {
  return { failed, why, message, isLasting };
}

function failureOf(error: unknown, secrets: readonly (string | undefined)[]): OutgoingFailure {
  const known = [error, error instanceof Error ? error.cause : undefined];
  const redirected = known.find((one) => one instanceof RedirectError);
  if (redirected) return failure('redirected', redirected.message);
  const notAllowed = known.find((one) => one instanceof NotAllowedError);
  // The name can have another address next time.
  if (notAllowed) return failure('notAllowed', notAllowed.message, false);
  if (error instanceof TooLongError) return failure('tooLong', error.message);
  const code = error instanceof Error ? (codeOf(error) ?? error.name) : 'Error';
  const words = failureWords(code);
  const isKnown = hasWords(code);
  return {
    ...failure('network', words, isLasting(code), isKnown ? words : redact(error, secrets)),
    ...(isKnown && { isUnreachable: true }),
  };
}

/** The code of a request's error, where it is the cause that says more. */
function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  const { code: inner } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === undefined || code === 'ERR_GOT_REQUEST_ERROR' || code === 'ERR_READING_RESPONSE_STREAM' ? (inner ?? code) : code;
}

/** Errors of certificates, redirect loops and bad schemes stay the same on a retry. */
const isLasting = (code: string): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO|TLS_|SSL|TOO_MANY_REDIRECTS|UNSUPPORTED_PROTOCOL|INVALID/.test(code);
