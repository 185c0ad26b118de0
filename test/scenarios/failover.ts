import { describe, expect, it } from 'vitest';
import { type FailoverReport, FailoverRuns } from './adversity/failover-runs.ts';
import type { LeaseTimes, Replica } from './adversity/replica.ts';
import { LONG_LEASE } from './adversity/replicas.ts';
import { type SlowHook, startSlowHook } from './adversity/slow-hook.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { afterAll, beforeAll, sleep } from './world.ts';

/** As short as possible on a machine on which a request can take seconds: a leader that cannot renew must become a standby, even on a busy machine. */
const SHORT: LeaseTimes = { leaseDurationS: 10, renewDeadlineS: 8, retryPeriodMs: 500 };
/** Two processes are started, one after the other, and an application. */
const BEGINS_WITHIN_MS = 300_000;

const ends = (report: FailoverReport): void => {
  expect(report.violations).toEqual([]);
  expect(report).toMatchObject({ verdict: 'Succeeded', primaryVersion: report.expectedPrimary });
};

export interface FailoverPlan {
  seeds: readonly number[];
  /** Time for which a process is halted, and for which a network is cut: longer than a lease, in milliseconds. */
  haltedMs: number;
  cutMs: number;
  /** Time for which the API server cannot be reached. */
  awayMs: number;
}

/** Two replicas, of which the leader is harmed in the middle of a release. */
export function describeFailover(environmentOf: () => Environment, { seeds, haltedMs, cutMs, awayMs }: FailoverPlan): void {
  describe('two replicas', () => {
    let runs: FailoverRuns;
    beforeAll(async () => {
      runs = await FailoverRuns.begin(environmentOf(), 'failover', SHORT);
    }, BEGINS_WITHIN_MS);
    afterAll(() => runs?.end());

    it.each(seeds)('I9: a leader that is killed with -9 (%i) is replaced, the release goes on, and no step is made twice', async (seed) => {
      ends(await runs.run(seed, (leader) => leader.process.stop('KILL')));
    });

    /** Waits until another replica leads. The former leader must not have ended, and must write nothing more. */
    async function isDisplaced(before: Replica): Promise<() => Promise<void>> {
      await eventually('it knows that it does not lead', () => before.standsBy());
      const written = await before.writes();
      return async () => {
        expect(before.process.hasExited()).toBe(false);
        if (!(await before.leads())) expect(await before.writes()).toBe(written);
      };
    }

    it(`I9: a leader that is halted for ${haltedMs / 1000} s becomes a standby when it goes on, and writes nothing`, async () => {
      let holds: () => Promise<void> = async () => undefined;
      const report = await runs.run(7, async (leader) => {
        leader.process.send('STOP');
        // On a busy machine the other replica can also be late: then the lease would still be free when this one wakes up, and its own again.
        await Promise.all([sleep(haltedMs), runs.leader()]);
        leader.process.send('CONT');
        holds = await isDisplaced(leader);
      });
      await holds();
      ends(report);
    });

    it(`I9: a leader that is cut off from the API server for ${cutMs / 1000} s becomes a standby, and is not restarted`, async () => {
      let holds: () => Promise<void> = async () => undefined;
      const report = await runs.run(8, async (leader) => {
        leader.network.cut();
        holds = await isDisplaced(leader);
        await sleep(cutMs);
        leader.network.heal();
      });
      await holds();
      ends(report);
    });

    it(`I8: an API server that is away for ${awayMs / 1000} s ends neither process, and one of them goes on with the release`, async () => {
      const all: Replica[] = [];
      const report = await runs.run(9, async (leader) => {
        all.push(leader, ...runs.others(leader));
        for (const { network } of all) network.cut();
        await sleep(awayMs);
        for (const { network } of all) network.heal();
        await runs.leader();
      });
      expect(all.map(({ process }) => process.hasExited())).toEqual([false, false]);
      ends(report);
    });
  });

  describeHandOver(environmentOf);
}

/** Two replicas, of which the leader gets SIGTERM in the middle of a release; `waiting`: also while it waits for a webhook. */
export function describeHandOver(environmentOf: () => Environment, { waiting = true }: { waiting?: boolean } = {}): void {
  describe('two replicas and a long lease', () => {
    let runs: FailoverRuns;
    let hook: SlowHook;
    beforeAll(async () => {
      hook = await startSlowHook();
      runs = await FailoverRuns.begin(environmentOf(), 'hand-over', LONG_LEASE);
    }, BEGINS_WITHIN_MS);
    afterAll(async () => {
      await runs?.end();
      await hook?.stop();
    });

    const stopped = async (leader: Replica): Promise<number | undefined> => {
      await leader.process.stop('TERM');
      const code = await leader.process.exited;
      await runs.leader();
      return code;
    };

    it('a leader that is stopped releases its lease, so that no successor waits for its end, and exits with 0', async () => {
      let code: number | undefined;
      const report = await runs.run(3, async (leader) => {
        code = await stopped(leader);
      });
      expect(code).toBe(0);
      ends(report);
    });

    if (!waiting) return;
    it('a leader that is stopped during a webhook call does not wait for the answer, and the next leader calls again', async () => {
      const webhooks = [{ name: 'smoke', type: 'pre-rollout', url: hook.url, timeout: '60m' }];
      const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'podinfo', namespace: 'hand-over' };
      await environmentOf().cluster.patch(canary, { spec: { analysis: { webhooks } } });
      let code: number | undefined;
      const report = await runs.run(4, async (leader) => {
        await eventually('the webhook is called', () => hook.calls() === 1);
        code = await stopped(leader);
      });
      expect(code).toBe(0);
      expect(hook.calls()).toBe(2);
      ends(report);
    });
  });
}
