import type { Clock } from '../base/clock.ts';

/** Clocks that differ by less count as the same: dates have whole seconds. Milliseconds. */
export const SAME_CLOCK_MS = 5_000;
const SECOND_MS = 1_000;

/** Compares our clock with the API server's, by the `Date` of its responses. */
export class ServerClock {
  readonly #clock: Pick<Clock, 'nowMs'>;
  #aheadMs = 0;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** The least difference that the last response shows: the server wrote its date between the request and the response. Milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** A response has come; `sentMs` is the time of its request by our clock. */
  answered(sentMs: number, date: string | undefined): void {
    const serverMs = Date.parse(date ?? '');
    if (Number.isNaN(serverMs)) return;
    const [least, most] = [sentMs - serverMs - SECOND_MS, this.#clock.nowMs() - serverMs];
    this.#aheadMs = least > 0 ? least : Math.min(0, most);
  }
}
