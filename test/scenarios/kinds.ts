import { describe, expect, it } from 'vitest';
import { readKeptPrimary } from '../../src/api/kept-primary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../src/api/names.ts';
import { isChosen, type Part, titleOf, WHOLE } from '../fakes/covering-part.ts';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import { followEndpoints } from './endpoint-history.ts';
import { type Environment, peopleFileOf } from './environment.ts';
import type { Application, StartApplication } from './kinds/application.ts';
import { aPersonSteers, type SeenAs } from './kinds/people.ts';
import { APP, Scenario } from './scenario.ts';
import { until } from './until.ts';

type Run = (scenario: Scenario, app: Application) => Promise<void>;

/** Scenarios of objects, not of judgement: on a busy machine it takes long to measure anything. */
const unjudged = () => ({ metrics: [] });

const STEPS = { stepWeight: 20, maxWeight: 60 };
/** The one scenario in which someone takes the endpoints away. */
const PRIMARY_LOST = 'lost';

/** A release from version 1 to 2 in the output of the commands for users. */
const seenAs: Readonly<Record<string, SeenAs>> = {
  DaemonSet: {
    kind: 'DaemonSet',
    target: /DaemonSet\/podinfo +\d of \d ready/,
    primary: /DaemonSet\/podinfo-primary +3 of 3 ready/,
    change: /^template\.spec\.containers\[web\]\.image\n {2}- "podinfo:1"\n {2}\+ "podinfo:2"\n$/,
    holds: ['podinfo:2', 'podinfo:1'],
  },
  Service: {
    kind: 'Service',
    target: /Service\/podinfo +exists/,
    primary: /Service\/podinfo-primary +exists/,
    change: /^service\.selector\.version\n {2}- "1"\n {2}\+ "2"\n$/,
    holds: ['app=podinfo, version=2', 'app=podinfo, version=1'],
  },
  'Knative Service': {
    kind: 'Service',
    target: /Service\/podinfo +podinfo-00002/,
    primary: /Service\/podinfo +podinfo-00001/,
    change: /^primaryRevision\n {2}- "podinfo-00001"\n {2}\+ "podinfo-00002"\n$/,
    holds: ['podinfo-00002', 'podinfo-00001'],
  },
};

function shownAs(kind: string): SeenAs {
  const known = seenAs[kind];
  if (!known) throw new Error(`how ${kind} is shown is in the table`);
  return known;
}

