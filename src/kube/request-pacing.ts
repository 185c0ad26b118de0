import type { Clock } from '../base/clock.ts';
import { sleep } from '../base/clock.ts';
import { keptIn } from '../base/once.ts';
import { type ApiCall, isWrite } from './api-call.ts';
import { FairQueue } from './fair-queue.ts';
import { lineOf, MOST_UNDER_WAY, resourceOfCall } from './request-line.ts';
import { RetryBudget } from './retry-budget.ts';
import { WriteLimit } from './write-limit.ts';

/** Resources with a limit of their own; a foreign name beyond them shares one. */
const MOST_RESOURCES = 48;
const OTHERS = 'others';
/** Requests whose last outcome is remembered. */
const MOST_REMEMBERED = 10_000;
/** Jitter beyond `Retry-After`, so that requests that were refused together do not come back together. */
const JITTER_MS = { first: 250, longest: 10_000 };

/** Writes of one resource. */
export interface WriteFigures {
  /** Name in kubectl: `services`, `deployments.apps`. */
  resource: string;
  limit: number;
  underWay: number;
  waiting: number;
}

export interface PacingFigures {
  writes: readonly WriteFigures[];
  /** Retries that wait for the budget, now. */
  retriesWaiting: number;
  /** Retries that had to wait for it, since the start. */
  retriesHeld: number;
}

/** Outcome of one request. `neutral`: says nothing of the server. */
export type PacedOutcome = 'answered' | 'overloaded' | 'failed' | 'neutral';

/** One request that failed last time, or whose answer is still to come. */
interface Troubled {
  failures: number;
  notBeforeMs: number;
  /** A write whose caller no longer waits, and which the server could still carry out. */
  unanswered?: Promise<unknown>;
}

/** Manners of one client under load: limits of writes by resource, pauses that the server requires, and one budget of retries. */
export class RequestPacing {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #limits = new Map<string, WriteLimit>();
  readonly #troubled = new Map<string, Troubled>();
  readonly #budget: RetryBudget;
  readonly #retries: FairQueue;
  #queue: FairQueue | undefined;
  #held = 0;

  constructor({ clock, random }: { clock: Clock; random: () => number }) {
    this.#clock = clock;
    this.#random = random;
    this.#budget = new RetryBudget(clock);
    this.#retries = new FairQueue({ clock, admission: { take: () => this.#budget.take() }, perKey: Number.POSITIVE_INFINITY });
  }

  /** The queue whose pools have these limits. */
  watch(queue: FairQueue): void {
    this.#queue = queue;
  }

  /** The pool of a call; reads have none. */
  poolOf(call: ApiCall): string {
    if (!isWrite(call)) return '';
    const resource = resourceOfCall(call);
    return this.#limits.has(resource) || this.#limits.size < MOST_RESOURCES ? resource : OTHERS;
  }

