import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LeaseTimes, Replica } from './adversity/replica.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';

const LEASE: LeaseTimes = { leaseDurationS: 10, renewDeadlineS: 8, retryPeriodMs: 500 };
const AWAY = 'the API server does not answer: check its address, its health and the network policies on the way';

interface Line {
  level: string;
  msg: string;
  reason?: string;
  err?: { type: string };
}

/** Lines about requests without an answer, beside the one about the outage. A refusal is an answer: right after CRDs are made there is a 429. */
const repeatsIn = (lines: readonly Line[]): Line[] =>
  lines.filter(({ level, err }) => level !== 'debug' && err !== undefined && err.type !== 'ApiError');

/** A controller whose API server goes away, and the lease that it holds. */
export function describeDeadApiServer(environmentOf: () => Environment): void {
  describe('an API server that goes away', () => {
    /** The lease is in the namespace: one for each of these. */
    async function leading(namespace: string, other: Record<string, string> = {}): Promise<{ replica: Replica; lines: () => Line[] }> {
      await environmentOf().cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const replica = await Replica.start(environmentOf(), namespace, LEASE, other);
      const lines = () =>
        readFileSync(replica.process.logFile, 'utf8')
          .split('\n')
          .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
      await eventually('it looks after Canaries', () => lines().some(({ msg }) => msg === 'reconciling Canaries'));
      return { replica, lines };
    }

    it('is reported in one line with the remedy, for all waiting parts; the process goes on when the server is back', async () => {
      const { replica, lines } = await leading('away-and-back');
      try {
        replica.network.cut();
        await eventually('its absence is said', () => lines().some(({ msg }) => msg === AWAY));
        await eventually('the lease is lost', () => lines().some(({ msg }) => msg === 'lease lost: on standby'));
        replica.network.heal();
        await eventually('its return is said', () => lines().some(({ msg }) => msg === 'the API server answers again'));
        await eventually('it leads again', () => lines().filter(({ msg }) => msg === 'reconciling Canaries').length === 2);
        expect(repeatsIn(lines())).toEqual([]);
        expect(replica.process.hasExited()).toBe(false);
      } finally {
        await replica.process.stop();
        await replica.network.stop();
      }
      expect(await replica.process.exited).toBe(0);
      expect(lines().at(-1)).toMatchObject({ level: 'info', msg: 'the lease is released' });
    });

    it('ends the process with code 1 when it stays away, so that Kubernetes restarts the pod', async () => {
      const { replica, lines } = await leading('away-for-good', { 'api-server-timeout': '20s' });
      try {
        replica.network.cut();
        expect(await replica.process.exited, readFileSync(replica.process.logFile, 'utf8').slice(-2_000)).toBe(1);
        const [end] = lines().filter(({ level }) => level === 'error');
        expect(end).toMatchObject({ msg: 'no answer from the API server within --api-server-timeout: exiting' });
        expect(repeatsIn(lines())).toEqual([]);
      } finally {
        await replica.network.stop();
      }
    });
  });
}
