import { describe, expect } from 'vitest';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { scenarioTests } from './scenario.ts';

/** So many that a gap of a few milliseconds is seen. */
const CROWD = { each: 10, pauseMs: 2 };

/** Routes of the user's that serve already lead to other Services once Serin takes them over, and back when the Canary is deleted. */
export function describeTakeovers(environmentOf: () => Environment, fixture: ProviderFixture, crowd = CROWD): void {
  describe(`${fixture.provider}: routes that serve already`, () => {
    const scenarioTest = scenarioTests(environmentOf, aController(environmentOf), fixture);
    scenarioTest(
      'are taken over and restored without a lost request, since proxies know the Services before (I10)',
      `taken-over-${fixture.provider.replaceAll(':', '-')}`,
      async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        const users = given.users({}, crowd);
        await given.aCanary({ stepWeight: 50, maxWeight: 50 });
        await then.everyoneGets('1');
        await users.pace(100);
        expect(users.lost(), 'at the takeover').toEqual([]);
        await when.imageChanges('2');
        await then.releaseEnds('Succeeded');
        await then.everyoneGets('2');
        expect(users.lost(), 'in the release').toEqual([]);
        await when.canaryIsDeleted();
        await then.isGone('v1', 'Service', 'podinfo-primary');
        await then.everyoneGets('2');
        await users.pace(100);
        expect(users.lost(), 'at the deletion').toEqual([]);
      },
    );
  });
}
