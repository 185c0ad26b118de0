import type { Clock } from '../base/clock.ts';

/** Part of a retry that each request which succeeded earns. */
const EARNED = 0.2;
/** Retries a second that need no success: a server that was down is found again. */
const PER_SECOND = 0.5;
/** Most that is saved up. */
const MOST = 20;
/** Number of retries in a row that succeed after which the server has recovered. */
const RECOVERED_AFTER = 4;

/**
 * Retries of a whole process: a failing server sees few more requests than a healthy one. When it has recovered, a retry that succeeds costs nothing, so that
 * all can continue at once. First attempts need none of it.
 * Sources: https://sre.google/sre-book/handling-overload/ (retry budgets); the refund as in the retry quota of the AWS SDKs.
 */
export class RetryBudget {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #tokens = MOST;
  #filledAtMs: number;
  /** Retries in a row that succeeded. */
  #streak = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#filledAtMs = clock.monotonicMs();
  }

  /** 0 if a retry can begin: it is counted. Otherwise milliseconds until the next call makes sense. */
  take(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#add(((nowMs - this.#filledAtMs) / 1000) * PER_SECOND);
    this.#filledAtMs = nowMs;
    // A timer can fire a rounding error early: that must not cost another wait.
    if (this.#tokens < 1 - 1e-9) return ((1 - this.#tokens) / PER_SECOND) * 1000;
    this.#tokens -= 1;
    return 0;
  }

  ended({ hasSucceeded, wasRetry }: { hasSucceeded: boolean; wasRetry: boolean }): void {
    if (!hasSucceeded) this.#streak = 0;
    else if (wasRetry) this.#streak += 1;
    if (hasSucceeded) this.#add(wasRetry && this.#streak > RECOVERED_AFTER ? 1 + EARNED : EARNED);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(MOST, this.#tokens + tokens);
  }
}
