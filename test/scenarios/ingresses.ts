import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { apisix } from './providers/apisix.ts';
import { nginx } from './providers/nginx.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { skipper } from './providers/skipper.ts';
import { APP, Scenario } from './scenario.ts';
import { until } from './until.ts';

/** The copy marks an edit of the user's: by an annotation that all three read or pass on. */
const NOTE = 'example.org/note';
const insider = { 'x-user': 'insider' };

interface Run {
  scenario: Scenario;
  environment: Environment;
  /** The user's own object as created. */
  made: KubeObject;
  source: ObjectRef;
  copy: ObjectRef;
}

/** Releases through a copy of the user's own Ingress or route: it follows edits, it can do without the original, and matches choose users. */
export function describeIngresses(environmentOf: () => Environment): void {
  describe('through a copy of the Ingress', () => {
    const controllerOf = aController(environmentOf);

    describe.concurrent.each([nginx, skipper, apisix])('$provider', (fixture) => {
      const scenarioTest = (
        title: string,
        what: string,
        analysis: (scenario: Scenario) => object,
        run: (run: Run) => Promise<void>,
      ): void => {
        it(title, async () => {
          const environment = environmentOf();
          const scenario = await Scenario.begin(environment, controllerOf(), `${what}-${fixture.provider}`);
          const app = { name: APP, namespace: scenario.namespace };
          const [source, ...others] = objectsOf(fixture, app);
          if (!source || others.length > 0) throw new Error('one object of the user is copied');
          try {
            await environment.cluster.create(source);
            await scenario.given.aDeployment();
            scenario.given.users();
            await scenario.given.aCanary({ metrics: [], ...analysis(scenario) }, { provider: fixture.provider, ...fixture.spec?.(app) });
            const { apiVersion, kind } = source;
            await run({
              scenario,
              environment,
              made: source,
              source: { apiVersion, kind, name: source.metadata.name, namespace: scenario.namespace },
              copy: fixture.route(app),
            });
          } finally {
            await scenario.end();
          }
        });
      };
      const gated = (type: string) => (scenario: Scenario) => {
        scenario.hooks.answers('gate', 403);
        return { webhooks: [{ name: 'gate', type, url: scenario.hooks.url('gate') }] };
      };

      const follows = async ({ scenario, environment, source, copy }: Run): Promise<void> => {
        const note = (text: string | null) => environment.cluster.patch(source, { metadata: { annotations: { [NOTE]: text } } });
        const carries = (text: string | undefined) =>
          until(
            environment.cluster,
            copy,
            `carries the note ${text}`,
            (now) => now !== undefined && now.metadata.annotations?.[NOTE] === text,
          );
        await note('idle');
        await carries('idle');
        await scenario.when.imageChanges('2');
        await scenario.then.canaryIs('WaitingPromotion');
        await note('in the middle');
        await carries('in the middle');
        await note(null);
        await carries(undefined);
        expect(scenario.weights().at(-1), 'an edit of the user moves no traffic').toBe(20);
        scenario.hooks.answers('gate', 200);
        await scenario.then.releaseEnds('Succeeded');
        await scenario.then.everyoneGets('2');
        scenario.then.nothingWasLost();
      };
      scenarioTest(
        'edits of the original reach the copy, while idle and in the middle of a release',
        'follows',
        (scenario) => ({ stepWeight: 20, maxWeight: 20, ...gated('confirm-promotion')(scenario) }),
        follows,
      );

      const goesBack = async ({ scenario, environment, made, source, copy }: Run): Promise<void> => {
        scenario.hooks.answers('hold', 403);
        await scenario.when.imageChanges('2');
        await scenario.then.canaryIs('WaitingPromotion');
        await scenario.usersLeave();
        await environment.cluster.delete(source);
        scenario.hooks.answers('gate', 200);
        await scenario.then.releaseEnds('Failed');
        expect(await environment.cluster.get(copy), 'the copy stands, with nothing for the canary').toBeDefined();
        expect(scenario.weights().at(-1)).toBe(0);
        // The new original leads elsewhere, and no object can take a route: the application is restored all the same.
        const elsewhere = JSON.parse(JSON.stringify(made).replaceAll(`"${APP}"`, '"elsewhere"')) as KubeObject;
        await environment.cluster.create({ ...elsewhere, metadata: made.metadata });
        await environment.cluster.delete(copy);
        await scenario.when.revisionIsAccepted();
        await scenario.when.canaryIsDeleted();
        await scenario.then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
        await scenario.then.scalesTo(APP, 2);
      };
      scenarioTest(
        'a release goes back although the original is gone, and so does the application when its Canary goes',
        'gone',
        (scenario) => {
          const hold = { name: 'hold', type: 'confirm-promotion', url: scenario.hooks.url('hold') };
          return { stepWeight: 20, maxWeight: 20, webhooks: [...gated('rollback')(scenario).webhooks, hold] };
        },
        goesBack,
      );

      const chooses = async ({ scenario }: Run): Promise<void> => {
        await scenario.when.imageChanges('2');
        await scenario.then.canaryIs('WaitingPromotion');
        await scenario.then.everyoneGets('2', insider);
        await scenario.then.everyoneGets('1');
        await scenario.then.everyoneGets('1', { 'x-user': 'outsider' });
        scenario.hooks.answers('gate', 200);
        await scenario.then.releaseEnds('Succeeded');
        await scenario.then.everyoneGets('2');
        scenario.then.nothingWasLost();
      };
      scenarioTest(
        'requests that match get the canary, and no others do',
        'chooses',
        (scenario) => ({
          iterations: 2,
          match: [{ headers: { 'x-user': { exact: 'insider' } } }],
          ...gated('confirm-promotion')(scenario),
        }),
        chooses,
      );
    });
  });
}

/** Objects with the host that the users of a scenario call. */
function objectsOf(fixture: ProviderFixture, app: { name: string; namespace: string }): KubeObject[] {
  const text = JSON.stringify(fixture.objects?.(app) ?? []);
  return JSON.parse(text.replaceAll(fixture.host(app), `${app.name}.${app.namespace}`)) as KubeObject[];
}
