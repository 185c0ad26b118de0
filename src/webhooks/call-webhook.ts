import type { HookType, Webhook } from '../api/canary.ts';
import { type ReadSecret, RefusedSecret } from '../api/secret-use.ts';
import { atOnce, type Turns } from '../api/turns.ts';
import { type Clock, sleep, systemClock } from '../base/clock.ts';
import { hideSecrets, userInfoOf } from '../base/hide-secrets.ts';
import type { EgressPolicy } from '../outgoing/connection.ts';
import { attemptsOf, attemptTimeoutMs, MAX_WAIT_MS } from './call-time.ts';
import type { HookPayload } from './hook-payload.ts';
import { type HookCredentials, hookCredentials } from './hook-secret.ts';
import { type Answered, postOnce, type Unanswered } from './post-once.ts';

export type HookOutcome =
  | { outcome: 'passed'; body: string }
  /** `status`: of the last answer, `undefined` if no answer came, or if the call could not be made. */
  | { outcome: 'refused'; reason: string; status?: number };

/** Result of one attempt: a good answer, another answer, or no answer. */
export type CallResult = 'passed' | 'refused' | 'unanswered';
/** Called when an attempt begins; the function that it returns is called with the result, unless the attempt was cancelled. */
export type TimeCall = (type: HookType) => (result: CallResult) => void;

export interface CallOptions {
  /** Idempotency key of what the call is about, the same for its retries. */
  key: string;
  /** Aborting makes the call throw the signal's reason: a cancelled question has no answer. */
  signal: AbortSignal;
  /** Bounds each attempt; default: the machine's. */
  clock?: Clock | undefined;
  /** Waits between attempts; default: by the clock. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Reads the Secret that a webhook names. */
  secret?: ReadSecret;
  /** Egress policy for the addresses in Canaries. Default: a direct connection. */
  egress?: EgressPolicy | undefined;
  /** Decides when attempts can begin. Default: at once. */
  turns?: Turns | undefined;
  /** Called after each attempt, without a status if no answer came. */
  answered?: ((call: { webhook: string; status?: number }) => void) | undefined;
  /** Takes the time of each attempt; default: off. */
  timeCall?: TimeCall | undefined;
}

const SHOWN_CHARACTERS = 512;
/** Types whose receivers answer 204 to say no. */
const ANSWERS_204_FOR_NO: ReadonlySet<HookType> = new Set([
  'confirm-rollout',
  'confirm-traffic-increase',
  'confirm-promotion',
  'rollback',
] as const);

/**
 * Calls a webhook, with its retries: on a failure of the network, 429 and 5xx other than 501, after 1, 2, 4 … 30 s or what
 * `Retry-After` says, at most 30 s. A failure names the status and shows the body, on one line.
 */
export async function callWebhook(webhook: Webhook, payload: HookPayload, options: CallOptions): Promise<HookOutcome> {
  const { key, signal, clock = systemClock, secret, egress, turns = atOnce, timeCall, answered: heard } = options;
  const { pause = (ms: number, until: AbortSignal) => sleep(clock, ms, until) } = options;
  const url = httpUrl(webhook.url);
  if (!url) return { outcome: 'refused', reason: 'its url is not an http or https address' };
  const timeoutMs = attemptTimeoutMs(webhook);
  if (!timeoutMs) return { outcome: 'refused', reason: `its timeout ${oneLine(webhook.timeout ?? '', 40)} is not a duration` };

  const credentials = await credentialsFor(webhook, payload.namespace, secret, signal);
  if (credentials && 'problem' in credentials) return { outcome: 'refused', reason: credentials.problem };
  const secrets = [...userInfoOf(webhook.url), ...addressOf(webhook, url), ...(credentials?.secrets ?? [])];

  const lastAttempt = attemptsOf(webhook);
  for (let attempt = 1; ; attempt += 1) {
    const response = await turns.run(async () => {
      const ended = timeCall?.(webhook.type ?? '');
      const answered = await postOnce(url, payload, {
        key,
        timeoutMs,
        insecureSkipVerify: webhook.disableTLS,
        signal,
        clock,
        credentials,
        egress,
      });
      ended?.(answered.status === undefined ? 'unanswered' : isSuccess(answered.status, webhook.type ?? '') ? 'passed' : 'refused');
      return answered;
    }, signal);
    heard?.({ webhook: webhook.name, ...(response.status !== undefined && { status: response.status }) });
    const isGood = response.status !== undefined && isSuccess(response.status, webhook.type ?? '');
    if (response.status !== undefined && isGood) {
      return { outcome: 'passed', body: oneLine(hideSecrets(response.body, secrets), SHOWN_CHARACTERS) };
    }
    if (attempt >= lastAttempt || !mayRetry(response)) {
      const reason = reasonOf(response, url, attempt, secrets);
      return { outcome: 'refused', reason, ...(response.status !== undefined && { status: response.status }) };
    }
    await pause(waitMs(response, attempt), signal);
  }
}

function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
}

function isSuccess(status: number, type: HookType): boolean {
  return status >= 200 && status <= (ANSWERS_204_FOR_NO.has(type) ? 202 : 299);
}

function mayRetry(answer: Answered | Unanswered): boolean {
  if (answer.status === undefined) return answer.mayRetry;
  return answer.status === 429 || (answer.status >= 500 && answer.status !== 501);
}

function waitMs(answer: Answered | Unanswered, attempt: number): number {
  const asked = answer.status === 429 || answer.status === 503 ? answer.retryAfterMs : undefined;
  return Math.min(asked ?? 1000 * 2 ** (attempt - 1), MAX_WAIT_MS);
}

function reasonOf(answer: Answered | Unanswered, url: URL, attempts: number, secrets: readonly string[]): string {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  if (answer.status === undefined) return `no answer from ${url.host}${tries}: ${answer.cause}`;
  const shown = oneLine(hideSecrets(answer.body, secrets), SHOWN_CHARACTERS);
  return `HTTP ${answer.status} from ${url.host}${tries}${shown ? `: ${shown}` : ''}`;
}

/** Receivers of events are often reached by an address that is itself the secret, as chat services are. */
function addressOf({ type }: Webhook, { pathname, search }: URL): string[] {
  return type === 'event' ? [pathname.slice(1), search.slice(1), `${pathname}${search}`.slice(1)] : [];
}

/** Reads the Secret again for each call, so that a rotated Secret takes effect at once. */
async function credentialsFor(
  { secretRef }: Webhook,
  namespace: string,
  read: ReadSecret | undefined,
  signal: AbortSignal,
): Promise<HookCredentials | { problem: string } | undefined> {
  if (!secretRef?.name) return undefined;
  const name = `Secret ${namespace}/${secretRef.name}`;
  try {
    const secret = await read?.(namespace, secretRef.name, 'spec.analysis.webhooks[].secretRef');
    if (secret === undefined) return { problem: `${name} not found: create it, or correct secretRef` };
    if (secret instanceof RefusedSecret) return { problem: secret.reason };
    const credentials = hookCredentials(secret);
    return 'problem' in credentials ? { problem: `${name}: ${credentials.problem}` } : credentials;
  } catch {
    signal.throwIfAborted();
    // The error of a failed read can quote the request: the words for the user are ours.
    return { problem: `${name} could not be read` };
  }
}

/** Text of a foreign server in one line that cannot break a log, a condition or a terminal; at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const flat = text
    .replace(/\p{Cc}|[\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return Array.from(flat).slice(0, limit).join('');
}
