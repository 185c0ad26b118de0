import type { Clock } from '../../base/clock.ts';
import type { Cluster } from '../cluster.ts';
import { electLeader, type Leadership } from '../lease.ts';
import { type LeaseTimes, leaseTimes } from '../lease-record.ts';
import { MOST_SHARDS } from '../permissions.ts';
import { SharedLease } from './shared-lease.ts';

/** Time for which a replica leaves a free shard to others, for each shard that it holds beyond the first one, and at most. Milliseconds. */
const PATIENCE_MS = { each: 250, most: 750 };

/** Time in which writes for a shard may start and go on. */
export type ShardTerm = Pick<Leadership, 'mayWriteUntilMs' | 'term'>;

export interface ShardKeeperOptions extends Partial<LeaseTimes> {
  /** Number of shards, 2 at least. */
  shards: number;
  namespace: string;
  /** Name of the lease for the number of shards: all replicas with this number share it, and a replica without shards holds it exclusively. */
  groupLease: string;
  /** Name of the lease of each shard. */
  leaseOf(shard: number): string;
  /** Unique per process. */
  identity: string;
  clock: Clock;
  /** 0 ≤ x < 1. */
  random: () => number;
  /** See `LeaseOptions`. */
  slowNote?(): string | undefined;
  onHeld(shard: number): void;
  /** The time to write for the shard is over. */
  onLost(shard: number): void;
  /** Another replica gets the shard: resolves when no write for it is under way. */
  onHandOver(shard: number): Promise<void>;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** The name under which the replicas with this number of shards hold the lease together. */
export const shardGroupName = (shards: number): string => `serin-shards-${shards}`;

/** Number of shards of the replicas that share the lease. `undefined` if one replica holds it exclusively, if none holds it, or if the text is not ours. */
export function shardsOfGroup(holder: string): number | undefined {
  const [, shards] = /^serin-shards-(\d+)$/.exec(holder) ?? [];
  const count = Number(shards);
  return count >= 2 && count <= MOST_SHARDS ? count : undefined;
}

/**
 * The shards that this replica holds (I9). A write for a shard needs two leases: that of the shard, which one replica holds, and the group lease, which
 * only replicas with the same number of shards hold at one time. So two replicas never own one Canary, even while the number of shards changes.
 */
export class ShardKeeper {
  readonly #options: ShardKeeperOptions;
  readonly #times: LeaseTimes;
  readonly #group: SharedLease;
  readonly #elections: Leadership[];
  readonly #held = new Set<number>();
  /** Last seen holder of each shard. */
  readonly #holders: string[];
  readonly #terms = new Map<number, { of: AbortSignal; group: AbortSignal; both: AbortSignal }>();
  #neededUntilMs = 0;
  #cancelGivingUp: () => void = () => undefined;
  #handedOver = { shard: -1, atMs: Number.NEGATIVE_INFINITY };
  #isStopping = false;

