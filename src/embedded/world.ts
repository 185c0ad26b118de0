import { type Clock, systemClock } from '../base/clock.ts';
import { loopback, type Network } from './network.ts';

/** Clock, network and randomness of the embedded cluster: virtual ones make a run repeatable. */
export interface World {
  readonly clock: Clock;
  readonly network: Network;
  /** 0 ≤ x < 1. */
  random(): number;
}

/** The machine's clock, loopback and unseeded randomness. */
export const realWorld: World = { clock: systemClock, network: loopback, random: Math.random };

/** `2026-01-01T00:00:00Z`, now or so much later: Kubernetes' times have whole seconds. */
export const secondsText = ({ clock }: Pick<World, 'clock'>, laterMs = 0): string =>
  `${new Date(clock.nowMs() + laterMs).toISOString().slice(0, 19)}Z`;

/** A controller that only some clusters have. */
export interface StandIn {
  /** Resolves when all its kinds have been listed once; never, as long as their CRDs are not installed. */
  readonly synced: Promise<void>;
  stop(): void;
}

/** Options of such a controller. */
export interface StandInOptions {
  /** Default: the machine's. */
  clock?: Clock;
  /** Gets the error of each failed pass (most are conflicts, and are tried again). Default: ignored. */
  onError?(error: unknown, key: string): void;
}
