import type { Clock } from '../base/clock.ts';

/** Time without a request after which no release is between two steps of the shortest usual interval. Milliseconds. */
const QUIET_MS = 10_000;
/** Most CPU time used meanwhile: lists of a big cluster take longer to arrive. Milliseconds. */
const MOST_WORK_MS = 500;
/** A collection is worth its pause from this growth on. */
const GROWTH = { factor: 1.1, bytes: 8_000_000 };
/**
 * Another one follows while as much of the memory is empty parts of the heap's pages, and the last one has returned some: V8 moves 12 MB of objects at a
 * time. Source: `ComputeEvacuationHeuristics` in V8's mark-compact.cc.
 */
const AGAIN = { emptyShare: 0.2, returnedShare: 0.02 };

export interface IdleMemoryOptions {
  clock: Clock;
  /** Resident memory of the process, in bytes. */
  usedBytes(): number;
  /** Bytes of the heap's pages that hold no object. */
  emptyBytes(): number;
  /** CPU time of the process so far. */
  workedMs(): number;
  /** Collects all garbage and returns what is free to the system. */
  collect(): void;
}

/**
 * Returns memory to the system after busy times: V8 collects garbage only while more is made, so that a controller of resting Canaries would
 * keep for days what its start or its last release took.
 */
export class IdleMemory {
  readonly #options: IdleMemoryOptions;
  #busyAtMs = 0;
  #workedMs = 0;
  /** Bytes left by the last collection. 0: any growth is worth one. */
  #leftBytes = 0;
  #cancel: (() => void) | undefined;

  constructor(options: IdleMemoryOptions) {
    this.#options = options;
  }

  /** A request was sent. */
  busy(): void {
    this.#busyAtMs = this.#options.clock.monotonicMs();
    if (this.#cancel === undefined) this.#wait(QUIET_MS);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(ms: number): void {
    const { clock, workedMs } = this.#options;
    this.#workedMs = workedMs();
    this.#cancel = clock.setTimer(ms, () => this.#collectIfIdle());
  }

  #collectIfIdle(): void {
    const { clock, workedMs, usedBytes, emptyBytes, collect } = this.#options;
    const leftMs = this.#busyAtMs + QUIET_MS - clock.monotonicMs();
    const isWorking = workedMs() - this.#workedMs > MOST_WORK_MS;
    if (leftMs > 0 || isWorking) {
      this.#wait(leftMs > 0 ? leftMs : QUIET_MS);
      return;
    }
    this.#cancel = undefined;
    const before = usedBytes();
    if (before < this.#leftBytes * GROWTH.factor + GROWTH.bytes) return;
    collect();
    const left = usedBytes();
    const isWorthAnother = emptyBytes() > left * AGAIN.emptyShare && before - left > before * AGAIN.returnedShare;
    this.#leftBytes = isWorthAnother ? 0 : left;
    if (isWorthAnother) this.#wait(QUIET_MS);
  }
}
