import type { Clock } from '../../base/clock.ts';

/** Runs `work` for one key at a time; a key that is added while it runs, runs once more. */
export interface WorkQueue {
  add(key: string): void;
  addAfter(key: string, delayMs: number): void;
  stop(): void;
}

const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 5000;

/** A failing key (a conflict, most often) is tried again with back-off; `onError` gets each failure. */
export function workQueue(clock: Clock, work: (key: string) => Promise<void>, onError: (error: unknown, key: string) => void): WorkQueue {
  const running = new Set<string>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  const timers = new Map<string, { dueMs: number; cancel(): void }>();
  let isStopped = false;

  const run = async (key: string): Promise<void> => {
    running.add(key);
    try {
      await work(key);
      failures.delete(key);
    } catch (error) {
      if (!isStopped) {
        const count = failures.get(key) ?? 0;
        failures.set(key, count + 1);
        onError(error, key);
        queue.addAfter(key, Math.min(FIRST_RETRY_MS * 2 ** count, LAST_RETRY_MS));
      }
    }
    running.delete(key);
    if (again.delete(key)) queue.add(key);
  };

  const queue: WorkQueue = {
    add(key) {
      if (isStopped) return;
      if (running.has(key)) {
        again.add(key);
        return;
      }
      running.add(key);
      // One turn later, so that changes which arrive together are one piece of work.
      setImmediate(() => void run(key));
    },
    addAfter(key, delayMs) {
      if (isStopped) return;
      const dueMs = clock.monotonicMs() + delayMs;
      const waiting = timers.get(key);
      if (waiting && waiting.dueMs <= dueMs) return;
      waiting?.cancel();
      const cancel = clock.setTimer(delayMs, () => {
        timers.delete(key);
        queue.add(key);
      });
      timers.set(key, { dueMs, cancel });
    },
    stop() {
      isStopped = true;
      for (const { cancel } of timers.values()) cancel();
      timers.clear();
    },
  };
  return queue;
}
