import type { Clock } from '../../../src/base/clock.ts';
import { sleep } from '../../../src/base/clock.ts';
import { electLeader } from '../../../src/kube/lease.ts';
import { ShardKeeper, type ShardTerm } from '../../../src/kube/shards/shard-keeper.ts';
import { shardOf } from '../../../src/kube/shards/shard-of.ts';
import { handClock, skewedClock } from '../clock.ts';
import { ModelClient } from './client.ts';
import { calm, mortal } from './lab.ts';
import { ModelServer } from './server.ts';

export const FLEET_TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const NAMESPACE = 'default';
const GROUP_LEASE = 'flagger-leader-election';
const silent = { info: () => undefined, warn: () => undefined };

export interface FleetMember {
  readonly identity: string;
  readonly shards: number;
  /** Shards for which this member may write now; without shards, 0 is the only one. */
  held(): number[];
  /** SIGKILL. */
  kill(): void;
  /** SIGTERM: releases what it holds. */
  stop(): void;
}

export interface MemberOptions {
  /** 1: a replica without shards, as every earlier version is one. */
  shards: number;
  /** Speed of its clock. */
  rate?: number;
  latencyMs?: () => number;
}

/** Replicas with any number of shards each, on one modelled API server in virtual time; looks at every moment who may write for which Canary. */
export class ShardFleet {
  readonly clock = handClock();
  readonly server = new ModelServer(this.clock);
  /** Moments at which two members could have written for one Canary. */
  readonly trespasses: string[] = [];
  /** Longest time that a Canary had no owner, in milliseconds, since `watchGaps`. */
  longestGapMs = 0;
  readonly #canaries = Array.from({ length: 12 }, (_, index) => ({ namespace: 'shop', name: `app-${index}` }));
  /** Shard of each Canary, by the number of shards: hashing it at every moment takes four fifths of a run. */
  readonly #shards = new Map<number, readonly number[]>();
  readonly #draw: (from: number, to: number) => number;
  readonly #members = new Map<string, FleetMember>();
  #ownedAtMs: number[] = [];
  #started = 0;

  constructor(draw: (from: number, to: number) => number) {
    this.#draw = draw;
    this.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  }

  get members(): FleetMember[] {
    return [...this.#members.values()];
  }

  /** Every Canary has an owner from now on, but for gaps that count. */
  watchGaps(): void {
    this.#ownedAtMs = this.#canaries.map(() => this.clock.monotonicMs());
  }

  start(options: MemberOptions): FleetMember {
    const identity = `replica-${this.#started++}`;
    const life = mortal(skewedClock(this.clock, options.rate ?? 1, this.#draw(0, 3_600_000)));
    const client = new ModelClient(this.server, { clock: life.clock, latencyMs: options.latencyMs ?? (() => this.#draw(1, 100)) });
    const own = { identity, client, clock: life.clock };
    const { held, stop } = options.shards === 1 ? this.#alone(own) : this.#sharded(own, options.shards);
    const leave = () => this.#members.delete(identity);
    const member: FleetMember = {
      ...{ identity, held, shards: options.shards },
      kill() {
        client.kill();
        life.die();
        leave();
      },
      stop: () => void stop().then(leave),
    };
    this.#members.set(identity, member);
    return member;
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.monotonicMs() + ms;
    while (this.clock.monotonicMs() < untilMs) {
      this.clock.advance(Math.min(untilMs - this.clock.monotonicMs(), this.clock.nextInMs ?? Number.POSITIVE_INFINITY));
      await calm(this.server);
      this.#look();
    }
  }

  async end(): Promise<void> {
    for (const member of this.members) member.kill();
    this.server.stop();
  }

  #look(): void {
    const nowMs = this.clock.monotonicMs();
    const holdings = this.members.map((member) => ({ member, shards: member.held() })).filter(({ shards }) => shards.length > 0);
    for (const [index, canary] of this.#canaries.entries()) {
      const owners = holdings.filter(({ member, shards }) => shards.includes(this.#shardsOf(member.shards)[index] ?? 0));
      if (owners.length > 1)
        this.trespasses.push(
          `${nowMs} ms: ${canary.name} is owned by ${owners.map(({ member }) => `${member.identity} of ${member.shards}`).join(' and ')}`,
        );
      const before = this.#ownedAtMs[index];
      if (before === undefined) continue;
      this.longestGapMs = Math.max(this.longestGapMs, nowMs - before);
      if (owners.length > 0) this.#ownedAtMs[index] = nowMs;
    }
  }

  #shardsOf(count: number): readonly number[] {
    const known = this.#shards.get(count) ?? this.#canaries.map((canary) => shardOf(canary, count));
    this.#shards.set(count, known);
    return known;
  }

  #alone({ identity, client, clock }: { identity: string; client: ModelClient; clock: Clock }) {
    const leadership = electLeader(client, {
      ...FLEET_TIMES,
      ...{ namespace: NAMESPACE, name: GROUP_LEASE, identity, clock },
      onLeading: () => undefined,
      onLost: () => undefined,
    });
    return { held: () => (mayWrite(leadership, clock) ? [0] : []), stop: () => leadership.stop() };
  }

  #sharded({ identity, client, clock }: { identity: string; client: ModelClient; clock: Clock }, shards: number) {
    const keeper = new ShardKeeper(client, {
      ...FLEET_TIMES,
      ...{ shards, namespace: NAMESPACE, groupLease: GROUP_LEASE, leaseOf: (shard) => `serin-${shard}`, identity, clock, log: silent },
      random: () => this.#draw(0, 1_000) / 1_000,
      onHeld: () => undefined,
      onLost: () => undefined,
      onHandOver: () => sleep(clock, this.#draw(0, 3_000)),
    });
    return { held: () => keeper.held.filter((shard) => mayWrite(keeper.term(shard), clock)), stop: () => keeper.stop() };
  }
}

function mayWrite(term: ShardTerm, clock: Clock): boolean {
  return term.term()?.aborted === false && clock.monotonicMs() < term.mayWriteUntilMs();
}
