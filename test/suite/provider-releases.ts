import { describe, expect, it } from 'vitest';
import { aController, type ControllerProcess } from './controller.ts';
import { canaryFor } from './providers/canary-for.ts';
import type { AppName, ProviderFixture } from './providers/provider-fixture.ts';
import type { Stage } from './stage.ts';
import { APP, Story } from './story.ts';

/** Judged by what the provider's own proxies count; a machine that is too busy to count anything holds the release, and fails nothing. */
const ANALYSIS = {
  stepWeight: 30,
  maxWeight: 60,
  unmeasured: 'hold',
  metrics: [{ name: 'request-success-rate', interval: '10s', thresholdRange: { min: 99 } }],
};
/** Many releases at a time, each with few requests: what is judged is that none is lost. */
const CROWD = { pauseMs: 120 };
/** Each wait inside has a bound of its own, which says what it waits for. */
const LONGEST_MS = 300_000;

/** One bad version and one good one through every traffic provider, under users who never stop asking. */
export function describeProviderReleases(stageOf: () => Stage, fixtures: readonly ProviderFixture[]): void {
  const controllerOf = aController(stageOf);

  describe.concurrent('a bad version is taken back, and a good one is promoted, with no request lost (I4, I10)', () => {
    it.each(fixtures)('$provider', (fixture) => playReleases(stageOf(), controllerOf(), fixture), LONGEST_MS);
  });
}

async function playReleases(stage: Stage, controller: ControllerProcess, fixture: ProviderFixture): Promise<void> {
  const app: AppName = { name: APP, namespace: `through-${fixture.provider.replaceAll(':', '-')}` };
  const story = await Story.begin(stage, controller, app.namespace);
  const { given, when, then } = story;
  const target = fixture.application?.(stage.cluster, app.namespace);
  const push = (version: string, env?: Record<string, string>) =>
    target ? when.thisHappens(() => target.push(version, env)) : when.imageChanges(version, env);
  const primaryRuns = (version: string) => (target ? target.primaryRuns(version) : then.primaryRuns(version));
  const asUsersDo = { 'x-serin-host': fixture.host(app), ...fixture.headers?.(app) };
  try {
    if (target) await target.create();
    else await given.aDeployment();
    for (const object of fixture.objects?.(app) ?? []) await stage.cluster.apply(object, { fieldManager: 'user' });
    const { analysis: _, ...spec } = canaryFor(fixture, app, {}).spec;
    await given.aCanary({ ...ANALYSIS, webhooks: given.aClosedGate() }, spec);
    await then.everyoneGets('1', asUsersDo);
    given.users(asUsersDo, CROWD);

    await push('2', { ERROR_RATE: '0.5' });
    await then.canaryReceives(30);
    await then.releaseEnds('Failed');
    await primaryRuns('1');
    await then.everyoneGets('1', asUsersDo);
    then.nothingWasLost();

    when.gateOpens('finish');
    await push('3');
    await then.canaryReceives(30);
    await then.canaryReceives(60);
    await then.releaseEnds('Succeeded');
    await primaryRuns('3');
    await then.everyoneGets('3', asUsersDo);
    expect(story.weights().slice(0, 3)).toEqual([0, 30, 60]);
    then.nothingWasLost();
  } finally {
    await story.end();
  }
}
