/** A sentence that stays for this long is worth a write of its own, in milliseconds; pods come up faster than that one after another. */
const STANDS_MS = 5_000;

/**
 * Delays a status write whose only change is the sentence of `explain` (rule E55). While a workload rolls, it changes with each pod;
 * written each time, a release would cost a write a pod. A sentence that stays is worth reading, and is written then.
 */
export class SentencePause {
  #sentence: string | undefined;
  #sinceMs = 0;

  /** Milliseconds until this sentence can be written. 0 is now. */
  waitMs(sentence: string, intervalMs: number, nowMs: number): number {
    if (sentence !== this.#sentence) {
      this.#sentence = sentence;
      this.#sinceMs = nowMs;
    }
    return Math.max(0, this.#sinceMs + Math.min(STANDS_MS, intervalMs) - nowMs);
  }
}
