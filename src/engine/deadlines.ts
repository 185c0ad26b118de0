import type { Canary } from '../api/canary.ts';

/** Longest that a rollback waits for the primary's full capacity, and a drain by default: milliseconds. */
const LONGEST_RAISE_MS = 30_000;
/** Longest that a target is held at what a step brought to it, until its own scaler has measured that: milliseconds. */
const LONGEST_HOLD_MS = 120_000;
/** Terminal messages are given up after this: milliseconds. */
export const DELIVERY_LIFETIME_MS = 24 * 3_600_000;

/** `progressDeadlineSeconds` in milliseconds; 600 s when absent. Source: reference 01 §8.2. */
export function progressDeadlineMs(canary: Canary): number {
  return (canary.spec.progressDeadlineSeconds ?? 600) * 1000;
}

/**
 * How long proxies have to learn of pods that were added (E6a). A target's own scaler takes away first what has no load, every 15 s by
 * default, so that pods of a target wait for no longer than 5 s.
 */
export function settlingMs(side: 'primary' | 'target', scaleDownDelayMs: number): number {
  return side === 'primary' ? scaleDownDelayMs : Math.min(scaleDownDelayMs, 5_000);
}

export function longestHoldMs(intervalMs: number): number {
  return Math.min(intervalMs, LONGEST_HOLD_MS);
}

/** How long a rollback lets the primary grow before it moves traffic to whatever capacity there is (rule E31). */
export function longestRaiseMs(intervalMs: number): number {
  return Math.min(intervalMs, LONGEST_RAISE_MS);
}
