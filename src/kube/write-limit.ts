/** Writes of one resource under way at first. */
const START = 4;
/** Latency counts as flat up to so many times its minimum, and this much beyond it: answers of different objects differ. */
const FLAT = { times: 2, beyondMs: 50 };
/** The remembered minimum doubles in this time unless it is confirmed: a server that became slower for good is not compared with its past for ever. */
const MINIMUM_DOUBLES_MS = 300_000;

/** One write, from when its bytes went out until its outcome, on a monotonic clock. */
export interface WriteSpan {
  startedAtMs: number;
  endedAtMs: number;
}

/**
 * Limit of concurrent writes of one resource: additive increase, multiplicative decrease. One more after each round of answers whose latency stayed flat, half
 * as many after a sign of overload, once a round trip.
 * Sources: D. Chiu and R. Jain, Analysis of the increase and decrease algorithms for congestion avoidance in computer networks (1989), as in TCP; the
 * comparison with a slowly moving minimum as in the gradient limit of https://github.com/Netflix/concurrency-limits.
 */
export class WriteLimit {
  readonly #most: number;
  #limit: number;
  #minimum: { ms: number; atMs: number } | undefined;
  #round = { answers: 0, totalMs: 0, wasFull: false };
  #cutAtMs = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
    this.#limit = Math.min(START, most);
  }

  get limit(): number {
    return this.#limit;
  }

  /** Below where it began: the server was overloaded, and has not recovered yet. */
  get isCut(): boolean {
    return this.#limit < Math.min(START, this.#most);
  }

  /** A write has begun, with so many under way now. */
  began(underWay: number): void {
    if (underWay >= this.#limit) this.#round.wasFull = true;
  }

  /** An answer without a sign of overload. */
  answered({ startedAtMs, endedAtMs }: WriteSpan): void {
    const latencyMs = endedAtMs - startedAtMs;
    const minimumMs = this.#minimumAfter(latencyMs, endedAtMs);
    this.#round.answers += 1;
    this.#round.totalMs += latencyMs;
    if (this.#round.answers < this.#limit) return;
    const { answers, totalMs, wasFull } = this.#round;
    const isFlat = totalMs / answers <= minimumMs * FLAT.times + FLAT.beyondMs;
    if (isFlat && wasFull) this.#limit = Math.min(this.#most, this.#limit + 1);
    this.#newRound();
  }

  /** 429, 503, 504, or no answer. */
  overloaded({ startedAtMs, endedAtMs }: WriteSpan): void {
    // It was sent before the last cut could help.
    if (startedAtMs < this.#cutAtMs) return;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    this.#cutAtMs = endedAtMs;
    this.#newRound();
  }

  #newRound(): void {
    this.#round = { answers: 0, totalMs: 0, wasFull: false };
  }

  #minimumAfter(latencyMs: number, nowMs: number): number {
    const { ms, atMs } = this.#minimum ?? { ms: latencyMs, atMs: nowMs };
    this.#minimum = { ms: Math.min(latencyMs, ms * 2 ** ((nowMs - atMs) / MINIMUM_DOUBLES_MS)), atMs: nowMs };
    return this.#minimum.ms;
  }
}
