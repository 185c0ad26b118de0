import type { Clock } from '../../base/clock.ts';

/** Reconciles at a time: enough to keep one core busy, and few enough that a change meanwhile is noticed at once. */
export const MOST_AT_ONCE = 64;
/** A reconcile that takes longer, as with a slow API server, no longer keeps others waiting. Milliseconds. */
export const HELD_FOR_MS = 250;

/**
 * Reconciles each Canary for the first time after a start, when ten thousand could be unchanged: in their order, a few at a time. A Canary that changes
 * meanwhile does not wait for its turn.
 */
export class FirstReconciles {
  readonly #clock: Pick<Clock, 'setTimer'>;
  /** Resolves when it has ended. */
  readonly #reconcile: (key: string) => Promise<void>;
  readonly #waiting = new Set<string>();
  readonly #timers = new Set<() => void>();
  #free = MOST_AT_ONCE;

  constructor(clock: Pick<Clock, 'setTimer'>, reconcile: (key: string) => Promise<void>) {
    this.#clock = clock;
    this.#reconcile = reconcile;
  }

  begin(keys: Iterable<string>): void {
    for (const key of keys) this.#waiting.add(key);
    this.#next();
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** It is reconciled for another reason. */
  remove(key: string): void {
    this.#waiting.delete(key);
  }

  stop(): void {
    this.#waiting.clear();
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #next(): void {
    for (const key of this.#waiting) {
      if (this.#free === 0) return;
      this.#free -= 1;
      this.#waiting.delete(key);
      const cancel = this.#clock.setTimer(HELD_FOR_MS, () => over());
      const over = () => {
        if (!this.#timers.delete(cancel)) return;
        cancel();
        this.#free += 1;
        this.#next();
      };
      this.#timers.add(cancel);
      this.#reconcile(key).then(over, over);
    }
  }
}
