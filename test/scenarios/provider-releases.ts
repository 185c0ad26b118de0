import { describe, expect, it } from 'vitest';
import { type KubeObject, type ObjectRef, refOf } from '../../src/api/kube-object.ts';
import { isChosen, type Part, titleOf, WHOLE } from '../fakes/covering-part.ts';
import { raw } from '../fakes/raw.ts';
import { aController, type ControllerProcess } from './controller.ts';
import { followEndpoints } from './endpoint-history.ts';
import type { Environment } from './environment.ts';
import { canaryFor } from './providers/canary-for.ts';
import type { AppName, ProviderFixture } from './providers/provider-fixture.ts';
import { APP, Scenario } from './scenario.ts';

/** Judged by what the provider's own proxies count; a machine that is too busy to count anything holds the release, and fails nothing. */
const ANALYSIS = {
  stepWeight: 30,
  maxWeight: 60,
  unmeasured: 'hold',
  metrics: [{ name: 'request-success-rate', interval: '10s', thresholdRange: { min: 99 } }],
};
/** Kinds of objects of users that lead to Services. */
const ROUTES = new Set([
  'ApisixRoute',
  'HTTPProxy',
  'HTTPRoute',
  'Ingress',
  'IngressRoute',
  'RouteTable',
  'TraefikService',
  'VirtualService',
]);
/** Many releases at a time, each with few requests: what is judged is that none is lost. */
const CROWD = { pauseMs: 120 };
/** Each wait inside has a bound of its own, which says what it waits for. */
const LONGEST_MS = 300_000;

const VERSIONS = ['bad', 'good'] as const;
type Versions = readonly (typeof VERSIONS)[number][];

/** A bad version, a good version, or one after the other, as chosen by the part, through every traffic provider, under continuous requests of users. */
export function describeProviderReleases(environmentOf: () => Environment, fixtures: readonly ProviderFixture[], part: Part = WHOLE): void {
  const controllerOf = aController(environmentOf);

  describe.concurrent('a bad version is rolled back, and a good one is promoted, with no request lost (I4, I10)', () => {
    const chosen = fixtures.map((fixture, row) => {
      const versions = VERSIONS.filter((_, column) => isChosen(part, row, column));
      return { fixture, versions, provider: fixture.provider, which: versions.join(', then ') };
    });
    it.each(chosen)(
      `$provider, $which version (${titleOf(part)})`,
      ({ fixture, versions }) => playReleases(environmentOf(), controllerOf(), fixture, versions),
      LONGEST_MS,
    );
    // Without a router there is one route to pods: the Service of the user.
    it('kubernetes', () => playServiceReleases(environmentOf(), controllerOf()), LONGEST_MS);
  });
}

async function playServiceReleases(environment: Environment, controller: ControllerProcess): Promise<void> {
  const scenario = await Scenario.begin(environment, controller, 'through-kubernetes');
  const { given, when, then, hooks } = scenario;
  try {
    await given.aDeployment();
    const followed = await followEndpoints(environment.cluster, scenario.namespace, { services: [APP], routes: [] });
    given.users({}, CROWD);
    const smoke = { name: 'smoke', type: 'rollout', url: hooks.url('smoke') };
    await given.aCanary({ iterations: 2, webhooks: [smoke] }, { provider: 'kubernetes' });

    hooks.answers('smoke', 500);
    await when.imageChanges('2');
    await then.releaseEnds('Failed');
    await then.primaryRuns('1');

    hooks.answers('smoke', 200);
    await when.imageChanges('3');
    await then.releaseEnds('Succeeded');
    await then.primaryRuns('3');
    await then.everyoneGets('3');
    then.nothingWasLost();
    expect(followed.losses()).toEqual([]);
    followed.stop();
  } finally {
    await scenario.end();
  }
}

async function playReleases(
  environment: Environment,
  controller: ControllerProcess,
  fixture: ProviderFixture,
  versions: Versions,
): Promise<void> {
  const app: AppName = { name: APP, namespace: `through-${fixture.provider.replaceAll(':', '-')}` };
  const scenario = await Scenario.begin(environment, controller, app.namespace);
  const { given, when, then } = scenario;
  const target = fixture.application?.(environment.cluster, app.namespace);
  const push = (version: string, env?: Record<string, string>) =>
    target ? when.thisHappens(() => target.push(version, env)) : when.imageChanges(version, env);
  const primaryRuns = (version: string) => (target ? target.primaryRuns(version) : then.primaryRuns(version));
  const asUsersDo = { 'x-serin-host': fixture.host(app), ...fixture.headers?.(app) };
  try {
    if (target) await target.create();
    else await given.aDeployment();
    for (const object of fixture.objects?.(app) ?? []) await environment.cluster.apply(object, { fieldManager: 'user' });
    const { services, routes } = await usersObjects(environment, app.namespace, fixture.objects?.(app) ?? []);
    const followed = await followEndpoints(environment.cluster, app.namespace, { services, routes });
    const { analysis: _, ...spec } = raw(canaryFor(fixture, app, {})).spec;
    await given.aCanary({ ...ANALYSIS, webhooks: given.aClosedGate() }, spec);
    await then.everyoneGets('1', asUsersDo);
    given.users(asUsersDo, CROWD);

    const play = {
      async bad() {
        await push('2', { ERROR_RATE: '0.5' });
        await then.canaryReceives(30);
        await then.releaseEnds('Failed');
        await primaryRuns('1');
        await then.everyoneGets('1', asUsersDo);
      },
      async good() {
        // Knative's Revisions are numbered in the order of pushes.
        const version = versions.includes('bad') ? '3' : '2';
        when.gateOpens('finish');
        await push(version);
        await then.canaryReceives(30);
        await then.canaryReceives(60);
        await then.releaseEnds('Succeeded');
        await primaryRuns(version);
        await then.everyoneGets(version, asUsersDo);
        expect(scenario.weights().slice(0, 3)).toEqual([0, 30, 60]);
      },
    };
    for (const version of versions) {
      await play[version]();
      then.nothingWasLost();
    }
    expect(followed.losses(), 'I14: what was there before Serin has endpoints at every version').toEqual([]);
    followed.stop();
  } finally {
    await scenario.end();
  }
}

/** Objects that existed before the Canary and lead to pods: its Services, and the routes that lead to them. */
async function usersObjects(
  { cluster }: Environment,
  namespace: string,
  made: readonly KubeObject[],
): Promise<{ services: string[]; routes: ObjectRef[] }> {
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Service', namespace });
  const routes = made.filter(({ kind }) => ROUTES.has(kind)).map((object) => ({ ...refOf(object), namespace }));
  return { services: items.map(({ metadata }) => metadata.name), routes };
}
