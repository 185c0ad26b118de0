import type { Clock } from '../../src/base/clock.ts';

export interface HandClock extends Clock {
  /** Moves both clocks and runs the timers that come due, in order, each at its own time. */
  advance(ms: number): void;
  /** Timers not yet due: a test waits for one before it moves the clock. */
  readonly pending: number;
  /** Milliseconds until the next timer, `undefined` without a timer. */
  readonly nextInMs: number | undefined;
}

/** A clock that only the test moves. */
export function handClock(startMs = Date.UTC(2026, 0, 1)): HandClock {
  let elapsedMs = 0;
  const timers = new Set<{ atMs: number; fn: () => void }>();
  return {
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    setTimer(ms, fn) {
      const timer = { atMs: elapsedMs + ms, fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const untilMs = elapsedMs + ms;
      for (;;) {
        const [due] = [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
        if (due === undefined) break;
        timers.delete(due);
        elapsedMs = Math.max(elapsedMs, due.atMs);
        due.fn();
      }
      elapsedMs = untilMs;
    },
    get nextInMs() {
      return timers.size === 0 ? undefined : Math.max(0, Math.min(...[...timers].map(({ atMs }) => atMs)) - elapsedMs);
    },
    get pending() {
      return timers.size;
    },
  };
}

/** The same time on the clock of another machine: set differently, and not quite as fast. */
export function skewedClock(clock: Clock, rate: number, aheadMs: number): Clock {
  return {
    nowMs: () => clock.nowMs() + aheadMs,
    monotonicMs: () => clock.monotonicMs() * rate,
    setTimer: (ms, fn) => clock.setTimer(ms / rate, fn),
  };
}
