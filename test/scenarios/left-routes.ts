import { describe, expect } from 'vitest';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { scenarioTests } from './scenario.ts';

const APP = 'podinfo';
const STEPS = { stepWeight: 50, maxWeight: 50 };
/** Requests of each user that have to be answered long after a deletion. */
const LONG_AFTER = 200;

/** A route that Serin made, and that the user's root names, serves the edge after its Canary; the next Canary has it as its own again. */
export function describeLeftRoutes(environmentOf: () => Environment, fixture: ProviderFixture): void {
  describe(`${fixture.provider}: a route that Serin made, and an object of the user names`, () => {
    const scenarioTest = scenarioTests(environmentOf, aController(environmentOf), fixture);
    scenarioTest(
      'I7: serves on when the Canary is deleted, again and again',
      `left-routes-${fixture.provider.replaceAll(':', '-')}`,
      async (scenario) => {
        const { given, when, then } = scenario;
        const { cluster } = environmentOf();
        const route = fixture.route({ name: APP, namespace: scenario.namespace });
        await given.aDeployment();
        // The fixture creates the route, so that the application answers before the Canary exists.
        await cluster.delete(route);
        await given.aCanary(STEPS);
        await then.everyoneGets('1');
        const users = given.users();
        for (const version of ['2', '3']) {
          const made = await cluster.get(route);
          expect(made?.metadata.ownerReferences).toHaveLength(1);
          await when.imageChanges(version);
          await then.releaseEnds('Succeeded');
          expect(users.lost(), `in the release of version ${version}`).toEqual([]);
          await when.canaryIsDeleted();
          await then.isGone('v1', 'Service', `${APP}-primary`);
          await users.pace(LONG_AFTER);
          await then.everyoneGets(version);
          const left = await cluster.get(route);
          expect([left?.metadata.uid, left?.metadata.ownerReferences]).toEqual([made?.metadata.uid, undefined]);
          expect(users.lost(), `after the deletion at version ${version}`).toEqual([]);
          await given.aCanary(STEPS);
        }
        await then.everyoneGets('3');
        then.nothingWasLost();
      },
    );
  });
}
