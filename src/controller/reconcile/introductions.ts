import { INTRODUCED_FOR_MS, INTRODUCTION_STEPS } from '../../routers/introduction.ts';

interface Taken {
  steps: number;
  nextMs: number;
}

/** Steps towards routes whose Services proxies have to learn of first, by the key of the route. Monotonic milliseconds. */
export class Introductions {
  readonly #taken = new Map<string, Taken>();

  stepsOf(key: string): number {
    return this.#taken.get(key)?.steps ?? 0;
  }

  /** Time until proxies know what the last step named. */
  waitMs(key: string, nowMs: number): number {
    return Math.max(0, (this.#taken.get(key)?.nextMs ?? nowMs) - nowMs);
  }

  tookStep(key: string, nowMs: number): void {
    this.#taken.set(key, { steps: this.stepsOf(key) + 1, nextMs: nowMs + INTRODUCED_FOR_MS });
  }

  /** No further step: the API server refuses them. */
  wasRefused(key: string, nowMs: number): void {
    this.#taken.set(key, { steps: Number.POSITIVE_INFINITY, nextMs: nowMs });
  }

  /** Another writer took the steps back: the first is next. The healing brake delays it, if that goes on. */
  undone(key: string): void {
    if (Number.isFinite(this.stepsOf(key))) this.#taken.delete(key);
  }

  hasTakenAll(key: string): boolean {
    return this.stepsOf(key) >= INTRODUCTION_STEPS;
  }

  ended(key: string): void {
    this.#taken.delete(key);
  }
}
