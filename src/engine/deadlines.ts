import type { Canary } from '../api/canary.ts';
import type { Delivery } from '../api/canary-status.ts';
import type { SideFacts } from './facts.ts';

/** Longest that a rollback waits for the primary's full capacity, and a drain by default: milliseconds. */
const LONGEST_RAISE_MS = 30_000;
/** A scaler acts every 15 s, and others may write it meanwhile: milliseconds. */
const SCALER_PATIENCE_MS = 60_000;
/** Terminal messages are given up after this: milliseconds. */
const DELIVERY_LIFETIME_MS = 24 * 3_600_000;
/** News along the way are given up after this: by then they are none. Milliseconds. */
const NEWS_LIFETIME_MS = 15 * 60_000;

/** How long a message waits for its receiver (rule E54). */
export function deliveryLifetimeMs({ outcome }: Pick<Delivery, 'outcome'>): number {
  return outcome === undefined ? NEWS_LIFETIME_MS : DELIVERY_LIFETIME_MS;
}

/** `progressDeadlineSeconds` in milliseconds; 600 s when absent. Source: 01-8.2. */
export function progressDeadlineMs(canary: Canary): number {
  return (canary.spec.progressDeadlineSeconds ?? 600) * 1000;
}

/**
 * Until when a step waits for a rollout (rule E100): each report of progress begins the deadline anew. Pods that come and go report all
 * the time, so that the step has one deadline for each updated pod that is available now, and one for the next.
 */
export function rolloutDeadlineMs(canary: Canary, stepStartedMs: number, side: SideFacts | undefined): number {
  const deadlineMs = progressDeadlineMs(canary);
  const { lastMs = stepStartedMs, updated = 0 } = side?.progress ?? {};
  return Math.min(Math.max(stepStartedMs, lastMs), stepStartedMs + updated * deadlineMs) + deadlineMs;
}

/** Until when a release that began to hold at `blindSinceMs` waits for its checks to be measured again (rule E22a). */
export function unmeasuredUntilMs(canary: Canary, blindSinceMs: number): number {
  return blindSinceMs + progressDeadlineMs(canary);
}

/**
 * How long proxies have to learn of pods that were added (E6a). A target's own scaler takes away first what has no load, every 15 s by
 * default, so that pods of a target wait for no longer than 5 s.
 */
export function settlingMs(side: 'primary' | 'target', scaleDownDelayMs: number): number {
  return side === 'primary' ? scaleDownDelayMs : Math.min(scaleDownDelayMs, 5_000);
}

/** How long a step waits for pods that the target's scaler does not ask for (rule E102): well before the deadline would fail it. */
export function scalerPatienceMs(canary: Canary): number {
  return Math.min(SCALER_PATIENCE_MS, progressDeadlineMs(canary) / 2);
}

/** How long a rollback lets the primary grow before it moves traffic to whatever capacity there is (rule E31). */
export function longestRaiseMs(intervalMs: number): number {
  return Math.min(intervalMs, LONGEST_RAISE_MS);
}
