import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import { sleep } from '../base/clock.ts';
import type { Cluster } from './cluster.ts';
import { isConflict, isNotFound } from './errors.ts';
import {
  holderOf,
  type LeaseRef,
  LeaseSighting,
  LeaseTerm,
  type LeaseTimes,
  leaseRef,
  leaseTimes,
  leaseWith,
  withinLimit,
} from './lease-record.ts';

/** Times: 15 000, 10 000 and 2 000 ms by default. */
export interface LeaseOptions extends Partial<LeaseTimes> {
  namespace: string;
  name: string;
  /** Unique per process, not only per pod: a restarted process must not take its predecessor's lease for its own. */
  identity: string;
  clock: Clock;
  /** The signal aborts when the lease is lost or given up. */
  onLeading(signal: AbortSignal): void;
  /** Another holds it, or it could not be renewed. */
  onLost(): void;
  /** Given up by `stop`: no standby waits for its end. */
  onReleased?(): void;
  /** Work that waits while the API server is slow, for an annotation at the next renewal. `undefined` removes it. */
  slowNote?(): string | undefined;
  /** Another holder (or none: '') was seen. */
  onObserved?(holder: string): void;
  /** Time for which a free lease is left to other candidates. 0 by default. */
  patienceMs?(): number;
  /** The lease could be free at the next look. */
  onNearlyFree?(): void;
  /** Called before a free lease is taken. */
  mayTake?(): Promise<boolean>;
  /** Delay of the first look, in milliseconds: candidates that start together look one after the other. 0 by default. */
  firstLookMs?: number;
  log?: { warn(fields: object, message: string): void } | undefined;
}

export interface Leadership {
  isLeader(): boolean;
  /** Monotonic milliseconds until which a write may start: renewedAt + renewDeadline. 0 for a standby. */
  mayWriteUntilMs(): number;
  /** Aborts when the lease is lost or given up: a write under way ends with it. Undefined for a standby. */
  term(): AbortSignal | undefined;
  /** Ends the term, lets another candidate have the lease, and campaigns on. */
  giveUp(): Promise<void>;
  /** Stops campaigning and releases the lease, so that a standby takes over at its next look. */
  stop(): Promise<void>;
}

const DEADLINE_PASSED = 'renew deadline passed';

interface Held {
  term: LeaseTerm;
  /** The last written version. */
  lease: KubeObject;
}

/** Campaigns for one Lease until stopped; see `LeaderElection`. */
export function electLeader(cluster: Cluster, options: LeaseOptions): Leadership {
  return new LeaderElection(cluster, options);
}

/**
 * Every duration is measured on our own monotonic clock: another machine's timestamps only show that the record changed. `renewedAt` is the time before the
 * request was sent, the earliest time from which the server can count.
 */
class LeaderElection implements Leadership {
  readonly #cluster: Cluster;
  readonly #options: LeaseOptions;
  readonly #times: LeaseTimes;
  readonly #ref: LeaseRef;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #sighting: LeaseSighting;
  #held: Held | undefined;
  /** Time since which no Lease of this name was found, in monotonic milliseconds. */
  #absentFromMs: number | undefined;
  /** Time when a lease that others hold, or can take first, can be taken. */
  #freeFromMs: number | undefined;
  #isGivingUp = false;
  /** The Lease that a campaign has read and whose write has no answer yet. */
  #taking: KubeObject | undefined;

  constructor(cluster: Cluster, options: LeaseOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#times = leaseTimes(options);
    this.#ref = leaseRef(options.namespace, options.name);
    this.#sighting = new LeaseSighting(this.#times.leaseDurationMs);
    this.#running = this.#run();
  }

  isLeader(): boolean {
    return this.#options.clock.monotonicMs() < this.mayWriteUntilMs();
  }

  mayWriteUntilMs(): number {
    return this.#held?.term.untilMs ?? 0;
  }

  term(): AbortSignal | undefined {
    return this.#held?.term.signal;
  }

