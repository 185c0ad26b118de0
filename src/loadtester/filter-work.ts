import { setImmediate as nextTurn } from 'node:timers/promises';

/** Steps of all filters of one task: enough for a pattern of 38 characters over the 256 KiB that are kept of an answer. */
const MOST_STEPS = 10_000_000;
/** Other callers have their turn after so many. */
const STEPS_A_TURN = 200_000;

/** The filters of one task would take more steps than it has. */
export class FilterWorkExceeded extends Error {
  override readonly name = 'FilterWorkExceeded';
}

/** Most steps that the filters of one task can take. A step tries one piece of a pattern on one character. */
export class FilterWork {
  readonly #signal: AbortSignal;
  readonly #most: number;
  #inTurn = 0;
  spent = 0;

  constructor(signal: AbortSignal, most = MOST_STEPS) {
    this.#signal = signal;
    this.#most = most;
  }

  /** To be awaited before the steps are taken. */
  async spend(steps: number): Promise<void> {
    this.spent += steps;
    if (this.spent > this.#most) throw new FilterWorkExceeded();
    this.#inTurn += steps;
    if (this.#inTurn < STEPS_A_TURN) return;
    this.#inTurn = 0;
    await nextTurn();
    this.#signal.throwIfAborted();
  }
}
