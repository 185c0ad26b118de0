import type { Clock } from '../../base/clock.ts';

/** Timers by name: setting one again replaces it, and what is set last rings. */
export class Alarms<Name extends string> {
  readonly #clock: Clock;
  readonly #cancel = new Map<Name, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `ring` once after so many milliseconds. */
  set(name: Name, ms: number, ring: () => void): void {
    this.clear(name);
    const due = () => {
      this.#cancel.delete(name);
      ring();
    };
    this.#cancel.set(name, this.#clock.setTimer(Math.max(0, ms), due));
  }

  clear(name: Name): void {
    this.#cancel.get(name)?.();
    this.#cancel.delete(name);
  }

  get isAnySet(): boolean {
    return this.#cancel.size > 0;
  }

  stop(): void {
    for (const name of [...this.#cancel.keys()]) this.clear(name);
  }
}
