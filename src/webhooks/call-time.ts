import type { Webhook } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Between two attempts. */
export const MAX_WAIT_MS = 30_000;

/** Timeout of one attempt, in milliseconds; undefined or 0: the webhook's timeout is not a duration. */
export function attemptTimeoutMs({ timeout }: Pick<Webhook, 'timeout'>): number | undefined {
  return timeout ? parseDuration(timeout) : DEFAULT_TIMEOUT_MS;
}

export function attemptsOf({ retries = 0 }: Pick<Webhook, 'retries'>): number {
  return Math.max(0, retries) + 1;
}

/** The longest time that a call can take, with its retries and the waits between them, in milliseconds. */
export function longestCallMs(webhook: Pick<Webhook, 'timeout' | 'retries'>): number {
  const attempts = attemptsOf(webhook);
  return attempts * (attemptTimeoutMs(webhook) ?? 0) + (attempts - 1) * MAX_WAIT_MS;
}