/** The life of a release for kinds of target other than the Deployment, which `describeReleases` plays in full. */
export function describeKinds(
  environmentOf: () => Environment,
  kinds: Readonly<Record<string, StartApplication>>,
  part: Part = WHOLE,
): void {
  describe(`from creation to deletion (${titleOf(part)})`, () => {
    const controllerOf = aController(environmentOf);

    describe.concurrent.each(Object.entries(kinds).map(([kind, start], row) => [kind, start, row] as const))('%s', (kind, start, row) => {
      let column = -1;
      const scenarioTest = (
        title: string,
        what: string,
        run: Run,
        analysisOf: (scenario: Scenario) => object = () => ({}),
        spec: object = {},
      ): void => {
        column += 1;
        if (!isChosen(part, row, column)) return;
        it(title, async () => {
          const namespace = `${kind.toLowerCase().replaceAll(' ', '-')}-${what}`;
          const scenario = await Scenario.begin(environmentOf(), controllerOf(), namespace);
          const app = start(environmentOf().cluster, namespace);
          try {
            await app.create();
            await scenario.given.itServes();
            const followed = await followEndpoints(environmentOf().cluster, namespace, { services: [APP], routes: [] });
            scenario.given.users();
            await scenario.given.aCanary(
              { ...STEPS, unmeasured: 'hold', metrics: app.metrics, ...analysisOf(scenario) },
              { ...app.spec, ...spec },
            );
            await run(scenario, app);
            scenario.then.nothingWasLost();
            if (what !== PRIMARY_LOST) expect(followed.losses(), 'I14: the Service of before has endpoints at every version').toEqual([]);
            followed.stop();
          } finally {
            await scenario.end();
          }
        });
      };

      scenarioTest(
        `a healthy version of a ${kind} is promoted step by step, and the next one too (I2, I10)`,
        'promotion',
        async (scenario, app) => {
          const { when, then } = scenario;
          await app.isScaledDown();
          for (const version of ['2', '3']) {
            await when.thisHappens(() => app.push(version));
            await then.canaryReceives(20);
            await then.canaryReceives(40);
            await then.releaseEnds('Succeeded');
            await app.primaryRuns(version);
            await then.everyoneGets(version);
            await app.isScaledDown();
            expect(scenario.weights().slice(0, 4)).toEqual([0, 20, 40, 60]);
          }
        },
      );

      // Its plan and its gate leave the end to the user, however long they take.
      scenarioTest(
        `a user sees a release of a ${kind} as it stands, promotes it, and cannot undo it`,
        'people',
        (scenario, app) => aPersonSteers(scenario, app, shownAs(kind), peopleFileOf(environmentOf())),
        ({ given }) => ({ stepWeight: 1, maxWeight: 100, metrics: [], webhooks: given.aClosedGate() }),
      );

      const isRolledBack: Run = async (scenario, app) => {
        const { when, then } = scenario;
        await when.thisHappens(() => app.push('2', { ERROR_RATE: '0.5' }));
        await then.canaryReceives(20);
        await then.releaseEnds('Failed');
        await app.primaryRuns('1');
        await then.everyoneGets('1');
        await app.isScaledDown();
        expect(scenario.condition()).toMatchObject({ status: 'False', reason: 'Failed' });
      };
      scenarioTest(
        `a version of a ${kind} that fails its requests is rolled back, and the primary is untouched (I4)`,
        'bad',
        isRolledBack,
        ({ given }) => ({ webhooks: given.aClosedGate() }),
      );

      const isOvertaken: Run = async (scenario, app) => {
        const { when, then } = scenario;
        await when.thisHappens(() => app.push('2'));
        await then.canaryReceives(20);
        await when.thisHappens(() => app.push('3'));
        await then.canaryReceives(0);
        await then.releaseEnds('Succeeded');
        await app.primaryRuns('3');
        await then.everyoneGets('3');
        await app.isScaledDown();
      };
      scenarioTest(
        `a ${kind} that is pushed again in the middle of a release is released from the start (I3)`,
        'overtaken',
        isOvertaken,
        unjudged,
      );

      scenarioTest(
        `a primary of a ${kind} that was removed comes back as it was promoted`,
        PRIMARY_LOST,
        async (scenario, app) => {
          const { when, then } = scenario;
          await when.thisHappens(() => app.push('2'));
          await then.releaseEnds('Succeeded');
          await app.primaryRuns('2');
          await scenario.usersLeave();
          await when.thisHappens(() => app.losePrimary());
          await app.primaryRuns('2');
          await then.everyoneGets('2');
        },
        unjudged,
      );

      // The primary of any other kind is an object of its own that needs no name.
      if (kind === 'Knative Service')
        scenarioTest(
          `a ${kind} whose annotation is edited to a revision that does not exist has it put back, and its release ends`,
          'misnamed',
          async (scenario, app) => {
            const { when, then } = scenario;
            await when.thisHappens(() => app.push('2'));
            await then.canaryReceives(20);
            await when.thisHappens(() => app.misnamePrimary?.() ?? Promise.resolve());
            await then.releaseEnds('Succeeded');
            await app.primaryRuns('2');
            await then.everyoneGets('2');
            expect(scenario.weights().slice(-3)).toEqual([40, 60, 0]);
          },
          unjudged,
        );

      scenarioTest(
        `a deleted Canary leaves its ${kind} as it was (I7)`,
        'deletion',
        async (scenario, app) => {
          const { when, then } = scenario;
          // Its pods have just been scaled down, and are still in their grace period.
          await app.isScaledDown();
          await when.canaryIsDeleted();
          await app.isAsBefore();
          await then.everyoneGets('1');
        },
        unjudged,
      );

      scenarioTest(
        `I19: a ${kind} whose Canary is deleted in the middle of a release gives no one the new version until its user accepts it`,
        'kept',
        async (scenario, app) => {
          const { when, then, namespace } = scenario;
          const { cluster } = environmentOf();
          const target = { ...raw(app.spec).targetRef, namespace };
          const isMarked = (now: KubeObject | undefined) => now?.metadata.annotations?.[keptAnnotation] !== undefined;
          await app.isScaledDown();
          await when.thisHappens(() => app.push('2'));
          await then.canaryReceives(20);
          await when.canaryIsDeleted();
          await until(cluster, target, 'says what is kept', isMarked);
          await then.everyoneGets('1');
          const { unpromoted } = readKeptPrimary((await cluster.get(target))?.metadata.annotations?.[keptAnnotation]) ?? {};
          await cluster.patch(target, { metadata: { annotations: { [acceptAnnotation]: unpromoted } } });
          await app.isAsBefore();
          await then.everyoneGets('2');
          await until(cluster, target, 'has no mark', (now) => !isMarked(now));
        },
        unjudged,
      );

      scenarioTest(
        `a deleted Canary with revertOnDeletion goes, and leaves its ${kind} as it was (I7)`,
        'revert',
        async (scenario, app) => {
          const { when, then, namespace } = scenario;
          const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
          await app.isScaledDown();
          await when.canaryIsDeleted();
          await until(environmentOf().cluster, canary, 'is gone', (now) => now === undefined);
          await app.isAsBefore();
          await then.everyoneGets('1');
        },
        unjudged,
        { revertOnDeletion: true },
      );
    });
  });
}