  readonly limitOf = (pool: string): number => (pool === '' ? Number.POSITIVE_INFINITY : this.#limit(pool).limit);

  figures(): PacingFigures {
    const pools = new Map(this.#queue?.pools().map(({ pool, running, waiting }) => [pool, { running, waiting }]));
    const writes = [...this.#limits].map(([resource, { limit }]) => {
      const { running = 0, waiting = 0 } = pools.get(resource) ?? {};
      return { resource, limit, underWay: running, waiting };
    });
    return { writes, retriesWaiting: this.#retries.waiting, retriesHeld: this.#held };
  }

  /** Resources whose writes wait, or whose limit was cut: the API server is slow. */
  slow(): WriteFigures[] {
    return this.figures().writes.filter(({ resource, waiting }) => waiting > 0 || this.#limit(resource).isCut);
  }

  /**
   * Resolves when a call can be queued: at once, or, after a failure of the same call, when its answer has arrived, the pause that the server required has
   * passed, and the budget allows a retry. The result ends the retry, `undefined` if it is not one.
   */
  async mayBegin(call: ApiCall): Promise<(() => void) | undefined> {
    const key = keyOf(call);
    for (let trouble = this.#troubled.get(key); trouble !== undefined; trouble = this.#troubled.get(key)) {
      if (trouble.unanswered !== undefined) {
        await orAborted(trouble.unanswered, call.signal);
        continue;
      }
      const waitMs = trouble.notBeforeMs - this.#clock.monotonicMs();
      if (waitMs > 0) {
        await sleep(this.#clock, waitMs, call.signal);
        continue;
      }
      if (trouble.failures === 0) break;
      return this.#retry(call);
    }
    return undefined;
  }

  async #retry({ verb, path, signal, priority }: ApiCall): Promise<() => void> {
    const before = this.#retries.running;
    const turn = this.#retries.turn(lineOf({ verb, path, priority }), { signal, priority });
    if (this.#retries.running === before) this.#held += 1;
    return turn;
  }

  /** A write goes out. */
  began(call: ApiCall, underWay: number): void {
    if (isWrite(call)) this.#limit(this.poolOf(call)).began(underWay);
  }

  ended(call: ApiCall, outcome: PacedOutcome, seen: { startedAtMs: number; wasRetry: boolean; retryAfterMs?: number | undefined }): void {
    const endedAtMs = this.#clock.monotonicMs();
    const key = keyOf(call);
    if (outcome === 'neutral') return;
    if (isWrite(call)) {
      const limit = this.#limit(this.poolOf(call));
      if (outcome === 'answered') limit.answered({ startedAtMs: seen.startedAtMs, endedAtMs });
      if (outcome === 'overloaded') limit.overloaded({ startedAtMs: seen.startedAtMs, endedAtMs });
    }
    this.#budget.ended({ hasSucceeded: outcome === 'answered', wasRetry: seen.wasRetry });
    if (outcome === 'answered') {
      this.#troubled.delete(key);
      return;
    }
    const failures = (this.#troubled.get(key)?.failures ?? 0) + 1;
    const askedMs = seen.retryAfterMs === undefined ? 0 : seen.retryAfterMs + this.#jitterMs(failures);
    this.#remember(key, { failures, notBeforeMs: endedAtMs + askedMs });
  }

  /** The caller waits no longer for this write, whose answer comes by the end of `outcome`: until then it is not sent again. */
  abandoned(call: ApiCall, outcome: Promise<unknown>): void {
    const key = keyOf(call);
    const known = this.#troubled.get(key) ?? { failures: 0, notBeforeMs: 0 };
    const { unanswered: before } = known;
    const unanswered = Promise.allSettled([before, outcome]).then(() => {
      const now = this.#troubled.get(key);
      if (now?.unanswered !== unanswered) return;
      const { unanswered: _, ...rest } = now;
      if (rest.failures === 0 && rest.notBeforeMs <= this.#clock.monotonicMs()) this.#troubled.delete(key);
      else this.#troubled.set(key, rest);
    });
    this.#remember(key, { ...known, unanswered });
  }

  /** Notes a write that was cancelled: the server could carry it out until then. */
  cancelled(call: ApiCall, untilMs: number): void {
    const key = keyOf(call);
    const known = this.#troubled.get(key) ?? { failures: 0, notBeforeMs: 0 };
    this.#remember(key, { ...known, notBeforeMs: Math.max(known.notBeforeMs, untilMs) });
  }

  #remember(key: string, trouble: Troubled): void {
    const unanswered = trouble.unanswered ?? this.#troubled.get(key)?.unanswered;
    this.#troubled.delete(key);
    this.#troubled.set(key, { ...trouble, ...(unanswered && { unanswered }) });
    if (this.#troubled.size <= MOST_REMEMBERED) return;
    const [oldest] = this.#troubled.keys();
    if (oldest !== undefined) this.#troubled.delete(oldest);
  }

  /** Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
  #jitterMs(failures: number): number {
    return this.#random() * Math.min(JITTER_MS.longest, JITTER_MS.first * 2 ** Math.min(failures - 1, 20));
  }

  #limit(pool: string): WriteLimit {
    return keptIn(this.#limits, pool, () => new WriteLimit(MOST_UNDER_WAY));
  }
}

/** Key of the same write or read: one object's, with any content. */
function keyOf({ method, path, body }: ApiCall): string {
  const address = method === 'GET' ? path : path.split('?')[0];
  const name = method === 'POST' ? (body as { metadata?: { name?: string } } | undefined)?.metadata?.name : undefined;
  return name === undefined ? `${method} ${address}` : `${method} ${address}/${name}`;
}

/** The work's outcome, or the signal's reason as soon as it aborts; the work itself goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
