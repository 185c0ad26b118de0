import type { Clock } from '../../base/clock.ts';
import { INTRODUCED_FOR_MS, INTRODUCTION_STEPS, MOST_ANNOUNCEMENTS } from '../../routers/introduction.ts';

interface Taken {
  steps: number;
  /** By the monotonic clock. */
  nextMs: number;
  timesUndone: number;
}

const NONE: Taken = { steps: 0, nextMs: Number.NEGATIVE_INFINITY, timesUndone: 0 };

/** Steps towards routes whose Services proxies have to learn of first, by the key of the route. */
export class Introductions {
  readonly #clock: Clock;
  readonly #taken = new Map<string, Taken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  stepsOf(key: string): number {
    return (this.#taken.get(key) ?? NONE).steps;
  }

  /** Time until proxies know what the last step named. */
  waitMs(key: string): number {
    return Math.max(0, (this.#taken.get(key) ?? NONE).nextMs - this.#clock.monotonicMs());
  }

  /** Called after the answer: a slow API server stores the step long after its pass has begun. */
  tookStep(key: string): void {
    const { steps, timesUndone } = this.#taken.get(key) ?? NONE;
    this.#taken.set(key, { steps: steps + 1, nextMs: this.#clock.monotonicMs() + INTRODUCED_FOR_MS, timesUndone });
  }

  /** No further step: the API server refuses them. */
  wasRefused(key: string): void {
    this.#taken.set(key, { ...NONE, steps: Number.POSITIVE_INFINITY });
  }

  /**
   * Another writer took the steps back: the first is next. An announcement that the healing brake does not delay could hold a release for ever, so it begins
   * again some times only.
   */
  undone(key: string, { isBraked }: { isBraked: boolean }): void {
    const { steps, timesUndone } = this.#taken.get(key) ?? NONE;
    if (steps === 0 || !Number.isFinite(steps) || (!isBraked && timesUndone >= MOST_ANNOUNCEMENTS)) return;
    this.#taken.set(key, { ...NONE, timesUndone: timesUndone + 1 });
  }

  hasTakenAll(key: string): boolean {
    return this.stepsOf(key) >= INTRODUCTION_STEPS;
  }

  ended(key: string): void {
    this.#taken.delete(key);
  }
}
