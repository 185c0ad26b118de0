import { describe, expect, it } from 'vitest';
import { startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { APP, Scenario } from './scenario.ts';
import type { Crowd } from './users.ts';
import { sleep } from './world.ts';

const SPEC = { provider: 'kubernetes' };

/** Blue/Green only by selectors of Services, under continuous requests of users; each release has a controller of its own. */
export function describeBlueGreen(environmentOf: () => Environment, crowd: Crowd = {}): void {
  describe.concurrent('Blue/Green only by selectors', () => {
    const play = async (namespace: string, run: (scenario: Scenario, restart: () => Promise<void>) => Promise<void>): Promise<void> => {
      const environment = environmentOf();
      let controller = startController(environment, { namespace });
      const { logFile } = controller;
      const scenario = await Scenario.begin(environment, controller, namespace);
      const restart = async () => {
        await controller.stop('KILL');
        controller = startController(environment, { namespace }, logFile);
      };
      try {
        await run(scenario, restart);
        scenario.then.nothingWasLost();
      } finally {
        await scenario.end();
        await controller.stop();
      }
    };

    it('a version is checked without users, then takes over, and no request is lost', () =>
      play('blue-green-promoted', async ({ given, when, then }) => {
        await given.aDeployment();
        given.users({}, crowd);
        await given.aCanary({ iterations: 2 }, SPEC);
        await when.imageChanges('2');
        await then.iterationIs(2);
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
        await then.everyoneGets('2');
        await then.scalesTo(APP, 0);
      }));

    it('I4: a version that fails its hook is rolled back, and no user ever gets it', () =>
      play('blue-green-failed', async ({ given, when, then, hooks }) => {
        await given.aDeployment();
        await given.aCanary({ iterations: 4, webhooks: [{ name: 'smoke', type: 'rollout', url: hooks.url('smoke') }] }, SPEC);
        const users = given.users({}, crowd);
        hooks.answers('smoke', 500);
        await when.imageChanges('2');
        await then.releaseEnds('Failed');
        await then.primaryRuns('1');
        await then.everyoneGets('1');
        await then.scalesTo(APP, 0);
        expect(Object.keys(users.byVersion())).toEqual(['1']);
      }));

    it.each([500, 2_500, 5_000])('I2, I5: kill -9 of the controller %i ms after the push costs no request', (afterMs) =>
      play(`blue-green-killed-${afterMs}`, async ({ given, when, then }, restart) => {
        await given.aDeployment();
        given.users({}, crowd);
        await given.aCanary({ iterations: 3 }, SPEC);
        await when.imageChanges('2');
        await sleep(afterMs);
        await restart();
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
        await then.everyoneGets('2');
        await then.scalesTo(APP, 0);
      }),
    );

    it('I7: a deleted Canary gives its Service back, and no request is lost', () =>
      play('blue-green-deleted', async ({ given, when, then }) => {
        await given.aDeployment();
        given.users({}, crowd);
        await given.aCanary({ iterations: 2 }, { ...SPEC, revertOnDeletion: true });
        await when.canaryIsDeleted();
        await then.scalesTo(APP, 2);
        await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
        await then.everyoneGets('1');
      }));
  });
}
