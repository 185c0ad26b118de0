import type { Clock } from './clock.ts';

/** Decides how much may begin; the queue decides who is next. */
export interface Admission {
  /** 0: one may begin, and is counted. Otherwise milliseconds after which it is worth asking again; Infinity: when one has ended. */
  take(): number;
  /** One that was admitted has ended. */
  ended?(): void;
}

export interface FairQueue {
  /** Resolves when it is this line's turn, to a function that must be called at the end. Rejects with the signal's reason as soon as it aborts. */
  enter(line: string, signal?: AbortSignal): Promise<() => void>;
}

interface Line {
  waiting: Set<() => void>;
  underWay: number;
}

/** First come, first served within a line; lines take turns, so that a long one delays another by one place. */
export function createFairQueue({
  clock,
  admission,
  mostUnderWay,
}: {
  clock: Clock;
  admission: Admission;
  /** In each line. */
  mostUnderWay: number;
}): FairQueue {
  const lines = new Map<string, Line>();
  /** Lines with work that may begin, the next one first. */
  const turns = new Set<Line>();
  let cancelTimer: (() => void) | undefined;

  function update(name: string, line: Line): void {
    if (line.waiting.size === 0 || line.underWay >= mostUnderWay) turns.delete(line);
    else turns.add(line);
    if (line.waiting.size === 0 && line.underWay === 0) lines.delete(name);
  }

  function serve(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    for (const line of turns) {
      const waitMs = admission.take();
      if (waitMs > 0) {
        if (waitMs !== Number.POSITIVE_INFINITY) cancelTimer = clock.setTimer(waitMs, serve);
        return;
      }
      turns.delete(line); // to the end of the turns, which this loop reaches too
      const [begin] = line.waiting;
      begin?.();
    }
  }

  return {
    enter(name, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const line = lines.get(name) ?? { waiting: new Set(), underWay: 0 };
        lines.set(name, line);
        const begin = (): void => {
          leave();
          line.underWay += 1;
          update(name, line);
          resolve(ended);
        };
        let hasEnded = false;
        const ended = (): void => {
          if (hasEnded) return;
          hasEnded = true;
          line.underWay -= 1;
          admission.ended?.();
          update(name, line);
          serve();
        };
        const leave = (): void => {
          line.waiting.delete(begin);
          signal?.removeEventListener('abort', onAbort);
        };
        const onAbort = (): void => {
          leave();
          update(name, line);
          if (turns.size === 0) {
            cancelTimer?.();
            cancelTimer = undefined;
          }
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        line.waiting.add(begin);
        update(name, line);
        serve();
      });
    },
  };
}
