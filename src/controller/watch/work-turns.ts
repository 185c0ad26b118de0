import type { Clock } from '../../base/clock.ts';
import { createTokenBucket, type TokenBucket } from '../../kube/token-bucket.ts';

/** Pieces of work in one turn of the event loop: each takes about a millisecond, and timers and sockets wait as long. */
const SMALLEST_SLICE = 10;
const LARGEST_SLICE = 100;
/** Part of the time while changes wait: a process that is busy with answers and timers would otherwise hear of lost pods a minute late. */
const SHARE = 0.25;
/** A rollout of a hundred pods needs fewer at once; what is changed faster is looked at as often as this. */
export const PACE = { burst: 50, qps: 5 };
/** Time without work after which the burst is full again. Milliseconds. */
const FORGOTTEN_MS = (PACE.burst / PACE.qps) * 1000;

type QueuedWork = () => void;

/**
 * Work that changes of the cluster cause: at once while there is little of it. Otherwise namespaces take turns, in slices, which get a quarter of the time. A
 * key that waits already is not added again, since its work looks at the state by then.
 */
export class WorkTurns {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #lines = new Map<string, Map<string, QueuedWork>>();
  /** Keys that were changed too often, until they can have a turn again. */
  readonly #paused = new Map<string, { cancel: () => void }>();
  /** The ones used last come last. */
  readonly #paces = new Map<string, { bucket: TokenBucket; usedAtMs: number }>();
  #left = SMALLEST_SLICE;
  #size = SMALLEST_SLICE;
  #sliceEndedMs = Number.NEGATIVE_INFINITY;
  #nextSlice: NodeJS.Immediate | undefined;
  #isStopped = false;

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  add(namespace: string, key: string, work: QueuedWork): void {
    if (this.#isStopped || this.#paused.has(key) || this.#lines.get(namespace)?.has(key)) return;
    const waitMs = this.#take(key);
    if (waitMs === 0) {
      this.#enqueue(namespace, key, work);
      return;
    }
    const again = (): void => {
      this.#paused.delete(key);
      this.add(namespace, key, work);
    };
    this.#paused.set(key, { cancel: this.#clock.setTimer(waitMs, again) });
  }

  /** Keys whose pace is remembered: those of the last seconds. */
  get remembered(): number {
    return this.#paces.size;
  }

  stop(): void {
    this.#isStopped = true;
    for (const { cancel } of this.#paused.values()) cancel();
    clearImmediate(this.#nextSlice);
    this.#paused.clear();
    this.#lines.clear();
  }

  #take(key: string): number {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, { usedAtMs }] of this.#paces) {
      if (usedAtMs + FORGOTTEN_MS > nowMs) break;
      this.#paces.delete(old);
    }
    const { bucket } = this.#paces.get(key) ?? { bucket: createTokenBucket(this.#clock, PACE) };
    this.#paces.delete(key);
    this.#paces.set(key, { bucket, usedAtMs: nowMs });
    return bucket.take();
  }

  #enqueue(namespace: string, key: string, work: QueuedWork): void {
    const isIdle = this.#lines.size === 0;
    const line = this.#lines.get(namespace) ?? new Map<string, QueuedWork>();
    line.set(key, work);
    this.#lines.set(namespace, line);
    if (isIdle) this.#serve();
  }

  /** The next slice. It sets the size of the slice that follows. */
  #slice(): NodeJS.Immediate {
    const askedMs = this.#clock.monotonicMs();
    let beganMs = askedMs;
    const slice = setImmediate(() => {
      beganMs = this.#clock.monotonicMs();
      this.#nextSlice = undefined;
      this.#left = this.#size;
      this.#serve();
    });
    // Comes when the promises that the slice has set going are settled: most of the work is theirs.
    setImmediate(() => {
      const elsewhereMs = beganMs - Math.max(askedMs, this.#sliceEndedMs);
      this.#sliceEndedMs = this.#clock.monotonicMs();
      this.#size = this.#lines.size === 0 ? SMALLEST_SLICE : this.#sizeAfter(this.#sliceEndedMs - beganMs, elsewhereMs);
    });
    return slice;
  }

  #sizeAfter(sliceMs: number, elsewhereMs: number): number {
    const fairMs = (elsewhereMs * SHARE) / (1 - SHARE);
    // Doubled at the most: one long pause of something else must not cause as long a slice.
    const growth = Math.min(2, fairMs / Math.max(1, sliceMs));
    return Math.min(LARGEST_SLICE, Math.max(SMALLEST_SLICE, Math.round(this.#size * growth)));
  }

  #serve(): void {
    for (const [namespace, line] of this.#lines) {
      this.#nextSlice ??= this.#slice();
      if (this.#left === 0) return;
      this.#left -= 1;
      // Moves the line to the end, which this loop also reaches.
      this.#lines.delete(namespace);
      const [[key, work] = []] = line;
      if (key === undefined) continue;
      line.delete(key);
      if (line.size > 0) this.#lines.set(namespace, line);
      try {
        work?.();
      } catch (error) {
        this.#onError(error); // the work of others goes on
      }
    }
  }
}
