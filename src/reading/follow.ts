import { type Clock, sleep } from '../base/clock.ts';
import type { Cluster, KindRef, Selection, WatchHandle, WatchHandler } from '../kube/cluster.ts';
import { ApiError, outageReason, RequestTimeoutError, UnreachableError } from '../kube/errors.ts';

/** Objects that a view watches. */
export interface ScreenWatch {
  kind: KindRef;
  selection: Selection;
}

/** Options of a view that follows the cluster. */
export interface Follow<T> {
  cluster: Pick<Cluster, 'watch'>;
  /** Read already: an error of the first read ends the command. */
  first: T;
  read(): Promise<T>;
  /** Objects whose changes make it read again. */
  watchedBy(value: T): readonly ScreenWatch[];
  show(value: T): void | Promise<void>;
  /** Reason for the lost connection, `undefined` once it is back. */
  connection(lost: string | undefined): void;
  /** Ends it. */
  signal: AbortSignal;
  clock: Clock;
}

/** Between a change and the read that it causes: one read for a burst of changes. */
const REST_MS = 100;
/** A read of many pods takes long: the next one waits so many times as long. */
const REST_PER_READ = 4;
const LONGEST_WAIT_MS = 10_000;

/**
 * Shows the first value, and one after each change, until the signal aborts. One read serves all that happened since the last. Without a change
 * nothing is read. A lost connection is shown, and tried again; other errors end it. Its watches end with it.
 */
export async function follow<T>({ cluster, first, read, watchedBy, show, connection, signal, clock }: Follow<T>): Promise<void> {
  let turn = Promise.withResolvers<void>();
  const wake = () => turn.resolve();
  const aborted = Promise.withResolvers<'aborted'>();
  const abort = () => aborted.resolve('aborted');
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const watches = new Watches(cluster, wake, connection);
  let waitMs = REST_MS;
  try {
    watches.set(watchedBy(first));
    await show(first);
    for (;;) {
      const pause = turn.promise.then(() => sleep(clock, waitMs, signal)).catch(() => undefined);
      if ((await Promise.race([pause, aborted.promise])) === 'aborted' || signal.aborted) return;
      turn = Promise.withResolvers();
      const beganMs = clock.monotonicMs();
      const next = await Promise.race([attempt(read), aborted.promise]);
      if (next === 'aborted') return;
      if ('lost' in next) {
        connection(next.lost);
        waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
        wake();
        continue;
      }
      waitMs = Math.min(LONGEST_WAIT_MS, Math.max(REST_MS, REST_PER_READ * (clock.monotonicMs() - beganMs)));
      connection(watches.lost);
      watches.set(watchedBy(next.value));
      await show(next.value);
    }
  } finally {
    signal.removeEventListener('abort', abort);
    watches.set([]);
  }
}

async function attempt<T>(read: () => Promise<T>): Promise<{ value: T } | { lost: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!isOutage(error)) throw error;
    return { lost: outageReason(error) };
  }
}

/** The API server does not answer now, and may later. */
function isOutage(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof UnreachableError || error instanceof RequestTimeoutError;
}

/** The open watches of a view. */
class Watches {
  readonly #cluster: Pick<Cluster, 'watch'>;
  readonly #open = new Map<string, WatchHandle>();
  readonly #lost = new Map<string, string>();
  readonly #wake: () => void;
  readonly #connection: (lost: string | undefined) => void;

  constructor(cluster: Pick<Cluster, 'watch'>, wake: () => void, connection: (lost: string | undefined) => void) {
    this.#cluster = cluster;
    this.#wake = wake;
    this.#connection = connection;
  }

  /** Reason of a lost watch, `undefined` if all are connected. */
  get lost(): string | undefined {
    return [...this.#lost.values()].at(0);
  }

  /** Opens what is not open yet, and ends what is not wanted any more. */
  set(wanted: readonly ScreenWatch[]): void {
    const byKey = new Map(wanted.map((one) => [JSON.stringify(one), one]));
    for (const [key, watch] of this.#open) {
      if (byKey.has(key)) continue;
      watch.stop();
      this.#open.delete(key);
      this.#lost.delete(key);
    }
    for (const [key, { kind, selection }] of byKey)
      if (!this.#open.has(key)) this.#open.set(key, this.#cluster.watch(kind, this.#handler(key), selection));
  }

  #handler(key: string): WatchHandler {
    return {
      onEvent: this.#wake,
      onList: this.#wake,
      onConnection: (lost) => {
        if (lost === undefined) this.#lost.delete(key);
        else this.#lost.set(key, lost);
        this.#connection(this.lost);
        // A watch resumes from the last version received, but a Lease or an event can also have changed.
        if (lost === undefined) this.#wake();
      },
    };
  }
}
