/** Pauses between attempts that fail: each is twice as long as the previous one, up to the longest. */
export class BackOff {
  readonly #range: Readonly<Record<'from' | 'to', number>>;
  #nextMs: number;

  /** Milliseconds. */
  constructor(range: { from: number; to: number }) {
    this.#range = range;
    this.#nextMs = range.from;
  }

  /** The pause before the next attempt. Milliseconds. */
  next(): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(pauseMs * 2, this.#range.to);
    return pauseMs;
  }

  /** One has succeeded. */
  reset(): void {
    this.#nextMs = this.#range.from;
  }
}