  async giveUp(): Promise<void> {
    const last = this.#held;
    if (last === undefined || this.#isGivingUp) return;
    this.#isGivingUp = true; // no renewal of ours must arrive after the release
    try {
      this.#endTerm('the lease is given up');
      await this.#release(last.lease, last.term.untilMs);
    } finally {
      this.#isGivingUp = false;
    }
  }

  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return this.#running;
    this.#stopping.abort(new Error('stopped'));
    await this.#running; // no renewal of ours must arrive after the release
    const last = this.#held;
    this.#endTerm('the lease is released');
    if (last !== undefined) await this.#release(last.lease, last.term.untilMs);
    // A write without a known answer might have been stored.
    else if (this.#taking !== undefined) await this.#release(this.#taking, this.#deadlineOf(this.#options.clock.monotonicMs()));
  }

  #deadlineOf(renewedAtMs: number): number {
    return renewedAtMs + this.#times.renewDeadlineMs;
  }

  get #label(): string {
    return `${this.#ref.namespace}/${this.#ref.name}`;
  }

  #won(lease: KubeObject, renewedAtMs: number): void {
    const isNew = this.#held === undefined;
    const passed = () => this.#lost(DEADLINE_PASSED);
    const term = this.#held?.term ?? new LeaseTerm(this.#options.clock, this.#times.renewDeadlineMs, passed);
    term.renewed(renewedAtMs);
    this.#held = { term, lease };
    this.#sighting.forget();
    if (isNew) this.#options.onLeading(term.signal);
  }

  #lost(why: string): void {
    if (!this.#endTerm(`the lease is lost: ${why}`)) return;
    this.#options.log?.warn({ lease: this.#label, why }, 'leadership lost');
    this.#options.onLost();
  }

  /** False where nothing was held. */
  #endTerm(why: string): boolean {
    const held = this.#held;
    this.#held = undefined;
    held?.term.end(why);
    return held !== undefined;
  }

  #leaseOf(previous: KubeObject | undefined, holder: string): KubeObject {
    const { leaseDurationMs } = this.#times;
    return leaseWith({
      ref: this.#ref,
      previous,
      holder,
      nowMs: this.#options.clock.nowMs(),
      leaseDurationMs,
      note: this.#options.slowNote?.(),
    });
  }

  /** Each request ends with our time to write at the latest, so that no renewal comes back after it. */
  #within<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withinLimit(this.#options.clock, { limitMs, stopping: this.#stopping.signal }, work);
  }

  #leftMs({ term }: Held): number {
    return term.untilMs - this.#options.clock.monotonicMs();
  }

  /** True also if its time has passed: a process that was frozen comes here before the timer of the term runs. */
  #isOver(held: Held): boolean {
    if (this.#held !== held) return true;
    if (this.#leftMs(held) > 0) return false;
    this.#lost(DEADLINE_PASSED);
    return true;
  }

  async #renew(current: Held): Promise<void> {
    const startedAtMs = this.#options.clock.monotonicMs();
    if (this.#isOver(current)) return;
    try {
      const lease = await this.#within(this.#leftMs(current), (signal) =>
        this.#cluster.replace(this.#leaseOf(current.lease, this.#options.identity), { signal }),
      );
      if (this.#held === current) this.#won(lease, startedAtMs);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      await this.#lookAgain(current, startedAtMs);
    }
  }

  /** Another write came first: our own late renewal, an annotation, or another holder. */
  async #lookAgain(current: Held, startedAtMs: number): Promise<void> {
    if (this.#isOver(current)) return;
    const found = await this.#within(this.#leftMs(current), (signal) => this.#cluster.get(this.#ref, { signal }));
    if (this.#isOver(current)) return;
    const holder = holderOf(found);
    if (found === undefined || holder !== this.#options.identity) {
      this.#lost(holder === '' ? 'released by another writer' : `held by ${holder}`);
      return;
    }
    const lease = await this.#within(this.#leftMs(current), (signal) =>
      this.#cluster.replace(this.#leaseOf(found, this.#options.identity), { signal }),
    );
    if (this.#held === current) this.#won(lease, startedAtMs);
  }

  async #campaign(): Promise<void> {
    const { clock, identity, mayTake, onNearlyFree } = this.#options;
    this.#freeFromMs = undefined;
    this.#taking = undefined;
    const found = await this.#within(this.#times.renewDeadlineMs, (signal) => this.#cluster.get(this.#ref, { signal }));
    if (!this.#isFree(found)) {
      if (this.#untilFreeMs() <= this.#times.retryPeriodMs) onNearlyFree?.();
      return;
    }
    if (mayTake !== undefined && !(await mayTake())) return;
    const startedAtMs = clock.monotonicMs();
    const lease = this.#leaseOf(found, identity);
    this.#taking = found;
    const answer = await this.#within(this.#times.renewDeadlineMs, (signal) =>
      found === undefined ? this.#cluster.create(lease, { signal }) : this.#cluster.replace(lease, { signal }),
    );
    if (this.#stopping.signal.aborted || clock.monotonicMs() >= this.#deadlineOf(startedAtMs)) return;
    this.#taking = undefined;
    this.#won(answer, startedAtMs);
  }

  #isFree(found: KubeObject | undefined): boolean {
    const { identity, clock, onObserved, patienceMs } = this.#options;
    const nowMs = clock.monotonicMs();
    const before = this.#sighting.holder;
    this.#absentFromMs = found === undefined ? (this.#absentFromMs ?? nowMs) : undefined;
    const freeFromMs = found === undefined ? (this.#absentFromMs ?? nowMs) : this.#sighting.freeFromMs(found, identity, nowMs);
    const holder = holderOf(found);
    if (before !== holder) onObserved?.(holder);
    this.#freeFromMs = freeFromMs + (holder === identity ? 0 : (patienceMs?.() ?? 0));
    return nowMs >= this.#freeFromMs;
  }

  async #run(): Promise<void> {
    await this.#pause(this.#options.firstLookMs ?? 0);
    while (!this.#stopping.signal.aborted) {
      try {
        if (this.#held !== undefined) await this.#renew(this.#held);
        else if (!this.#isGivingUp) await this.#campaign();
      } catch (err) {
        // A conflict in a campaign is a race that another won.
        if (!this.#stopping.signal.aborted && !isConflict(err))
          this.#options.log?.warn({ lease: this.#label, err }, 'lease request failed');
      }
      await this.#pause(this.#untilNextLookMs());
    }
  }

  /** A lease that is about to be free is looked at when it is. */
  #untilNextLookMs(): number {
    const { retryPeriodMs } = this.#times;
    const leftMs = this.#held === undefined ? this.#untilFreeMs() : 0;
    return leftMs > 0 ? Math.min(leftMs, retryPeriodMs) : retryPeriodMs;
  }

  #untilFreeMs(): number {
    return this.#freeFromMs === undefined ? 0 : this.#freeFromMs - this.#options.clock.monotonicMs();
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0 && !this.#stopping.signal.aborted) await sleep(this.#options.clock, ms, this.#stopping.signal).catch(() => undefined); // stopped: the loop ends
  }

  /** A renewal without a known answer might have been stored: then the lease is still ours, in another version. */
  async #clearHolder(lease: KubeObject, signal: AbortSignal): Promise<void> {
    try {
      await this.#cluster.replace(this.#leaseOf(lease, ''), { signal });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const found = await this.#cluster.get(this.#ref, { signal });
      if (found !== undefined && holderOf(found) === this.#options.identity)
        await this.#cluster.replace(this.#leaseOf(found, ''), { signal });
    }
  }

  async #release(lease: KubeObject, untilMs: number): Promise<void> {
    const limit = new AbortController();
    const cancel = this.#options.clock.setTimer(Math.max(0, untilMs - this.#options.clock.monotonicMs()), () =>
      limit.abort(new Error('too late to release the lease')),
    );
    try {
      await this.#clearHolder(lease, limit.signal);
      this.#options.onReleased?.();
    } catch (err) {
      this.#options.log?.warn({ lease: this.#label, err }, 'lease not released: it expires by itself');
    } finally {
      cancel();
    }
  }
}
