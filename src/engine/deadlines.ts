import type { Canary } from '../api/canary.ts';

/** Longest that a rollback waits for the primary's full capacity, and a drain by default: milliseconds. */
const LONGEST_RAISE_MS = 30_000;
/** Terminal messages are given up after this: milliseconds. */
export const DELIVERY_LIFETIME_MS = 24 * 3_600_000;

/** `progressDeadlineSeconds` in milliseconds; 600 s when absent. Source: reference 01 §8.2. */
export function progressDeadlineMs(canary: Canary): number {
  return (canary.spec.progressDeadlineSeconds ?? 600) * 1000;
}

/** How long a rollback lets the primary grow before it moves traffic to whatever capacity there is (rule E31). */
export function longestRaiseMs(intervalMs: number): number {
  return Math.min(intervalMs, LONGEST_RAISE_MS);
}
