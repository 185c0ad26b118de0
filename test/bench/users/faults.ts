import { setTimeout as sleep } from 'node:timers/promises';
import type { FakePrometheus } from '../at-once/fake-prometheus.ts';
import type { FaultProxy } from '../at-once/fault-proxy.ts';
import type { UsersFault } from './recorded-users.ts';

export interface Faulty {
  proxy: FaultProxy;
  prometheus: FakePrometheus;
  /** Kills the leader; another process is on standby. */
  killLeader(): Promise<void>;
}

/** Shorter than any release under a check of 10 s with a threshold of 3. */
const KILLED_WITHIN_MS = 25_000;
const FAULT_AFTER_MS = 15_000;
const FAULT_MS = 60_000;

/** A moment after the push; `random` is from 0 to 1. */
export const killAfterMs = (random: number): number => Math.round(random * KILLED_WITHIN_MS);

/** From the push until the fault is over. */
export const DISTURBANCES: Readonly<Record<UsersFault, (faulty: Faulty, killedAfterMs: number) => Promise<void>>> = {
  calm: async () => undefined,
  async 'leader killed'({ killLeader }, killedAfterMs) {
    await sleep(killedAfterMs);
    await killLeader();
  },
  async 'API server throttled to a tenth'({ proxy }) {
    await sleep(FAULT_AFTER_MS);
    proxy.set('tenth');
    await sleep(FAULT_MS);
    proxy.set(undefined);
  },
  async 'Prometheus down'({ prometheus }) {
    await sleep(FAULT_AFTER_MS);
    prometheus.setDown(true);
    await sleep(FAULT_MS);
    prometheus.setDown(false);
  },
};
