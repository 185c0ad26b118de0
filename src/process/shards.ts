import type { Controller } from '../controller/controller.ts';
import type { Shard } from '../controller/watch/canary-slice.ts';
import type { Cluster } from '../kube/cluster.ts';
import { ShardKeeper, type ShardTerm } from '../kube/shards/shard-keeper.ts';
import { leaseName, leaseNamespace, shardLeaseName } from './lease-names.ts';
import { reasonOfStaleness, reportFirstRead } from './readiness.ts';
import type { ReplicaOptions } from './replica.ts';

export interface ShardsOptions extends Omit<ReplicaOptions, 'startController'> {
  random: () => number;
  /** A client whose writes end with the term of the shard. */
  clientOf(term: () => ShardTerm): Cluster;
  startController(options: { shard: Shard; cluster: Cluster; mayWrite: () => boolean }): Controller;
}

interface RunningShard {
  controller: Controller;
  cluster: Cluster;
  hasRead: boolean;
}

/** One replica of a Serin with several shards: a controller for each shard that it holds, which share their watches. */
export class Shards {
  readonly #options: ShardsOptions;
  readonly #keeper: ShardKeeper;
  readonly #running = new Map<number, RunningShard>();
  /** Controllers that are about to end, by shard: the next one starts after them. */
  readonly #ending = new Map<number, Promise<void>>();

  constructor(options: ShardsOptions) {
    const { config, identity, clock, random, log, leaseClient, slowNote } = options;
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, shards } = config;
    this.#options = options;
    this.#keeper = new ShardKeeper(leaseClient(), {
      ...{ leaseDurationMs, renewDeadlineMs, retryPeriodMs, shards, identity, clock, random, log, slowNote },
      namespace: leaseNamespace(config),
      groupLease: leaseName(config),
      leaseOf: (shard) => shardLeaseName(config, shard),
      onHeld: (shard) => this.#start(shard),
      onLost: (shard) => {
        log.warn({ shard }, 'shard lost');
        void this.#end(shard);
      },
      onHandOver: (shard) => this.#end(shard),
    });
  }

  /** Reason why the shards are not ready, `undefined` if they are ready. */
  unready(): string | undefined {
    return reasonOfStaleness([...this.#running.values()]);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((shard) => this.#end(shard)));
    await Promise.all(this.#ending.values());
    await this.#keeper.stop();
  }

  #start(shard: number): void {
    const { config, clock, log, clientOf, startController, routesAt } = this.#options;
    const begin = (): void => {
      const term = this.#keeper.term(shard);
      const cluster = clientOf(() => term);
      const mayWrite = () => clock.monotonicMs() < term.mayWriteUntilMs();
      const controller = startController({ shard: { index: shard, of: config.shards }, cluster, mayWrite });
      const running = { controller, cluster, hasRead: false };
      this.#running.set(shard, running);
      reportFirstRead(controller, { config, log, routesAt, shard, isOver: () => this.#running.get(shard) !== running }, () => {
        running.hasRead = true;
      });
    };
    const ending = this.#ending.get(shard);
    if (ending === undefined) begin();
    else
      void ending.then(() => {
        // Lost again, or held and started, meanwhile.
        if (this.#keeper.held.includes(shard) && !this.#running.has(shard)) begin();
      });
  }

  /** Resolves when nothing of the shard is written any more. */
  async #end(shard: number): Promise<void> {
    const running = this.#running.get(shard);
    if (running === undefined) return this.#ending.get(shard);
    this.#running.delete(shard);
    const ending = running.controller.stop().then(() => {
      running.cluster.close();
      if (this.#ending.get(shard) === ending) this.#ending.delete(shard);
    });
    this.#ending.set(shard, ending);
    await ending;
  }
}
