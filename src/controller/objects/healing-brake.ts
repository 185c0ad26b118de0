const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;

interface Contest {
  corrections: number;
  pausedUntilMs: number;
  field: string;
  manager?: string;
}

/**
 * Keeps healing from becoming a fight (ARCHITECTURE.md, "Healing has a brake"). The first correction of an object is immediate; when the same
 * drift comes back, the next ones wait 1 s, 2 s, 4 s … up to 5 min. It calms down after twice the longest pause without drift.
 */
export class HealingBrake {
  readonly #contests = new Map<string, Contest>();

  /** Milliseconds to wait before this correction may be written; 0 is now. Call `corrected` when it was. */
  waitMs(key: string, nowMs: number): number {
    const contest = this.#contests.get(key);
    if (contest === undefined) return 0;
    if (nowMs > contest.pausedUntilMs + 2 * LONGEST_PAUSE_MS) {
      this.#contests.delete(key);
      return 0;
    }
    return Math.max(0, contest.pausedUntilMs - nowMs);
  }

  corrected(key: string, nowMs: number, field: string, manager?: string): void {
    const corrections = (this.#contests.get(key)?.corrections ?? 0) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (corrections - 1), LONGEST_PAUSE_MS);
    // Objects that are contested at once are corrected at once, or a release would wait for ever for all of them to hold together.
    const pausedUntilMs = Math.max(nowMs + pauseMs, ...[...this.#contests.values()].map((contest) => contest.pausedUntilMs));
    this.#contests.set(key, { corrections, pausedUntilMs, field, ...(manager === undefined ? {} : { manager }) });
  }

  /** No correction has been made that may not hold. */
  get isReleased(): boolean {
    return this.#contests.size === 0;
  }

  /** Corrections that did not hold: the second one on. */
  contested(): { key: string; field: string; manager?: string }[] {
    return [...this.#contests].filter(([, contest]) => contest.corrections > 1).map(([key, contest]) => ({ key, ...contest }));
  }

  /** A release step of our own changed what is wanted: what others did before says nothing about it. */
  forget(key: string): void {
    this.#contests.delete(key);
  }
}
