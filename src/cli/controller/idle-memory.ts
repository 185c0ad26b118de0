import type { Clock } from '../../kube/clock.ts';

/** Without a request for so long, no release is between two steps of the shortest usual interval. Milliseconds. */
const QUIET_MS = 10_000;
/** A collection is worth its pause from this growth on. */
const GROWTH = { factor: 1.1, bytes: 8_000_000 };

export interface IdleMemoryOptions {
  clock: Clock;
  /** Resident memory of the process, in bytes. */
  usedBytes(): number;
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
  #usedBytes = 0;
  #cancel: (() => void) | undefined;

  constructor(options: IdleMemoryOptions) {
    this.#options = options;
  }

  /** A request was sent. */
  busy(): void {
    const { clock } = this.#options;
    this.#busyAtMs = clock.monotonicMs();
    this.#cancel ??= clock.setTimer(QUIET_MS, () => this.#look());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #look(): void {
    const { clock, usedBytes, collect } = this.#options;
    const leftMs = this.#busyAtMs + QUIET_MS - clock.monotonicMs();
    this.#cancel = leftMs > 0 ? clock.setTimer(leftMs, () => this.#look()) : undefined;
    if (leftMs > 0 || usedBytes() < this.#usedBytes * GROWTH.factor + GROWTH.bytes) return;
    collect();
    this.#usedBytes = usedBytes();
  }
}
