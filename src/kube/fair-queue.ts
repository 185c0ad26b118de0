import { NoTurnError } from '../api/turns.ts';
import type { Clock } from '../base/clock.ts';
import { DEFAULT_PRIORITY, PRIORITIES, type Priority } from './priority.ts';

/** Decides how much work can begin. The queue decides which is next. */
export interface Admission {
  /**
   * 0 if work of a key that has `own` under way can begin: it is counted. Otherwise milliseconds until the next call makes sense, Infinity until work has
   * ended.
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
  /** Running work of all keys. Default: no limit. */
  mostUnderWay?: number;
  /** Running work of one priority, of all keys. Default: no limit. */
  mostOf?: Partial<Record<Priority, number>>;
  /** Limit of running work of one pool, called each time. Default: no limit. */
  limitOf?: (pool: string) => number;
  /** Waiting work of one key; more is rejected. Default: no limit. */
  mostWaiting?: number;
}

export interface TurnOptions {
  signal?: AbortSignal | undefined;
  /** Default: without end. */
  waitMs?: number | undefined;
  /** More urgent work goes first, but for one turn of `LESS_URGENT_SHARE`. The same for all of a key. */
  priority?: Priority | undefined;
  /** Work that shares one limit. Default: a pool without a name. */
  pool?: string | undefined;
}

/** Less urgent work gets one turn of so many, however much other work waits. */
export const LESS_URGENT_SHARE = 4;

interface QueueLine {
  readonly key: string;
  readonly priority: Priority;
  underWay: number;
  waiting: number;
}

/** Counts turns, so that less urgent work gets its share of them. */
class Shares {
  #begun = 0;
  /** Turns in a row that less urgent work was passed over. */
  #passedOver = 0;

  /** True if this turn belongs to less urgent work. A rollback loses its turn only after it has passed as many turns of other work. */
  isShared(mostUrgent: Priority | undefined): boolean {
    const isTurn = this.#begun % LESS_URGENT_SHARE === LESS_URGENT_SHARE - 1;
    return isTurn && (mostUrgent !== 'rollback' || this.#passedOver >= LESS_URGENT_SHARE - 1);
  }

  begun(hasPassedOver: boolean): void {
    this.#begun += 1;
    this.#passedOver = hasPassedOver ? this.#passedOver + 1 : 0;
  }
}

/** Work that waits, by priority and line; the line whose turn is next comes first. */
class QueuePool {
  readonly name: string;
  readonly lines: Record<Priority, Map<QueueLine, Set<() => void>>> = {
    rollback: new Map(),
    release: new Map(),
    initialization: new Map(),
    upkeep: new Map(),
  };
  running = 0;
  waiting = 0;
  readonly #shares = new Shares();
  /** The less urgent priority that had the last turn of those. */
  #lastShare: Priority = 'rollback';

  constructor(name: string) {
    this.name = name;
  }

