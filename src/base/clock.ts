/** Source of the time: everything that waits or measures takes one, so that a test moves it by hand. */
export interface Clock {
  /** Milliseconds of the epoch; jumps when the machine's clock is set. For timestamps in objects only. */
  nowMs(): number;
  /** Milliseconds that only ever rise. For every duration and deadline. */
  monotonicMs(): number;
  /** Calls `fn` once after `ms`; the result cancels it. */
  setTimer(ms: number, fn: () => void): () => void;
}

/** Longest timer. A longer one fires at once. Source: the documentation of Node's `setTimeout`. Milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The only place that reads the real time. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(ms, fn) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const after = () => (leftMs > LONGEST_TIMER_MS ? wait(leftMs - LONGEST_TIMER_MS) : fn());
      timer = setTimeout(after, Math.min(leftMs, LONGEST_TIMER_MS));
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const cancel = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    function onAbort(): void {
      cancel();
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Calls `fn` every `ms` until the result is called: the pause starts with each call. */
export function every(clock: Clock, ms: number, fn: () => void): () => void {
  let cancel = clock.setTimer(ms, again);
  function again(): void {
    cancel = clock.setTimer(ms, again);
    fn();
  }
  return () => cancel();
}

/** Aborts after `ms` with a `TimeoutError`, as `AbortSignal.timeout` does; `end` once the work is done, or its timer stays. */
export function deadlineAfter(clock: Clock, ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const timeout = (): void => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  return { signal: controller.signal, end: clock.setTimer(ms, timeout) };
}
