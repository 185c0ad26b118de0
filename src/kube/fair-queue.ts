import { NoTurnError } from '../api/outgoing.ts';
import type { Clock } from './clock.ts';

/** Decides how much may begin; the queue decides who is next. */
export interface Admission {
  /**
   * 0: one of a key that has `own` under way may begin, and is counted. Otherwise milliseconds after which it is worth asking again; Infinity: when
   * one has ended.
   */
  take(own: number): number;
  /** Call when admitted work has ended. */
  ended?(): void;
}

export interface FairQueueOptions {
  clock: Pick<Clock, 'setTimer'>;
  admission: Admission;
  /** Running work of one key. */
  perKey: number;
  /** Running upkeep of all keys. Default: no limit. */
  mostUpkeep?: number;
  /** Waiting work of one key; more is rejected. Default: no limit. */
  mostWaiting?: number;
}

export interface Wait {
  signal?: AbortSignal | undefined;
  /** Default: without end. */
  waitMs?: number | undefined;
  /** Work that may wait: it gets one turn of `UPKEEP_SHARE` while other work waits. The same for all of a key. */
  isUpkeep?: boolean | undefined;
}

/** Upkeep gets one turn of so many, however much other work waits. */
export const UPKEEP_SHARE = 4;

interface QueueLine {
  waiting: Set<() => void>;
  underWay: number;
  isUpkeep: boolean;
}

/** First come, first served within a key; keys take turns, so that a long line delays another by one place; upkeep goes after other work. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #lines = new Map<string, QueueLine>();
  /** Lines with work that may begin, the next one first. */
  readonly #turns = new Set<QueueLine>();
  /** The same of upkeep. */
  readonly #upkeep = new Set<QueueLine>();
  #upkeepUnderWay = 0;
  #begun = 0;
  #cancelTimer: (() => void) | undefined;
  #running = 0;
  #waiting = 0;
  #refused = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Waits that ended without a turn, but for those whose signal aborted. */
  get refused(): number {
    return this.#refused;
  }

  runningOf(key: string): number {
    return this.#lines.get(key)?.underWay ?? 0;
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

  /** The result ends the turn, and must be called. */
  turn(key: string, { signal, waitMs, isUpkeep = false }: Wait = {}): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const line = this.#lines.get(key) ?? { waiting: new Set(), underWay: 0, isUpkeep };
    const { clock, mostWaiting = Number.POSITIVE_INFINITY } = this.#options;
    if (line.waiting.size >= mostWaiting) return Promise.reject(this.#noTurn(line, `${line.waiting.size} more wait`));
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = () => {
      cancel?.();
      signal?.removeEventListener('abort', onAbort);
      line.waiting.delete(begin);
      this.#waiting -= 1;
      this.#update(key, line);
    };
    const begin = () => {
      line.underWay += 1;
      this.#running += 1;
      if (isUpkeep) this.#upkeepUnderWay += 1;
      leave();
      resolve(this.#endOf(key, line));
    };
    const onAbort = () => {
      leave();
      this.#rest();
      reject(signal?.reason);
    };
    const cancel =
      waitMs === undefined
        ? undefined
        : clock.setTimer(waitMs, () => {
            leave();
            this.#rest();
            reject(this.#noTurn(line, `none ended within ${waitMs / 1000} s for this one to begin`));
          });
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#lines.set(key, line);
    line.waiting.add(begin);
    this.#waiting += 1;
    this.#update(key, line);
    this.#serve();
    return promise;
  }

  #endOf(key: string, line: QueueLine): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      line.underWay -= 1;
      this.#running -= 1;
      if (line.isUpkeep) this.#upkeepUnderWay -= 1;
      this.#options.admission.ended?.();
      this.#update(key, line);
      this.#serve();
    };
  }

  #noTurn({ underWay }: QueueLine, why: string): NoTurnError {
    this.#refused += 1;
    return new NoTurnError(underWay, why);
  }

  #update(key: string, line: QueueLine): void {
    const turns = line.isUpkeep ? this.#upkeep : this.#turns;
    if (line.waiting.size === 0 || line.underWay >= this.#options.perKey) turns.delete(line);
    else turns.add(line);
    if (line.waiting.size === 0 && line.underWay === 0) this.#lines.delete(key);
  }

  #serve(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#beginNext());
  }

  /** Whether one has begun. */
  #beginNext(): boolean {
    const { mostUpkeep = Number.POSITIVE_INFINITY } = this.#options;
    const upkeep = this.#upkeepUnderWay < mostUpkeep ? this.#upkeep : [];
    const order = this.#begun % UPKEEP_SHARE === UPKEEP_SHARE - 1 ? [upkeep, this.#turns] : [this.#turns, upkeep];
    for (const turns of order) {
      for (const line of turns) {
        const waitMs = this.#options.admission.take(line.underWay);
        if (waitMs === Number.POSITIVE_INFINITY) continue; // one that has less under way may be admitted
        if (waitMs > 0) {
          this.#cancelTimer = this.#options.clock.setTimer(waitMs, () => this.#serve());
          return false;
        }
        (line.isUpkeep ? this.#upkeep : this.#turns).delete(line); // to the end of the turns
        this.#begun += 1;
        const [begin] = line.waiting;
        begin?.();
        return true;
      }
    }
    return false;
  }

  /** No timer while nothing waits. */
  #rest(): void {
    if (this.#turns.size > 0 || this.#upkeep.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

/** At most so many run at once, started as `pace` allows. */
export function atMost(total: number, pace: Admission): Admission {
  let underWay = 0;
  return {
    take(own) {
      if (underWay >= total) return Number.POSITIVE_INFINITY;
      const waitMs = pace.take(own);
      if (waitMs === 0) underWay += 1;
      return waitMs;
    },
    ended() {
      underWay -= 1;
      pace.ended?.();
    },
  };
}
