import { NoTurnError } from '../api/outgoing.ts';
import type { Clock } from '../kube/clock.ts';

export interface FairQueueOptions {
  /** At once in all. */
  total: number;
  /** At once of one key; fewer while the others leave less room. */
  perKey: number;
  /** At once of each key, also beyond `total`: what others hold never keeps a key from these. Default: none. */
  sure?: number;
  /** Of one key; one that comes when as many wait already is refused. */
  mostWaiting: number;
  clock: Pick<Clock, 'setTimer'>;
}

export interface Wait {
  signal?: AbortSignal;
  /** Default: without end. */
  waitMs?: number | undefined;
}

interface Waiting {
  begin(): void;
}

/**
 * A key has no more turns than this part of those that are free, so that each one that comes leaves most of them: it takes dozens of keys that never end
 * a turn to have the next one wait.
 */
const PART_OF_FREE = 1 / 8;

/** Divides what can be done at once between keys. Keys that wait are served in rotation, each in its own order. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #running = new Map<string, number>();
  /** In the order of the rotation: a key that was served goes to the end. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #total = 0;
  #refused = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#total;
  }

  get waiting(): number {
    let count = 0;
    for (const { size } of this.#waiting.values()) count += size;
    return count;
  }

  /** Waits that ended without a turn. */
  get refused(): number {
    return this.#refused;
  }

  runningOf(key: string): number {
    return this.#running.get(key) ?? 0;
  }

  /** Does the work when it is its turn. Rejects with `NoTurnError` after the wait, and with the signal's reason. */
  async run<T>(key: string, work: () => Promise<T>, wait: Wait): Promise<T> {
    const end = await this.turn(key, wait);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** The result ends the turn. */
  turn(key: string, { signal, waitMs }: Wait = {}): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    // Those of the same key that came before have waited longer.
    if (!this.#waiting.has(key) && this.#hasRoom(key)) return Promise.resolve(this.#begin(key));
    const row = this.#waiting.get(key) ?? new Set();
    if (row.size >= this.#options.mostWaiting) return Promise.reject(this.#refusal(key, `${row.size} more wait`));
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = () => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      this.#remove(key, waiting);
    };
    const waiting: Waiting = {
      begin: () => {
        leave();
        resolve(this.#begin(key));
      },
    };
    const onAbort = () => {
      leave();
      reject(signal?.reason);
    };
    const cancel =
      waitMs === undefined
        ? () => undefined
        : this.#options.clock.setTimer(waitMs, () => {
            leave();
            reject(this.#refusal(key, `none ended within ${waitMs / 1000} s for this one to begin`));
          });
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(key, row.add(waiting));
    return promise;
  }

  #refusal(key: string, why: string): NoTurnError {
    this.#refused += 1;
    return new NoTurnError(this.runningOf(key), why);
  }

  #hasRoom(key: string): boolean {
    const { total, perKey, sure = 0 } = this.#options;
    const own = this.runningOf(key);
    return own < sure || (own < perKey && own < (total - this.#total) * PART_OF_FREE);
  }

  #begin(key: string): () => void {
    this.#total += 1;
    this.#running.set(key, this.runningOf(key) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#total -= 1;
      const left = this.runningOf(key) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
      this.#serve();
    };
  }

  #serve(): void {
    for (const key of [...this.#waiting.keys()]) {
      const row = this.#waiting.get(key);
      const [next] = row ?? [];
      if (row === undefined || next === undefined || !this.#hasRoom(key)) continue;
      this.#waiting.delete(key);
      this.#waiting.set(key, row);
      next.begin();
    }
  }

  #remove(key: string, waiting: Waiting): void {
    const row = this.#waiting.get(key);
    row?.delete(waiting);
    if (row?.size === 0) this.#waiting.delete(key);
  }
}
