import { describe, expect, it } from 'vitest';
import { isChosen, type Part, titleOf, WHOLE } from '../fakes/covering-part.ts';
import { aController } from './controller.ts';
import { followEndpoints } from './endpoint-history.ts';
import type { Application, StartApplication } from './kinds/application.ts';
import { aPersonSteers, type SeenAs } from './kinds/people.ts';
import { peopleFileOf, type Stage } from './stage.ts';
import { APP, Story } from './story.ts';
import { until } from './until.ts';

type Play = (story: Story, app: Application) => Promise<void>;

/** Stories of objects, not of judgement: on a busy machine it takes long to measure anything. */
const unjudged = () => ({ metrics: [] });

const STEPS = { stepWeight: 20, maxWeight: 60 };
/** The one story in which someone takes the endpoints away. */
const PRIMARY_LOST = 'lost';

/** How the commands for people show a release from version 1 to 2. */
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
export function describeKinds(stageOf: () => Stage, kinds: Readonly<Record<string, StartApplication>>, part: Part = WHOLE): void {
  describe(`from creation to deletion (${titleOf(part)})`, () => {
    const controllerOf = aController(stageOf);

    describe.concurrent.each(Object.entries(kinds).map(([kind, start], row) => [kind, start, row] as const))('%s', (kind, start, row) => {
      let column = -1;
      const tell = (
        title: string,
        what: string,
        play: Play,
        analysisOf: (story: Story) => object = () => ({}),
        spec: object = {},
      ): void => {
        column += 1;
        if (!isChosen(part, row, column)) return;
        it(title, async () => {
          const namespace = `${kind.toLowerCase().replaceAll(' ', '-')}-${what}`;
          const story = await Story.begin(stageOf(), controllerOf(), namespace);
          const app = start(stageOf().cluster, namespace);
          try {
            await app.create();
            await story.given.itServes();
            const followed = await followEndpoints(stageOf().cluster, namespace, { services: [APP], routes: [] });
            story.given.users();
            await story.given.aCanary(
              { ...STEPS, unmeasured: 'hold', metrics: app.metrics, ...analysisOf(story) },
              { ...app.spec, ...spec },
            );
            await play(story, app);
            story.then.nothingWasLost();
            if (what !== PRIMARY_LOST) expect(followed.losses(), 'I14: the Service of before has endpoints at every version').toEqual([]);
            followed.stop();
          } finally {
            await story.end();
          }
        });
      };

      tell(`a healthy version of a ${kind} is promoted step by step, and the next one too (I2, I10)`, 'promotion', async (story, app) => {
        const { when, then } = story;
        await app.rests();
        for (const version of ['2', '3']) {
          await when.thisHappens(() => app.push(version));
          await then.canaryReceives(20);
          await then.canaryReceives(40);
          await then.releaseEnds('Succeeded');
          await app.primaryRuns(version);
          await then.everyoneGets(version);
          await app.rests();
          expect(story.weights().slice(0, 4)).toEqual([0, 20, 40, 60]);
        }
      });

      // Its plan and its gate leave the end to the person, however long they take.
      tell(
        `a person sees a release of a ${kind} as it stands, promotes it, and cannot undo it`,
        'people',
        (story, app) => aPersonSteers(story, app, shownAs(kind), peopleFileOf(stageOf())),
        ({ given }) => ({ stepWeight: 1, maxWeight: 100, metrics: [], webhooks: given.aClosedGate() }),
      );

      const isTakenBack: Play = async (story, app) => {
        const { when, then } = story;
        await when.thisHappens(() => app.push('2', { ERROR_RATE: '0.5' }));
        await then.canaryReceives(20);
        await then.releaseEnds('Failed');
        await app.primaryRuns('1');
        await then.everyoneGets('1');
        await app.rests();
        expect(story.condition()).toMatchObject({ status: 'False', reason: 'Failed' });
      };
      tell(
        `a version of a ${kind} that fails its requests is taken back, and the primary is untouched (I4)`,
        'bad',
        isTakenBack,
        ({ given }) => ({ webhooks: given.aClosedGate() }),
      );

      const isOvertaken: Play = async (story, app) => {
        const { when, then } = story;
        await when.thisHappens(() => app.push('2'));
        await then.canaryReceives(20);
        await when.thisHappens(() => app.push('3'));
        await then.canaryReceives(0);
        await then.releaseEnds('Succeeded');
        await app.primaryRuns('3');
        await then.everyoneGets('3');
        await app.rests();
      };
      tell(`a ${kind} that is pushed again in the middle of a release is released from the start (I3)`, 'overtaken', isOvertaken, unjudged);

      tell(
        `03-B6: a primary of a ${kind} that somebody removes comes back as it was promoted`,
        PRIMARY_LOST,
        async (story, app) => {
          const { when, then } = story;
          await when.thisHappens(() => app.push('2'));
          await then.releaseEnds('Succeeded');
          await app.primaryRuns('2');
          await story.usersLeave();
          await when.thisHappens(() => app.losePrimary());
          await app.primaryRuns('2');
          await then.everyoneGets('2');
        },
        unjudged,
      );

      // The primary of any other kind is an object of its own, which nobody has to name.
      if (kind === 'Knative Service')
        tell(
          `03-K-T2: a ${kind} whose annotation is edited to a revision that does not exist has it put back, and its release ends`,
          'misnamed',
          async (story, app) => {
            const { when, then } = story;
            await when.thisHappens(() => app.push('2'));
            await then.canaryReceives(20);
            await when.thisHappens(() => app.misnamePrimary?.() ?? Promise.resolve());
            await then.releaseEnds('Succeeded');
            await app.primaryRuns('2');
            await then.everyoneGets('2');
            expect(story.weights().slice(-3)).toEqual([40, 60, 0]);
          },
          unjudged,
        );

      tell(
        `03-L11, 02-15.2.25: a deleted Canary leaves its ${kind} as it was (I7)`,
        'deletion',
        async (story, app) => {
          const { when, then } = story;
          // Its pods have just been sent away, and still take their grace.
          await app.rests();
          await when.canaryIsDeleted();
          await app.isAsBefore();
          await then.everyoneGets('1');
        },
        unjudged,
      );

      tell(
        `03-L10, W61: a deleted Canary with revertOnDeletion goes, and leaves its ${kind} as it was (I7)`,
        'revert',
        async (story, app) => {
          const { when, then, namespace } = story;
          const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
          await app.rests();
          await when.canaryIsDeleted();
          await until(stageOf().cluster, canary, 'is gone', (now) => now === undefined);
          await app.isAsBefore();
          await then.everyoneGets('1');
        },
        unjudged,
        { revertOnDeletion: true },
      );
    });
  });
}
