import { type Clock, systemClock } from '../../base/clock.ts';
import { type Timer, TimerHeap } from './timer-heap.ts';

/** Real milliseconds without a move of the virtual time after which waiting players get an error. */
const STALLED_MS = 5_000;

/**
 * Time that costs no real time: when all work is idle, it jumps to the next timer. It goes on only while a scenario plays, so that a run depends on the
 * scenario and not on the speed of the machine.
 *
 * Work is idle when this process holds no immediate and no request to the system: microtasks and ticks have been run before each immediate, and no sockets
 * exist (`MemoryNetwork`). Work that waits for anything else, as for another process or for zlib, does so within `hold`.
 */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  readonly #timers = new TimerHeap();
  readonly #stalled = new Set<(error: Error) => void>();
  #elapsedMs = 0;
  #count = 0;
  #players = 0;
  #held = 0;
  #isTurning = false;
  /** Turns to go until what a request to the system has begun can be seen. */
  #settling = 0;
  #stalledAtMs: number | undefined;

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs;
  }

  readonly nowMs = (): number => this.#startMs + Math.floor(this.#elapsedMs);
  readonly monotonicMs = (): number => this.#elapsedMs;

  readonly setTimer = (ms: number, fn: () => void): (() => void) => {
    this.#count += 1;
    // Never at once, as in Node: a caller that waits for nothing again and again would hold up all others.
    const timer: Timer = { atMs: this.#elapsedMs + (ms >= 1 ? ms : 1), nth: this.#count, fn };
    this.#timers.add(timer);
    return () => {
      timer.fn = undefined;
    };
  };

  /** Timers that are set, and not cancelled. */
  get pending(): number {
    return this.#timers.pending;
  }

  /** Time goes on until the work is done; several scenarios may play at once. */
  async play<T>(work: () => Promise<T>): Promise<T> {
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    this.#stalled.add(reject);
    const pause = this.resume();
    try {
      return await Promise.race([work(), stalled]);
    } finally {
      pause();
      this.#stalled.delete(reject);
    }
  }

  /** The same for players with a beginning and an end of their own; the result ends it. */
  resume(): () => void {
    this.#players += 1;
    if (!this.#isTurning) setImmediate(this.#turn);
    this.#isTurning = true;
    let isOver = false;
    return () => {
      if (!isOver) this.#players -= 1;
      isOver = true;
    };
  }

  /** Time does not move until the work is done, which cannot be seen here otherwise. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await work;
    } finally {
      this.#held -= 1;
    }
  }

  readonly #turn = (): void => {
    if (this.#players === 0) {
      this.#isTurning = false;
      return;
    }
    if (this.#held > 0) {
      systemClock.setTimer(1, this.#turn);
      return;
    }
    const next = this.#isIdle() ? this.#timers.take() : undefined;
    if (next === undefined) {
      this.#waitOn();
      return;
    }
    this.#stalledAtMs = undefined;
    this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
    // Before the call: an error of one timer must not stop the others.
    setImmediate(this.#turn);
    next.fn?.();
  };

  #isIdle(): boolean {
    const resources = process.getActiveResourcesInfo();
    if (resources.some((resource) => REQUESTS.test(resource))) this.#settling = SETTLING_TURNS;
    else if (resources.includes('Immediate')) return false;
    else this.#settling -= 1;
    if (this.#settling < 0) this.#settling = 0;
    return this.#settling === 0;
  }

  #waitOn(): void {
    if (this.#timers.size > 0 || !this.#isIdle()) {
      setImmediate(this.#turn);
      return;
    }
    this.#stalledAtMs ??= systemClock.monotonicMs();
    if (systemClock.monotonicMs() - this.#stalledAtMs < STALLED_MS) {
      systemClock.setTimer(1, this.#turn);
      return;
    }
    this.#stalledAtMs = undefined;
    const error = new Error('virtual time cannot go on: no timer is set, and nothing is under way. Waits for real work belong into `hold`');
    for (const reject of this.#stalled) reject(error);
    systemClock.setTimer(1, this.#turn);
  }
}

/** Files and names. Handles, such as the pipe to the parent process, always exist. */
const REQUESTS = /^(FSReq\w*|CloseReq|Get(Addr|Name)InfoReqWrap|QueryReqWrap)$/;
const SETTLING_TURNS = 10;
