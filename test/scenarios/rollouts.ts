import { describe, expect } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import { anEnvironment, type Environment } from './environment.ts';
import { APP, type Scenario, scenarioTests } from './scenario.ts';
import { until } from './until.ts';
import { sleep } from './world.ts';

const PRIMARY = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary` };
const DEADLINE_S = 15;
/** Six pods one after another take longer than the deadline, and each of them much less. */
const SLOW = { READY_AFTER_MS: '4000' };
const oneByOne = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
const analysis = { stepWeights: [50], threshold: 2 };

/** Promotions whose primary rolls slowly, never, or while others edit it; on either cluster. */
export function describeRollouts(title: string, startEnvironment: () => Promise<Environment>): void {
  describe(title, () => {
    const environmentOf = anEnvironment(startEnvironment);
    const scenario = scenarioTests(environmentOf, aController(environmentOf));

    const target = ({ namespace }: Scenario) => ({ ...PRIMARY, name: APP, namespace });
    const primary = ({ namespace }: Scenario) => ({ ...PRIMARY, namespace });

    /** Up to the gate before promotion; from there on the progress deadline is short. */
    async function toTheGate(one: Scenario, env: Record<string, string>, more: Record<string, unknown> = {}): Promise<void> {
      const { given, when, then } = one;
      await given.aDeployment({ replicas: 6 });
      await environmentOf().cluster.patch(target(one), { spec: { strategy: oneByOne } });
      given.users();
      await given.aCanary({ ...analysis, ...more, webhooks: given.aClosedGate() });
      await when.imageChanges('2', env);
      await then.canaryIs('WaitingPromotion');
      await when.deadlineIs(DEADLINE_S);
    }

    scenario(
      'E100, I10: a primary that rolls pod by pod, always available, is promoted however long it takes',
      'slow-primary',
      async (one) => {
        const { when, then } = one;
        await toTheGate(one, SLOW);
        when.gateOpens('finish');
        await then.releaseEnds('Succeeded');
        await then.everyoneGets('2');
        expect(one.phases()).not.toContain('Failed');
        then.nothingWasLost();
      },
    );

    scenario('E100, I4: a primary whose new pods never come is a failed promotion at the deadline', 'stuck-primary', async (one) => {
      const { when, then } = one;
      await toTheGate(one, { NEVER_READY_AS_PRIMARY: '1' });
      when.gateOpens('finish');
      await then.releaseEnds('Failed');
      await then.primaryRuns('1');
      await then.everyoneGets('1');
      then.nothingWasLost();
    });

    scenario('E103: another writer of the primary holds up no promotion', 'raced-primary', async (one) => {
      const { when, then } = one;
      const { cluster } = environmentOf();
      // A refused promotion is tried again after an interval.
      await toTheGate(one, {}, { interval: '5s' });
      let isWriting = true;
      const write = async () => {
        for (let stamp = 0; isWriting; stamp += 1) {
          await cluster.patch(primary(one), { metadata: { annotations: { stamp: String(stamp) } } });
          // Its controller must have time to observe the newest generation, or no primary would ever count as ready.
          await sleep(150);
        }
      };
      const writer = write();
      try {
        when.gateOpens('finish');
        // Its status can lag as long as the writes go on.
        await until(cluster, primary(one), 'is of version 2', (now) => raw(now)?.spec.template.spec.containers[0].image === `${APP}:2`);
      } finally {
        isWriting = false;
        await writer;
      }
      await then.releaseEnds('Succeeded');
      const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: one.namespace });
      expect(items.map(({ reason }) => reason)).not.toContain('PrimaryRejected');
      then.nothingWasLost();
    });
  });
}