  /** Priorities that have work waiting, in the order of this turn. */
  order(mayBegin: (priority: Priority) => boolean): Priority[] {
    const waiting = PRIORITIES.filter((priority) => this.lines[priority].size > 0 && mayBegin(priority));
    const [first, ...lower] = waiting;
    if (first === undefined || !this.#shares.isShared(first)) return waiting;
    const nth = PRIORITIES.indexOf(this.#lastShare);
    const later = lower.filter((priority) => PRIORITIES.indexOf(priority) > nth);
    return [...later, ...lower.filter((priority) => !later.includes(priority)), first];
  }

  /** `order`: of this turn. */
  begun(priority: Priority, order: readonly Priority[]): void {
    const isMostUrgent = order.every((other) => PRIORITIES.indexOf(other) >= PRIORITIES.indexOf(priority));
    if (!isMostUrgent) this.#lastShare = priority;
    this.#shares.begun(isMostUrgent && order.length > 1);
  }
}

/**
 * First come, first served within a key; keys take turns, so that a long line delays another by one place. More urgent work goes first. Work of one pool
 * shares a limit, and pools take turns among equals.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #lines = new Map<string, QueueLine>();
  /** The pool whose last turn is the longest ago comes first. */
  readonly #pools = new Map<string, QueuePool>();
  readonly #underWayOf: Record<Priority, number> = { rollback: 0, release: 0, initialization: 0, upkeep: 0 };
  readonly #shares = new Shares();
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

  runningIn(pool: string): number {
    return this.#pools.get(pool)?.running ?? 0;
  }

  /** Pools that have work. */
  pools(): { pool: string; running: number; waiting: number }[] {
    return [...this.#pools.values()].map(({ name, running, waiting }) => ({ pool: name, running, waiting }));
  }

  /** Does the work when it is its turn. Rejects with `NoTurnError` after the wait, and with the signal's reason. */
  async run<T>(key: string, work: () => Promise<T>, wait: TurnOptions): Promise<T> {
    const end = await this.turn(key, wait);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** The result ends the turn, and must be called. */
  turn(key: string, { signal, waitMs, priority = DEFAULT_PRIORITY, pool: name = '' }: TurnOptions = {}): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const line = this.#lines.get(key) ?? { key, priority, underWay: 0, waiting: 0 };
    const { clock, mostWaiting = Number.POSITIVE_INFINITY } = this.#options;
    if (line.waiting >= mostWaiting) return Promise.reject(this.#noTurn(line, `${line.waiting} more wait`));
    const pool = this.#pools.get(name) ?? new QueuePool(name);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = () => {
      cancel?.();
      signal?.removeEventListener('abort', onAbort);
      this.#leave(pool, line, begin);
    };
    const begin = () => {
      line.underWay += 1;
      pool.running += 1;
      this.#running += 1;
      this.#underWayOf[line.priority] += 1;
      leave();
      resolve(this.#endOf(pool, line));
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
    this.#enter(pool, line, begin);
    this.#serve();
    return promise;
  }

  #enter(pool: QueuePool, line: QueueLine, begin: () => void): void {
    this.#lines.set(line.key, line);
    this.#pools.set(pool.name, pool);
    const lines = pool.lines[line.priority];
    const waiting = lines.get(line) ?? new Set();
    lines.set(line, waiting.add(begin));
    line.waiting += 1;
    pool.waiting += 1;
    this.#waiting += 1;
  }

  #leave(pool: QueuePool, line: QueueLine, begin: () => void): void {
    const lines = pool.lines[line.priority];
    const waiting = lines.get(line);
    waiting?.delete(begin);
    if (waiting?.size === 0) lines.delete(line);
    line.waiting -= 1;
    pool.waiting -= 1;
    this.#waiting -= 1;
    this.#forgetIdle(pool, line);
  }

  #forgetIdle(pool: QueuePool, line: QueueLine): void {
    if (line.waiting === 0 && line.underWay === 0) this.#lines.delete(line.key);
    if (pool.waiting === 0 && pool.running === 0) this.#pools.delete(pool.name);
  }

  #endOf(pool: QueuePool, line: QueueLine): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      line.underWay -= 1;
      pool.running -= 1;
      this.#running -= 1;
      this.#underWayOf[line.priority] -= 1;
      this.#options.admission.ended?.();
      this.#forgetIdle(pool, line);
      this.#serve();
    };
  }

  #noTurn({ underWay }: QueueLine, why: string): NoTurnError {
    this.#refused += 1;
    return new NoTurnError(underWay, why);
  }

  #serve(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#beginNext());
  }

  /** True if work has begun. */
  #beginNext(): boolean {
    if (this.#running >= (this.#options.mostUnderWay ?? Number.POSITIVE_INFINITY)) return false;
    const pools = this.#poolsInOrder();
    const mostUrgent = Math.min(...pools.map(({ rank }) => rank));
    for (const { pool, order, rank } of pools) {
      for (const priority of order) {
        for (const [line, waiting] of pool.lines[priority]) {
          if (line.underWay >= this.#options.perKey) continue;
          const waitMs = this.#options.admission.take(line.underWay);
          if (waitMs === Number.POSITIVE_INFINITY) continue; // a line that has less under way can be admitted
          if (waitMs > 0) {
            this.#cancelTimer = this.#options.clock.setTimer(waitMs, () => this.#serve());
            return false;
          }
          pool.begun(priority, order);
          this.#shares.begun(rank === mostUrgent && pools.some((other) => other.rank > rank));
          this.#begin(pool, line, waiting);
          return true;
        }
      }
    }
    return false;
  }

  #begin(pool: QueuePool, line: QueueLine, waiting: Set<() => void>): void {
    // Moves the line to the end of the turns.
    pool.lines[line.priority].delete(line);
    pool.lines[line.priority].set(line, waiting);
    this.#pools.delete(pool.name);
    this.#pools.set(pool.name, pool);
    const [begin] = waiting;
    begin?.();
  }

  /** The pool with the most urgent work first. In one turn of `LESS_URGENT_SHARE`, the pool that has waited longest is first. */
  #poolsInOrder(): { pool: QueuePool; order: Priority[]; rank: number }[] {
    const { mostOf = {}, limitOf } = this.#options;
    const mayBegin = (priority: Priority) => this.#underWayOf[priority] < (mostOf[priority] ?? Number.POSITIVE_INFINITY);
    const open = [...this.#pools.values()].flatMap((pool) => {
      if (pool.waiting === 0 || (limitOf !== undefined && pool.running >= limitOf(pool.name))) return [];
      const order = pool.order(mayBegin);
      return order.length === 0 ? [] : [{ pool, order, rank: Math.min(...order.map((priority) => PRIORITIES.indexOf(priority))) }];
    });
    const mostUrgent = PRIORITIES[Math.min(...open.map(({ rank }) => rank))];
    return this.#shares.isShared(mostUrgent) ? open : open.sort((a, b) => a.rank - b.rank);
  }

  /** No timer while nothing waits. */
  #rest(): void {
    if (this.#waiting > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
