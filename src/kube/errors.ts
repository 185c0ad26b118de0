/** The API server's refusal. `reason` is the Status' own word (`Conflict`, `Invalid` …), or `HTTP503` where it sent none. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly reason: string;
  /** What the server asked for in `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;

  constructor(message: string, refusal: { status: number; reason: string; retryAfterMs?: number | undefined }, options?: ErrorOptions) {
    super(message, options);
    this.status = refusal.status;
    this.reason = refusal.reason;
    if (refusal.retryAfterMs !== undefined) this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** No answer within the deadline. A write may have been done all the same. */
export class RequestTimeoutError extends Error {
  override readonly name = 'RequestTimeoutError';
  readonly timeoutMs: number;

  constructor(what: string, timeoutMs: number) {
    super(`${what}: no answer from the API server within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** The connection failed before an answer. A write may have been done all the same. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(what: string, cause: unknown) {
    super(`${what}: the API server cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

const hasStatus = (error: unknown, status: number): error is ApiError => error instanceof ApiError && error.status === status;

/** Somebody wrote first (409). Creating what exists is a conflict too: see `isAlreadyExists`. */
export const isConflict = (error: unknown): error is ApiError => hasStatus(error, 409);
export const isAlreadyExists = (error: unknown): error is ApiError => hasStatus(error, 409) && error.reason === 'AlreadyExists';
export const isNotFound = (error: unknown): error is ApiError => hasStatus(error, 404);
export const isForbidden = (error: unknown): error is ApiError => hasStatus(error, 403);
/** The object broke a schema or an admission rule (422). */
export const isInvalid = (error: unknown): error is ApiError => hasStatus(error, 422);
/** The resourceVersion asked for is no longer kept: list again (410). */
export const isGone = (error: unknown): error is ApiError => hasStatus(error, 410);

/** The refusal that an answer of 400 and above carries; proxies send plain text instead of a Status. */
export function apiErrorOf(what: string, status: number, body: string, retryAfterMs?: number): ApiError {
  const answer = parseStatus(body);
  const reason = answer?.reason ?? `HTTP${status}`;
  const message = answer?.message ?? body.trim().slice(0, 200);
  return new ApiError(`${what}: ${status} ${reason}${message === '' ? '' : `: ${message}`}`, { status, reason, retryAfterMs });
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
}

function parseStatus(body: string): StatusAnswer | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const raw: { kind?: unknown; reason?: unknown; message?: unknown; details?: { name?: unknown } } = JSON.parse(body);
    if (raw.kind !== 'Status') return undefined;
    return {
      ...(typeof raw.reason === 'string' && raw.reason !== '' ? { reason: raw.reason } : {}),
      ...(typeof raw.message === 'string' ? { message: raw.message } : {}),
      ...(typeof raw.details?.name === 'string' ? { name: raw.details.name } : {}),
    };
  } catch {
    return undefined; // not JSON after all: the caller shows the text
  }
}
