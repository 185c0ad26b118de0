import got, { type StreamOptions } from 'got';
import { type Clock, deadlineAfter, sleep, systemClock } from '../../api/clock.ts';
import { userInfoOf } from '../../api/hide-secrets.ts';
import { CONCEALED, type EgressPolicy, NOT_THROUGH_PROXY, NOT_USED, onlyWithin, openEgress } from '../../api/outgoing.ts';
import { readBody, TooLongError } from './read-body.ts';
import { redact } from './redact.ts';
import type { TlsFiles } from './tls-files.ts';

/** One request to a metric backend. */
export interface BackendRequest {
  url: URL;
  /** Default: GET, or POST where there is a body. */
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string;
}

export interface AskOptions {
  /** The backend's name for the user: `Prometheus`. */
  who: string;
  /** For the whole call, redirects included. */
  timeoutMs: number;
  insecureSkipVerify?: boolean | undefined;
  /** Default: straight. */
  egress?: EgressPolicy | undefined;
  /** The egress proxy; the request takes no other route. */
  proxy?: string | undefined;
  tls?: TlsFiles | undefined;
  /** More tries, where a first one may have met a moment's trouble; all of them within `timeoutMs`. Default: 0. */
  retries?: number | undefined;
  /** Texts that no reason may show: keys, tokens, passwords. */
  secrets: readonly (string | undefined)[];
  signal: AbortSignal;
  /** Default: the machine's. */
  clock?: Clock | undefined;
}

/** The answer, whatever its status; or why it could not be read. `reason` holds no credentials. */
export type BackendResponse = { status: number; body: string } | { kind: 'error'; reason: string };

/** Asks once, or as often again as `retries` says: a check comes again with the next interval anyhow. Never throws. */
export async function ask(what: BackendRequest, options: AskOptions): Promise<BackendResponse> {
  const { clock = systemClock } = options;
  const { signal: deadline, end } = deadlineAfter(clock, options.timeoutMs);
  try {
    for (let tries = 0; ; tries += 1) {
      const answer = await askOnce(what, options, deadline);
      const isOver = options.signal.aborted || deadline.aborted;
      if (isOver || tries >= Math.min(options.retries ?? 0, MOST_RETRIES) || !mayPass(answer)) return answer;
      const over = AbortSignal.any([options.signal, deadline]);
      await sleep(clock, FIRST_PAUSE_MS * 2 ** tries, over).catch(() => undefined);
    }
  } finally {
    end();
  }
}

const MOST_RETRIES = 5;
const FIRST_PAUSE_MS = 200;

/** Whether a retry may help. An error is one of the network, or of a bad address, which a retry does not harm. */
const mayPass = (answer: BackendResponse): boolean =>
  'kind' in answer || answer.status === 429 || (answer.status >= 500 && answer.status !== 501);

async function askOnce(
  { url, method, headers = {}, body }: BackendRequest,
  options: AskOptions,
  deadline: AbortSignal,
): Promise<BackendResponse> {
  const { who, timeoutMs, insecureSkipVerify, signal, tls } = options;
  const connection = (options.egress ?? openEgress)(url, options.proxy);
  if ('problem' in connection) return { kind: 'error', reason: `${who} at ${url.origin} cannot be asked: ${connection.problem}` };
  if (options.proxy !== undefined && url.protocol === 'http:' && [...options.secrets, url.username, url.password].some(Boolean)) {
    connection.end();
    return { kind: 'error', reason: `${who} at ${url.origin} cannot be asked: ${NOT_THROUGH_PROXY}` };
  }
  const over = AbortSignal.any([signal, deadline]);
  const request: StreamOptions = {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...headers },
    signal: over,
    retry: { limit: 0 },
    throwHttpErrors: false,
    maxRedirects: 5,
    ...(connection.agent && { agent: connection.agent }),
    https: {
      rejectUnauthorized: insecureSkipVerify !== true,
      ...(tls?.ca && { certificateAuthority: tls.ca }),
      ...(tls?.cert && tls.key && { certificate: tls.cert, key: tls.key }),
    },
    hooks: { beforeRedirect: [onlyWithin(url, () => new Error('it redirects to another address'))] },
    ...(body === undefined ? {} : { body }),
  };
  try {
    const { response, body: text } = await readBody(got.stream(url, request), connection, over);
    const isConcealed = connection.conceals?.() ?? false;
    if (isConcealed && response.statusCode < 300) return { kind: 'error', reason: `${who} at ${url.origin} answered, but ${NOT_USED}` };
    return { status: response.statusCode, body: isConcealed ? CONCEALED : text };
  } catch (error) {
    if (error instanceof TooLongError) return { kind: 'error', reason: error.message };
    if (signal.aborted) return { kind: 'error', reason: 'the query was cancelled' };
    if (deadline.aborted) return { kind: 'error', reason: `${who} did not answer within ${timeoutMs} ms` };
    const why = redact(error, [...options.secrets, ...userInfoOf(url.href)]);
    return { kind: 'error', reason: `${who} at ${url.origin} cannot be asked: ${why}` };
  } finally {
    connection.end();
  }
}
