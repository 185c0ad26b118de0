import { deadlineAfter, sleep, systemClock } from '../../base/clock.ts';
import { call, type OutgoingFailure, type OutgoingSettings } from '../../outgoing/call.ts';

/** Reason for which the value in a concealed response is not used. */
export const NOT_USED = 'from an address whose answers count only where --allowed-addresses or --allowed-local-addresses names it';

/** One request to a metric backend. */
export interface BackendRequest {
  url: URL;
  /** Default: GET, or POST with a body. */
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string;
}

/** `timeoutMs`: for the whole call, including redirects and retries. */
export interface AskOptions extends OutgoingSettings {
  /** The backend's name for the user: `Prometheus`. */
  who: string;
  /** Further tries after a temporary failure of the first; all of them within `timeoutMs`. Default: 0. */
  retries?: number | undefined;
  /** Texts that must not appear in any reason: keys, tokens, passwords. */
  secrets: readonly (string | undefined)[];
}

/** The response with any status, or the reason for which it could not be read. `reason` contains no credentials. */
/** `isUnreachable`: no connection could be made, so that the address can be wrong. */
export type BackendResponse = { status: number; body: string } | { kind: 'error'; reason: string; isUnreachable?: true };

/** Sends a request once, plus up to `retries` times: a check is repeated at the next interval anyhow. Never throws. */
export async function sendRequest(what: BackendRequest, options: AskOptions): Promise<BackendResponse> {
  const { clock = systemClock } = options;
  const { signal: deadline, end } = deadlineAfter(clock, options.timeoutMs);
  try {
    for (let tries = 0; ; tries += 1) {
      const response = await askOnce(what, options, deadline);
      const isOver = options.signal.aborted || deadline.aborted;
      if (isOver || tries >= Math.min(options.retries ?? 0, MOST_RETRIES) || !mayPass(response)) return response;
      const over = AbortSignal.any([options.signal, deadline]);
      await sleep(clock, FIRST_PAUSE_MS * 2 ** tries, over).catch(() => undefined);
    }
  } finally {
    end();
  }
}

const MOST_RETRIES = 5;
const FIRST_PAUSE_MS = 200;

/** A retry can help. An error is one of the network, or of a bad address, for which a retry does no harm. */
const mayPass = (answer: BackendResponse): boolean =>
  'kind' in answer || answer.status === 429 || (answer.status >= 500 && answer.status !== 501);

async function askOnce(
  { url, method, headers = {}, body }: BackendRequest,
  options: AskOptions,
  deadline: AbortSignal,
): Promise<BackendResponse> {
  const request = { url, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body } as const;
  const response = await call(request, { ...options, redirects: 'sameOrigin', signal: AbortSignal.any([options.signal, deadline]) });
  if ('failed' in response)
    return { kind: 'error', reason: reasonOf(response, url, options), ...(response.isUnreachable && { isUnreachable: true }) };
  const { status, isConcealed } = response;
  if (isConcealed && status < 300) return { kind: 'error', reason: `${options.who} at ${url.origin} answered, but ${NOT_USED}` };
  return { status, body: response.body };
}

function reasonOf({ failed, message }: OutgoingFailure, url: URL, { who, timeoutMs, signal }: AskOptions): string {
  if (failed === 'tooLong') return message;
  if (signal.aborted) return 'the query was cancelled';
  if (failed === 'late' || failed === 'cancelled') return `${who} did not answer within ${timeoutMs} ms`;
  return `${who} at ${url.origin} cannot be queried: ${message}`;
}
