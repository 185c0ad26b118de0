import type { KubeObject } from '../../api/kube-object.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Cluster } from '../cluster.ts';
import { isConflict } from '../errors.ts';
import {
  holderOf,
  type LeaseRef,
  LeaseSighting,
  LeaseTerm,
  type LeaseTimes,
  leaseRef,
  leaseSpecOf,
  leaseWith,
  withinLimit,
} from '../lease-record.ts';

/** Annotation by which a member without its share of the shards requests one: its identity and the time, which shows that it still does. */
export const wantedByAnnotation = 'serin.dev/shard-wanted-by';
/** Pause after another member's write came first. Milliseconds. */
const AFTER_CONFLICT_MS = { from: 20, to: 200 };

export interface SharedLeaseOptions extends LeaseTimes {
  namespace: string;
  name: string;
  /** Held under this identity by every member. */
  group: string;
  /** Identity of this process. */
  member: string;
  clock: Clock;
  /** 0 ≤ x < 1. */
  random: () => number;
  /** This member needs the lease; while it does not, it only looks. */
  isNeeded(): boolean;
  /** True if this member requests a shard. */
  isAsking(): boolean;
  /** A member requests a shard. */
  onAsked(by: string): void;
  /** Another group holds it, or it could not be renewed. */
  onLost(): void;
  log?: { warn(fields: object, message: string): void } | undefined;
}

/**
 * A Lease that several processes hold together, each by renewals of its own: any other identity waits until no member has renewed it for the
 * duration of the lease, and a member writes only until `renewDeadlineMs` after its own last renewal. So when another group takes it, the time
 * of every member is over, whether or not the members know of each other. Never released: a member does not know whether it is the last one.
 */
export class SharedLease {
  readonly #cluster: Cluster;
  readonly #options: SharedLeaseOptions;
  readonly #ref: LeaseRef;
  readonly #sighting: LeaseSighting;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #held: LeaseTerm | undefined;
  #round: Promise<void> | undefined;
  /** Time when a lease that another group holds can be taken, in monotonic milliseconds. */
  #freeFromMs = 0;
  /** The request for a shard that was seen last; '' is none. */
  #request: string | undefined;

  constructor(cluster: Cluster, options: SharedLeaseOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#ref = leaseRef(options.namespace, options.name);
    this.#sighting = new LeaseSighting(options.leaseDurationMs);
    this.#running = this.#run();
  }

  mayWriteUntilMs(): number {
    return this.#held?.untilMs ?? 0;
  }

  /** Aborts when the lease is lost. `undefined` if this member does not hold it. */
  term(): AbortSignal | undefined {
    return this.#held?.signal;
  }

