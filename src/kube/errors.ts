/**
 * The part of the API server that answered 403: an authorizer, or the quota of this name; or a namespace that does not exist (404), or is being deleted (403,
 * without a name). Admission rules and policies are none of them.
 */
export type Denial = { by: 'authorization' } | { by: 'quota'; quota: string } | { by: 'namespace'; namespace?: string };

/** The API server's refusal. `reason` is the Status' own word (`Conflict`, `Invalid` …), or `HTTP503` where it sent none. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly reason: string;
  /** The server's `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
  /** `undefined` if it is not known, or for another status. */
  readonly denial?: Denial;

  constructor(
    message: string,
    refusal: { status: number; reason: string; retryAfterMs?: number | undefined; denial?: Denial | undefined },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = refusal.status;
    this.reason = refusal.reason;
    if (refusal.retryAfterMs !== undefined) this.retryAfterMs = refusal.retryAfterMs;
    if (refusal.denial !== undefined) this.denial = refusal.denial;
  }
}

/** No answer arrived within the deadline. A write might have succeeded nevertheless. */
export class RequestTimeoutError extends Error {
  override readonly name = 'RequestTimeoutError';
  readonly timeoutMs: number;

  constructor(what: string, timeoutMs: number) {
    super(`${what}: no answer from the API server within ${Math.round(timeoutMs)} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** The connection failed before an answer. A write might have succeeded nevertheless. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(what: string, cause: unknown) {
    const remedy = remedyFor(cause);
    super(`${what}: the API server cannot be reached: ${reasonOf(cause)}${remedy === undefined ? '' : `: ${remedy}`}`, { cause });
  }
}

/** A watch on which nothing came for so long that its connection counts as dead. */
export class SilentStreamError extends Error {
  override readonly name = 'SilentStreamError';

  constructor(what: string, silentMs: number) {
    super(`watch of ${what}: nothing heard for ${silentMs} ms`);
  }
}

/** A name with several addresses fails with an error that is silent itself and holds one for each. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.map(reasonOf).join(', ');
  if (!(cause instanceof Error)) return String(cause);
  // OpenSSL's messages end with a line break.
  return cause.message.replace(/\s+/g, ' ').trim() || String('code' in cause ? cause.code : cause.name);
}

const CHECK_ADDRESS = 'correct the server in the kubeconfig (or --master), or start it';
const CHECK_CA = 'correct certificate-authority in the kubeconfig: it did not sign this server’s certificate';

/** Remedies for failures that a wrong kubeconfig causes, by Node's code. */
const REMEDIES: Record<string, string> = {
  ECONNREFUSED: CHECK_ADDRESS,
  ENOTFOUND: CHECK_ADDRESS,
  EHOSTUNREACH: CHECK_ADDRESS,
  ENETUNREACH: CHECK_ADDRESS,
  EPROTO: 'if the server does not speak TLS at this port, write http:// instead of https://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS at this port: write http:// instead of https://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS at this port: write http:// instead of https://',
  SELF_SIGNED_CERT_IN_CHAIN: CHECK_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: CHECK_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CHECK_CA,
  UNABLE_TO_GET_ISSUER_CERT: CHECK_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CHECK_CA,
  CERT_SIGNATURE_FAILURE: CHECK_CA,
  CERT_HAS_EXPIRED: 'renew the server’s certificate, or set this machine’s clock',
  CERT_NOT_YET_VALID: 'set this machine’s clock, or wait until the certificate is valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use a server name that its certificate is for, or set tls-server-name in the kubeconfig',
};

function remedyFor(cause: unknown): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code.startsWith('ERR_SSL_') && /CERTIFICATE|UNKNOWN_CA/.test(code.split('ALERT')[1] ?? ''))
    return 'the server refuses the client certificate: renew client-certificate and client-key in the kubeconfig';
  return REMEDIES[code];
}

const hasStatus = (error: unknown, status: number): error is ApiError => error instanceof ApiError && error.status === status;

/** Another writer was first (409). Creating what exists is a conflict too: see `isAlreadyExists`. */
export const isConflict = (error: unknown): error is ApiError => hasStatus(error, 409);
export const isAlreadyExists = (error: unknown): error is ApiError => hasStatus(error, 409) && error.reason === 'AlreadyExists';
export const isNotFound = (error: unknown): error is ApiError => hasStatus(error, 404);
export const isForbidden = (error: unknown): error is ApiError => hasStatus(error, 403);
/** The object broke a schema or an admission rule (422). */
export const isInvalid = (error: unknown): error is ApiError => hasStatus(error, 422);
/** The content, or the requester, is not accepted: by a schema, a policy or a role. An older CRD answers a field that it does not know with 500. */
export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && [400, 403, 422, 500].includes(error.status);
/** The requested resourceVersion has expired: list again (410). */
export const isGone = (error: unknown): error is ApiError => hasStatus(error, 410);

/** A 403 names the user and the right that is missing; a 401 says nothing. */
const RENEW =
  'the credentials are not accepted: renew the token or the certificate that the kubeconfig (or the pod’s service account) gives';

/** The error in an answer of 400 and above; proxies send plain text instead of a Status. */
export function apiErrorOf(what: string, status: number, body: string, retryAfterMs?: number): ApiError {
  const answer = parseStatus(body);
  const reason = answer?.reason ?? `HTTP${status}`;
  const message = answer?.message ?? body.trim().slice(0, 200);
  const wayOut = status === 401 ? `: ${RENEW}` : '';
  return new ApiError(`${what}: ${status} ${reason}${message === '' ? '' : `: ${message}`}${wayOut}`, {
    ...{ status, reason, retryAfterMs },
    denial: byNamespace(status, answer) ?? (status === 403 ? denialIn(message) : undefined),
  });
}

/** Sources: k8s.io/apiserver plugin/pkg/admission/namespace/lifecycle, k8s.io/api core/v1 NamespaceTerminatingCause. */
function byNamespace(status: number, { name, ofKind, causes = [] }: StatusAnswer = {}): Denial | undefined {
  if (status === 404 && ofKind === 'namespaces' && name !== undefined) return { by: 'namespace', namespace: name };
  return status === 403 && causes.includes('NamespaceTerminating') ? { by: 'namespace' } : undefined;
}

/**
 * A Status names the quota or the missing right only in its message. The API server writes its beginning: the object, then the text of its own authorizer or
 * quota. Texts of webhooks and policies follow a beginning that names them, so their words decide nothing.
 * Sources: k8s.io/apimachinery api/errors NewForbidden, k8s.io/apiserver endpoints/handlers/responsewriters, plugin/pkg/admission/resourcequota.
 */
function denialIn(message: string): Denial | undefined {
  const said = message.replace(/^(?:\S+(?: "[^"]*")? is )?forbidden: /, '');
  const quota = /^exceeded quota: ([a-z0-9][a-z0-9.-]{0,252}), requested: /.exec(said)?.[1];
  if (quota !== undefined) return { by: 'quota', quota };
  return /^User "[^"]*" cannot /.test(said) ? { by: 'authorization' } : undefined;
}

/** True when the 404 speaks of one named object, and not of a resource type that is not served. */
export function namesAnObject(body: string): boolean {
  const name = parseStatus(body)?.name;
  return name !== undefined && name !== '';
}

interface StatusAnswer {
  reason?: string;
  message?: string;
  name?: string;
  /** The resource of that name. */
  ofKind?: string;
  /** Reasons of its causes. */
  causes?: string[];
}

function parseStatus(body: string): StatusAnswer | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const raw: { kind?: unknown; reason?: unknown; message?: unknown; details?: { name?: unknown; kind?: unknown; causes?: unknown } } =
      JSON.parse(body);
    if (raw.kind !== 'Status') return undefined;
    return {
      ...(typeof raw.reason === 'string' && raw.reason !== '' ? { reason: raw.reason } : {}),
      ...(typeof raw.message === 'string' ? { message: raw.message } : {}),
      ...(typeof raw.details?.name === 'string' ? { name: raw.details.name } : {}),
      ...(typeof raw.details?.kind === 'string' ? { ofKind: raw.details.kind } : {}),
      ...(Array.isArray(raw.details?.causes)
        ? { causes: raw.details.causes.flatMap((one) => (typeof one?.reason === 'string' ? one.reason : [])) }
        : {}),
    };
  } catch {
    return undefined; // not JSON after all: the caller shows the text
  }
}

/** Node's socket, DNS and TLS errors carry a code. Errors of `beforeSend` or an authenticator are passed on unmodified. */
export const isConnectionFailure = (cause: unknown): boolean => (cause instanceof Error && 'syscall' in cause ? true : hasNodeCode(cause));

const hasNodeCode = (cause: unknown): boolean =>
  cause instanceof Error &&
  'code' in cause &&
  typeof cause.code === 'string' &&
  /^(E[A-Z]+|ERR_|HPE_|UNABLE_|CERT_|DEPTH_|SELF_|INVALID_|HOSTNAME_|PATH_)/.test(cause.code);

/** Reason for a missing answer of the API server, without the request. For a failed connection its cause, as `connect ECONNREFUSED`. */
export function outageReason(error: unknown): string {
  if (error instanceof UnreachableError) return reasonOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}
