import type { Canary } from '../api/canary.ts';
import type { Delivery } from '../api/canary-status.ts';
import type { SideFacts } from './facts.ts';

/** Longest time for which a rollback waits for the primary's full capacity, and the default drain: milliseconds. */
const LONGEST_RAISE_MS = 30_000;
/** A scaler acts every 15 s, and others can write it meanwhile: milliseconds. */
const SCALER_PATIENCE_MS = 60_000;
/** Terminal messages are given up after this: milliseconds. */
const DELIVERY_LIFETIME_MS = 24 * 3_600_000;
/** Messages during a release are given up after this: by then they are outdated. Milliseconds. */
const NEWS_LIFETIME_MS = 15 * 60_000;

/** Time for which a message waits for its receiver (rule E54). */
export function deliveryLifetimeMs({ outcome }: Pick<Delivery, 'outcome'>): number {
  return outcome === undefined ? NEWS_LIFETIME_MS : DELIVERY_LIFETIME_MS;
}

/** `progressDeadlineSeconds` in milliseconds; 600 s when absent. */
export function progressDeadlineMs(canary: Canary): number {
  return (canary.spec.progressDeadlineSeconds ?? 600) * 1000;
}

/**
 * Deadline of a step that waits for a rollout (rule E100): each report of progress restarts it. Pods that come and go report all the time, so that the step has
 * at most one deadline for each updated pod that is available now, and one for the next.
 */
export function rolloutDeadlineMs(canary: Canary, stepStartedMs: number, side: SideFacts | undefined): number {
  const deadlineMs = progressDeadlineMs(canary);
  const { lastMs = stepStartedMs, updated = 0 } = side?.progress ?? {};
  return Math.min(Math.max(stepStartedMs, lastMs), stepStartedMs + updated * deadlineMs) + deadlineMs;
}

/** Time until which a release that began to hold at `blindSinceMs` waits for its checks to be measured again (rule E22a). */
export function unmeasuredUntilMs(canary: Canary, blindSinceMs: number): number {
  return blindSinceMs + progressDeadlineMs(canary);
}

/**
 * Time that proxies get to learn of added pods (E6a). A target's own scaler removes pods without load first, every 15 s by default, so that pods of a target
 * wait for at most 5 s.
 */
export function settlingMs(side: 'primary' | 'target', scaleDownDelayMs: number): number {
  return side === 'primary' ? scaleDownDelayMs : Math.min(scaleDownDelayMs, 5_000);
}

/** Time for which a step waits for pods that the target's scaler does not want (rule E102): well before the deadline would fail it. */
export function scalerPatienceMs(canary: Canary): number {
  return Math.min(SCALER_PATIENCE_MS, progressDeadlineMs(canary) / 2);
}

/** Time for which a rollback lets the primary grow before it moves traffic to the present capacity (rule E31). */
export function longestRaiseMs(intervalMs: number): number {
  return Math.min(intervalMs, LONGEST_RAISE_MS);
}