  /** True if this member holds it. Otherwise it looks first, and waits for a lease that is about to be free. */
  async hold(): Promise<boolean> {
    for (;;) {
      if (this.#held === undefined) await this.#round; // it might have begun before the lease was needed
      const isDone = this.#held !== undefined || (await this.#runRound());
      if (this.#held !== undefined || this.#stopping.signal.aborted) return this.#held !== undefined;
      const leftMs = this.#freeFromMs - this.#options.clock.monotonicMs();
      if (isDone && (leftMs <= 0 || leftMs > this.#options.retryPeriodMs)) return false;
      await this.#pause(isDone ? leftMs : this.#afterConflictMs());
    }
  }

  /** Stops looking. Another group waits for the duration of the lease. */
  async stop(): Promise<void> {
    if (!this.#stopping.signal.aborted) this.#stopping.abort(new Error('stopped'));
    await this.#running;
    this.#end('the lease is left');
  }

  async #run(): Promise<void> {
    const { random, retryPeriodMs } = this.#options;
    await this.#pause(random() * retryPeriodMs);
    while (!this.#stopping.signal.aborted) {
      const isDone = await this.#runRound();
      await this.#pause(isDone ? retryPeriodMs : this.#afterConflictMs());
    }
  }

  #afterConflictMs(): number {
    return AFTER_CONFLICT_MS.from + this.#options.random() * (AFTER_CONFLICT_MS.to - AFTER_CONFLICT_MS.from);
  }

  async #pause(ms: number): Promise<void> {
    if (!this.#stopping.signal.aborted) await sleep(this.#options.clock, ms, this.#stopping.signal).catch(() => undefined); // stopped
  }

  /** One round at a time. False if another writer came first. */
  async #runRound(): Promise<boolean> {
    while (this.#round !== undefined) await this.#round;
    const round = Promise.withResolvers<void>();
    this.#round = round.promise;
    try {
      await this.#runOnce();
      return true;
    } catch (err) {
      if (isConflict(err)) return false;
      if (!this.#stopping.signal.aborted) this.#options.log?.warn({ lease: this.#label, err }, 'lease request failed');
      return true;
    } finally {
      this.#round = undefined;
      round.resolve();
    }
  }

  get #label(): string {
    return `${this.#ref.namespace}/${this.#ref.name}`;
  }

  async #runOnce(): Promise<void> {
    const { clock, group, isNeeded, isAsking, renewDeadlineMs } = this.#options;
    const limitMs = this.#held === undefined ? renewDeadlineMs : this.mayWriteUntilMs() - clock.monotonicMs();
    const found = await this.#within(limitMs, (signal) => this.#cluster.get(this.#ref, { signal }));
    const holder = holderOf(found);
    const nowMs = clock.monotonicMs();
    this.#freeFromMs = found === undefined ? nowMs : this.#sighting.freeFromMs(found, group, nowMs);
    if (nowMs < this.#freeFromMs) {
      this.#lost(`held by ${holder}`);
      return;
    }
    if (holder === group) this.#hear(found);
    if (!isNeeded() && !(holder === group && isAsking())) {
      this.#end('the lease is not needed');
      return;
    }
    await this.#renew(found, limitMs);
  }

  async #renew(found: KubeObject | undefined, limitMs: number): Promise<void> {
    const { clock, isNeeded, renewDeadlineMs } = this.#options;
    const startedAtMs = clock.monotonicMs();
    const lease = this.#leaseOf(found);
    await this.#within(limitMs, (signal) =>
      found === undefined ? this.#cluster.create(lease, { signal }) : this.#cluster.replace(lease, { signal }),
    );
    const leftMs = startedAtMs + renewDeadlineMs - clock.monotonicMs();
    if (this.#stopping.signal.aborted || leftMs <= 0 || !isNeeded()) return;
    this.#held ??= new LeaseTerm(clock, renewDeadlineMs, () => this.#lost('renew deadline passed'));
    this.#held.renewed(startedAtMs);
  }

  /** A request that is unchanged since the last look could be of a member that is gone. */
  #hear(found: KubeObject | undefined): void {
    const before = this.#request;
    this.#request = found?.metadata.annotations?.[wantedByAnnotation] ?? '';
    const [by = ''] = this.#request.split(' ');
    if (before !== undefined && this.#request !== before && by !== '' && by !== this.#options.member) this.#options.onAsked(by);
  }

  #leaseOf(previous: KubeObject | undefined): KubeObject {
    const { group, member, clock, isAsking } = this.#options;
    // Members can have different settings during a roll-out: a promise of one member holds for as long as the group does.
    const promisedMs = holderOf(previous) === group ? 1000 * (leaseSpecOf(previous as KubeObject).leaseDurationSeconds ?? 0) : 0;
    const leaseDurationMs = Math.max(this.#options.leaseDurationMs, promisedMs);
    const lease = leaseWith({ ref: this.#ref, previous, holder: group, nowMs: clock.nowMs(), leaseDurationMs });
    const { annotations, ...metadata } = lease.metadata;
    const { [wantedByAnnotation]: before, ...others } = annotations ?? {};
    const kept = before?.startsWith(`${member} `) ? undefined : before;
    const wantedBy = isAsking() ? `${member} ${leaseSpecOf(lease).renewTime}` : kept;
    const next = wantedBy === undefined ? others : { ...others, [wantedByAnnotation]: wantedBy };
    return { ...lease, metadata: { ...metadata, ...(Object.keys(next).length > 0 && { annotations: next }) } };
  }

  #within<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withinLimit(this.#options.clock, { limitMs, stopping: this.#stopping.signal }, work);
  }

  #lost(why: string): void {
    if (!this.#end(`the lease is lost: ${why}`)) return;
    this.#options.log?.warn({ lease: this.#label, why }, 'leadership lost');
    this.#options.onLost();
  }

  /** False where it was not held. */
  #end(why: string): boolean {
    const term = this.#held;
    this.#held = undefined;
    term?.end(why);
    return term !== undefined;
  }
}
