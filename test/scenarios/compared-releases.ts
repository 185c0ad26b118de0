import { describe, expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { canaryFor } from './providers/canary-for.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { APP, Scenario } from './scenario.ts';
import { sleep } from './world.ts';

/** Share of requests that fail: of the version that serves and of a good one, and of a bad one. */
const GOOD = '0.02';
const BAD = '0.2';
/** No metric has a limit: only the comparison decides. */
const ANALYSIS = { stepWeight: 50, maxWeight: 50, threshold: 100, comparison: { mode: 'gate', warmUp: '0s' } };
/** Requests of users: about fifty a second. */
const CROWD = { each: 2, pauseMs: 120 };
/** Time for which a good version is compared before its promotion. */
const WATCHED_MS = 60_000;
/** A bad one is promoted by nothing: by the study ten requests a second decide within five minutes, and here each side has more than twenty. */
const DECIDED_MS = 300_000;
const LONGEST_MS = WATCHED_MS + DECIDED_MS;

interface Plan {
  /** Applications at a time. */
  apps: number;
  /** Releases of each, a good one and a bad one in turn. */
  pairs: number;
}

/** Twenty good versions and twenty bad ones for each provider. */
export const TWENTY: Plan = { apps: 5, pairs: 4 };

/** Versions ten times worse than the primary, and versions as good as it, judged by what the provider's own proxies count. */
export function describeComparedReleases(
  environmentOf: () => Environment,
  fixtures: readonly ProviderFixture[],
  { apps, pairs }: Plan,
): void {
  const controllerOf = aController(environmentOf);
  const numbers = Array.from({ length: apps }, (_, index) => index + 1);

  describe.each(fixtures)('$provider: a version ten times worse than its primary is rolled back, and one as good is not', (fixture) => {
    describe.concurrent(`${apps * pairs} of each`, () => {
      it.each(numbers)(
        `application %i, ${pairs} of each`,
        async (number) => {
          const name = `compared-${fixture.provider.replaceAll(':', '-')}-${number}`;
          const environment = environmentOf();
          const scenario = await Scenario.begin(environment, controllerOf(), name);
          const { given, when, then } = scenario;
          const app = { name: APP, namespace: name };
          const asUsersDo = { 'x-serin-host': fixture.host(app), ...fixture.headers?.(app) };
          try {
            await given.aDeployment({ env: { ERROR_RATE: GOOD } });
            for (const object of fixture.objects?.(app) ?? []) await environment.cluster.apply(object, { fieldManager: 'user' });
            const { analysis: _, ...spec } = raw(canaryFor(fixture, app, {})).spec;
            await given.aCanary({ ...ANALYSIS, webhooks: given.aClosedGate() }, spec);
            await then.everyoneGets('1', asUsersDo);
            given.users(asUsersDo, CROWD);
            for (let pair = 0; pair < pairs; pair += 1) {
              given.aClosedGate();
              await when.imageChanges(`${2 * pair + 2}`, { ERROR_RATE: BAD });
              await then.releaseEnds('Failed', DECIDED_MS);
              expect(scenario.condition().message).toMatch(
                /canary [\d.]+% errors \([\d,]+ of [\d,]+\), primary [\d.]+% \([\d,]+ of [\d,]+\): .*worse.*, certainty 99%/,
              );
              await when.imageChanges(`${2 * pair + 3}`, { ERROR_RATE: GOOD });
              await then.canaryReceives(50);
              await sleep(WATCHED_MS);
              when.gateOpens('finish');
              await then.releaseEnds('Succeeded');
            }
            then.nothingWasLost();
          } finally {
            await scenario.end();
          }
        },
        LONGEST_MS * pairs,
      );
    });
  });
}
