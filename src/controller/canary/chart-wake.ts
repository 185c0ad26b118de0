import type { Clock } from '../../base/clock.ts';
import type { Alarms } from './alarms.ts';

interface Wanted {
  atMs: number;
  ring(): void;
}

/**
 * The wake that the chart has requested. While the pause after a failed reconcile lasts, it waits for the end of the pause: the release is read again at
 * each attempt, and a time in the past would then be requested, and ring at once, again and again.
 */
export class ChartWake {
  readonly #alarms: Pick<Alarms<'wake'>, 'set' | 'clear'>;
  readonly #clock: Clock;
  #wanted: Wanted | undefined;
  /** End of the pause. Epoch milliseconds. */
  #pausedUntilMs: number | undefined;

  constructor(alarms: Pick<Alarms<'wake'>, 'set' | 'clear'>, clock: Clock) {
    this.#alarms = alarms;
    this.#clock = clock;
  }

  /** Calls `ring` in so many milliseconds, but not within the pause. */
  in(ms: number, ring: () => void): void {
    this.#wanted = { atMs: this.#clock.nowMs() + ms, ring };
    this.#arm(this.#wanted);
  }

  clear(): void {
    this.#wanted = undefined;
    this.#alarms.clear('wake');
  }

  /** A reconcile has failed, and the next attempt comes in so many milliseconds. */
  pause(ms: number): void {
    this.#pausedUntilMs = this.#clock.nowMs() + ms;
    if (this.#wanted) this.#arm(this.#wanted);
  }

  /** A reconcile has succeeded. */
  resume(): void {
    if (this.#pausedUntilMs === undefined) return;
    this.#pausedUntilMs = undefined;
    if (this.#wanted) this.#arm(this.#wanted);
  }

  #arm(wanted: Wanted): void {
    const atMs = Math.max(wanted.atMs, this.#pausedUntilMs ?? 0);
    this.#alarms.set('wake', atMs - this.#clock.nowMs(), () => {
      this.#wanted = undefined;
      wanted.ring();
    });
  }
}
