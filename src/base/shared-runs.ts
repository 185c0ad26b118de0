/** Runs a piece of work once for all callers that need it at the same time. */
export class SharedRuns<T> {
  readonly #running = new Map<string, Promise<T>>();

  /**
   * Returns the result of the running work with this key. Starts it if none runs.
   *
   * @param start - Must end by itself: the work goes on for other callers when one of them has given up.
   * @param signal - Ends only the waiting of this caller, with its reason.
   */
  run(key: string, start: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const running = this.#running.get(key) ?? start();
    this.#running.set(key, running);
    const forget = () => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    running.then(forget, forget);
    return untilAborted(running, signal);
  }

  /** The next caller starts a new run: the result of the current one can be stale. */
  forget(key: string): void {
    this.#running.delete(key);
  }
}

function untilAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  const { promise, reject, resolve } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
}
