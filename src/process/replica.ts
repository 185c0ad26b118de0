import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { ControllerConfig } from '../controller/config.ts';
import type { Controller } from '../controller/controller.ts';
import type { Cluster } from '../kube/cluster.ts';
import { electLeader, type Leadership } from '../kube/lease.ts';
import { leaseName, leaseNamespace } from './lease-names.ts';
import { reasonOfStaleness, reportFirstRead } from './readiness.ts';

export interface ReplicaOptions {
  config: ControllerConfig;
  identity: string;
  clock: Clock;
  log: Logger;
  /** Starts the controller; `mayWrite` is absent without leader election. */
  startController(mayWrite?: () => boolean): Controller;
  /** A client only for the lease: a busy request queue must not lose the lease. */
  leaseClient(): Cluster;
  /** Work that waits while the API server is slow, in words. */
  slowNote(): string | undefined;
  /** Address of the cluster of the routes, where it is another one. */
  routesAt: string | undefined;
}

/** One replica of the controller: it reconciles Canaries while it holds the lease, or always where leader election is off. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #leadership: Leadership | undefined;
  #controller: Controller | undefined;
  #hasRead = false;
  #isStopping = false;
  #standby = Promise.resolve();

  constructor(options: ReplicaOptions) {
    this.#options = options;
    if (options.config.enableLeaderElection) this.#leadership = this.#campaign();
    else this.#lead();
  }

  /** `undefined` if writes need no lease. */
  get leadership(): Leadership | undefined {
    return this.#leadership;
  }

  /** Reason why the replica is not ready, `undefined` if it is ready. */
  unready(): string | undefined {
    return this.#controller && reasonOfStaleness([{ controller: this.#controller, hasRead: this.#hasRead }]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#controller?.stop();
    await this.#leadership?.stop();
  }

  #lead(): void {
    const { config, clock, log, startController, routesAt } = this.#options;
    const leadership = this.#leadership;
    const controller = startController(leadership && (() => clock.monotonicMs() < leadership.mayWriteUntilMs()));
    this.#controller = controller;
    const isOver = () => this.#isStopping || this.#controller !== controller;
    reportFirstRead(controller, { config, log, routesAt, isOver }, () => {
      this.#hasRead = true;
    });
  }

  #campaign(): Leadership {
    const { config, identity, clock, log, leaseClient, slowNote } = this.#options;
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = config;
    return electLeader(leaseClient(), {
      namespace: leaseNamespace(config),
      name: leaseName(config),
      identity,
      leaseDurationMs,
      renewDeadlineMs,
      retryPeriodMs,
      clock,
      log,
      slowNote,
      onLeading: () => void this.#standby.then(() => this.#lead()),
      onLost: () => {
        log.warn({}, 'lease lost: on standby');
        this.#standby = this.#controller?.stop() ?? this.#standby;
        this.#controller = undefined;
      },
      onReleased: () => log.info({}, 'the lease is released'),
    });
  }
}
