/** Runs one piece of work for all who ask for the same at the same time. */
export class SharedRuns<T> {
  readonly #running = new Map<string, Promise<T>>();

  /**
   * The answer of the run under way with this key, started where there is none.
   *
   * @param start - Must end by itself: the run goes on for others when one who waits has given up.
   * @param signal - Ends the waiting of this caller alone, with its reason.
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
