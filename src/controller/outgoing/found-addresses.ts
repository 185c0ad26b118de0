import type { LookupFunction } from 'node:net';
import type { Clock } from '../../base/clock.ts';

export type LookupAnswer = Parameters<Parameters<LookupFunction>[2]>;

const KEPT_MS = 300_000;
const MOST_NAMES = 100;

/** The last addresses of the names of one namespace, for when no look-up can begin. */
export class FoundAddresses {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The ones found last come last. */
  readonly #names = new Map<string, { found: LookupAnswer; atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** `undefined` if it was not found lately. */
  find(question: string): LookupAnswer | undefined {
    const known = this.#names.get(question);
    return known && known.atMs + KEPT_MS > this.#clock.monotonicMs() ? known.found : undefined;
  }

  put(question: string, found: LookupAnswer): void {
    this.#names.delete(question);
    if (found[0] !== null) return;
    this.#names.set(question, { found, atMs: this.#clock.monotonicMs() });
    const oldest = this.#names.keys().next();
    if (this.#names.size > MOST_NAMES && oldest.done !== true) this.#names.delete(oldest.value);
  }
}