  constructor(cluster: Cluster, options: ShardKeeperOptions) {
    const { shards, namespace, groupLease, leaseOf, identity, clock, random, slowNote, log } = options;
    this.#options = options;
    this.#times = leaseTimes(options);
    this.#holders = Array.from({ length: shards }, () => '');
    this.#group = new SharedLease(cluster, {
      ...this.#times,
      ...{ namespace, name: groupLease, group: shardGroupName(shards), member: identity, clock, random, log },
      isNeeded: () => this.#held.size > 0 || clock.monotonicMs() < this.#neededUntilMs,
      isAsking: () => this.#mostOfAnother() - this.#held.size >= 2,
      onAsked: (by) => this.#asked(by),
      onLost: () => this.#lostGroup(),
    });
    this.#elections = this.#holders.map((_, shard) =>
      electLeader(cluster, {
        ...this.#times,
        ...{ namespace, name: leaseOf(shard), identity, clock, log },
        ...(slowNote && { slowNote }),
        firstLookMs: random() * this.#times.retryPeriodMs,
        patienceMs: () => this.#patienceMs(shard),
        // With slow requests, taking the group lease only then would leave the shard without an owner for some seconds more.
        onNearlyFree: () => void this.#holdGroup(),
        mayTake: () => this.#holdGroup(),
        onObserved: (holder) => {
          this.#holders[shard] = holder;
        },
        onLeading: () => {
          this.#holders[shard] = identity;
          this.#held.add(shard);
          options.onHeld(shard);
        },
        onLost: () => this.#lost(shard),
      }),
    );
  }

  /** Shards of this replica, the lowest first. */
  get held(): number[] {
    return [...this.#held].sort((a, b) => a - b);
  }

  term(shard: number): ShardTerm {
    const election = this.#elections[shard];
    return {
      mayWriteUntilMs: () => Math.min(election?.mayWriteUntilMs() ?? 0, this.#group.mayWriteUntilMs()),
      term: () => this.#bothTerms(shard, election?.term(), this.#group.term()),
    };
  }

  /** Gives up every shard; the caller has ended their writes. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelGivingUp();
    await Promise.all(this.#elections.map((election) => election.stop()));
    this.#held.clear();
    await this.#group.stop();
  }

  #holdGroup(): Promise<boolean> {
    this.#neededUntilMs = this.#options.clock.monotonicMs() + 2 * this.#times.retryPeriodMs;
    return this.#group.hold();
  }

  #bothTerms(shard: number, of: AbortSignal | undefined, group: AbortSignal | undefined): AbortSignal | undefined {
    if (of === undefined || group === undefined) return undefined;
    const known = this.#terms.get(shard);
    if (known?.of === of && known.group === group) return known.both;
    const both = AbortSignal.any([of, group]);
    this.#terms.set(shard, { of, group, both });
    return both;
  }

  #lost(shard: number): void {
    if (!this.#held.delete(shard)) return;
    this.#holders[shard] = '';
    this.#terms.delete(shard);
    this.#options.onLost(shard);
  }

  /**
   * A replica without shards takes a free one first, above all if it requested one. Half of a retry period is not always enough for that: if another replica
   * was faster, it hands a shard over soon after, and no shard lacked an owner for longer.
   */
  #patienceMs(shard: number): number {
    const { retryPeriodMs } = this.#times;
    if (shard === this.#handedOver.shard && this.#sinceHandOverMs() < this.#times.leaseDurationMs) return 2 * retryPeriodMs;
    if (this.#held.size === 0) return 0;
    return retryPeriodMs / 2 + Math.min((this.#held.size - 1) * PATIENCE_MS.each, PATIENCE_MS.most);
  }

  #sinceHandOverMs(): number {
    return this.#options.clock.monotonicMs() - this.#handedOver.atMs;
  }

  /** The shards are kept for as long as after any lost lease: the API server can still carry out a cancelled write. */
  #lostGroup(): void {
    const { leaseDurationMs, renewDeadlineMs } = this.#times;
    for (const shard of this.held) this.#lost(shard);
    this.#cancelGivingUp();
    this.#cancelGivingUp = this.#options.clock.setTimer(leaseDurationMs - renewDeadlineMs, () => {
      for (const [shard, election] of this.#elections.entries()) if (!this.#held.has(shard)) void election.giveUp();
    });
  }

  #countOf(holder: string): number {
    return this.#holders.filter((one) => one === holder).length;
  }

  #mostOfAnother(): number {
    const others = new Set(this.#holders.filter((holder) => holder !== '' && holder !== this.#options.identity));
    return Math.max(0, ...[...others].map((holder) => this.#countOf(holder)));
  }

  /**
   * The replica with the most shards gives one to a replica that requests it, if that makes their numbers more even. At most one in each duration of a lease.
   */
  #asked(by: string): void {
    const { clock, identity } = this.#options;
    const own = this.#held.size;
    const hasMost = [...new Set(this.#holders)].every((holder) => {
      const count = holder === '' || holder === identity ? 0 : this.#countOf(holder);
      return count < own || (count === own && holder > identity);
    });
    const isEarly = this.#sinceHandOverMs() < this.#times.leaseDurationMs;
    const shard = this.held.at(-1);
    if (this.#isStopping || shard === undefined || isEarly || !hasMost || own - this.#countOf(by) < 2) return;
    this.#handedOver = { shard, atMs: clock.monotonicMs() };
    void this.#handOver(shard, by);
  }

  async #handOver(shard: number, to: string): Promise<void> {
    const { log, onHandOver } = this.#options;
    log.info({ shard, to }, 'shard is handed over');
    await onHandOver(shard);
    // Lost, or everything is given up, while its writes ended.
    if (!this.#held.delete(shard) || this.#isStopping) return;
    this.#holders[shard] = '';
    this.#terms.delete(shard);
    await this.#elections[shard]?.giveUp();
  }
}
