import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { aController } from './controller.ts';
import type { Stage } from './environment.ts';
import { apisix } from './providers/apisix.ts';
import { nginx } from './providers/nginx.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { skipper } from './providers/skipper.ts';
import { APP, Story } from './scenario.ts';
import { until } from './until.ts';

/** What is copied tells an edit of the user's: by an annotation that all three read or pass on. */
const NOTE = 'example.org/note';
const insider = { 'x-user': 'insider' };

interface Play {
  story: Story;
  stage: Stage;
  /** The user's own object as it was made. */
  made: KubeObject;
  source: ObjectRef;
  copy: ObjectRef;
}

/** Releases through a copy of the user's own Ingress or route: it follows edits, it can do without the original, and matches choose users. */
export function describeIngresses(stageOf: () => Stage): void {
  describe('through a copy of the Ingress', () => {
    const controllerOf = aController(stageOf);

    describe.concurrent.each([nginx, skipper, apisix])('$provider', (fixture) => {
      const tell = (title: string, what: string, analysis: (story: Story) => object, play: (play: Play) => Promise<void>): void => {
        it(title, async () => {
          const stage = stageOf();
          const story = await Story.begin(stage, controllerOf(), `${what}-${fixture.provider}`);
          const app = { name: APP, namespace: story.namespace };
          const [source, ...others] = objectsOf(fixture, app);
          if (!source || others.length > 0) throw new Error('one object of the user is copied');
          try {
            await stage.cluster.create(source);
            await story.given.aDeployment();
            story.given.users();
            await story.given.aCanary({ metrics: [], ...analysis(story) }, { provider: fixture.provider, ...fixture.spec?.(app) });
            const { apiVersion, kind } = source;
            await play({
              story,
              stage,
              made: source,
              source: { apiVersion, kind, name: source.metadata.name, namespace: story.namespace },
              copy: fixture.route(app),
            });
          } finally {
            await story.end();
          }
        });
      };
      const gated = (type: string) => (story: Story) => {
        story.hooks.answers('gate', 403);
        return { webhooks: [{ name: 'gate', type, url: story.hooks.url('gate') }] };
      };

      const follows = async ({ story, stage, source, copy }: Play): Promise<void> => {
        const note = (text: string | null) => stage.cluster.patch(source, { metadata: { annotations: { [NOTE]: text } } });
        const carries = (text: string | undefined) =>
          until(stage.cluster, copy, `carries the note ${text}`, (now) => now !== undefined && now.metadata.annotations?.[NOTE] === text);
        await note('at rest');
        await carries('at rest');
        await story.when.imageChanges('2');
        await story.then.canaryIs('WaitingPromotion');
        await note('in the middle');
        await carries('in the middle');
        await note(null);
        await carries(undefined);
        expect(story.weights().at(-1), 'an edit of the user moves no traffic').toBe(20);
        story.hooks.answers('gate', 200);
        await story.then.releaseEnds('Succeeded');
        await story.then.everyoneGets('2');
        story.then.nothingWasLost();
      };
      tell(
        '04-R-D4: edits of the original reach the copy, at rest and in the middle of a release',
        'follows',
        (story) => ({ stepWeight: 20, maxWeight: 20, ...gated('confirm-promotion')(story) }),
        follows,
      );

      const goesBack = async ({ story, stage, made, source, copy }: Play): Promise<void> => {
        story.hooks.answers('hold', 403);
        await story.when.imageChanges('2');
        await story.then.canaryIs('WaitingPromotion');
        await story.usersLeave();
        await stage.cluster.delete(source);
        story.hooks.answers('gate', 200);
        await story.then.releaseEnds('Failed');
        expect(await stage.cluster.get(copy), 'the copy stands, with nothing for the canary').toBeDefined();
        expect(story.weights().at(-1)).toBe(0);
        // What comes back leads elsewhere, and there is nothing left to write a route into: the application is given back all the same.
        const elsewhere = JSON.parse(JSON.stringify(made).replaceAll(`"${APP}"`, '"elsewhere"')) as KubeObject;
        await stage.cluster.create({ ...elsewhere, metadata: made.metadata });
        await stage.cluster.delete(copy);
        await story.when.canaryIsDeleted();
        await story.then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
        await story.then.scalesTo(APP, 2);
      };
      tell(
        '04-R-S4: a release goes back although the original is gone, and so does the application when its Canary goes',
        'gone',
        (story) => {
          const hold = { name: 'hold', type: 'confirm-promotion', url: story.hooks.url('hold') };
          return { stepWeight: 20, maxWeight: 20, webhooks: [...gated('rollback')(story).webhooks, hold] };
        },
        goesBack,
      );

      const chooses = async ({ story }: Play): Promise<void> => {
        await story.when.imageChanges('2');
        await story.then.canaryIs('WaitingPromotion');
        await story.then.everyoneGets('2', insider);
        await story.then.everyoneGets('1');
        await story.then.everyoneGets('1', { 'x-user': 'outsider' });
        story.hooks.answers('gate', 200);
        await story.then.releaseEnds('Succeeded');
        await story.then.everyoneGets('2');
        story.then.nothingWasLost();
      };
      tell(
        '04-R-T1: who matches gets the canary, and nobody else does',
        'chooses',
        (story) => ({ iterations: 2, match: [{ headers: { 'x-user': { exact: 'insider' } } }], ...gated('confirm-promotion')(story) }),
        chooses,
      );
    });
  });
}

/** Under the host that the users of a story ask for. */
function objectsOf(fixture: ProviderFixture, app: { name: string; namespace: string }): KubeObject[] {
  const text = JSON.stringify(fixture.objects?.(app) ?? []);
  return JSON.parse(text.replaceAll(fixture.host(app), `${app.name}.${app.namespace}`)) as KubeObject[];
}
