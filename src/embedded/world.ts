import { type Clock, systemClock } from '../api/clock.ts';
import { loopback, type Network } from './network.ts';

/** What every part of the embedded cluster takes from outside: a run that is to be played again brings its own. */
export interface World {
  readonly clock: Clock;
  readonly network: Network;
  /** 0 ≤ x < 1. */
  random(): number;
}

export const realWorld: World = { clock: systemClock, network: loopback, random: Math.random };

/** `2026-01-01T00:00:00Z`, now or so much later: Kubernetes' times have whole seconds. */
export const secondsText = ({ clock }: Pick<World, 'clock'>, laterMs = 0): string =>
  `${new Date(clock.nowMs() + laterMs).toISOString().slice(0, 19)}Z`;

/** Of the stand-ins for controllers that only some clusters have. */
export interface StandInOptions {
  /** Default: the machine's. */
  clock?: Clock;
  /** Hears of each failed pass (most are conflicts, and are tried again). Default: silence. */
  onError?(error: unknown, key: string): void;
}
