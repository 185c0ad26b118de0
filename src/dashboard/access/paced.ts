import type { Clock } from '../../base/clock.ts';

const COUNTED_MS = 60_000;

/** Writes at most so many lines a minute: strangers must not be able to fill a log. Each line gets the number of lines left out before it. */
export function paced(clock: Clock, mostAMinute: number): (write: (leftOut: number) => void) => void {
  let sinceMs = Number.NEGATIVE_INFINITY;
  let written = 0;
  let leftOut = 0;
  return (write) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - sinceMs >= COUNTED_MS) {
      sinceMs = nowMs;
      written = 0;
    }
    if (written >= mostAMinute) {
      leftOut += 1;
      return;
    }
    written += 1;
    write(leftOut);
    leftOut = 0;
  };
}
