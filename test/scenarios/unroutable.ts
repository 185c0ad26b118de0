import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { aController } from './controller.ts';
import type { Stage } from './environment.ts';
import { APP, Story } from './scenario.ts';
import { until } from './until.ts';

const apiVersion = 'networking.k8s.io/v1';
const PLAN = { stepWeight: 25, maxWeight: 50, metrics: [] };
const ROUTED = { provider: 'nginx', ingressRef: { apiVersion, kind: 'Ingress', name: APP } };
const MISSING = /no path of Ingress podinfo leads to Service podinfo: add one, or correct spec\.ingressRef or spec\.service\.name/;
const WEIGHT = 'nginx.ingress.kubernetes.io/canary-weight';
const leadingTo = (service: string) => ({
  ingressClassName: 'nginx',
  rules: [
    {
      host: 'shop.example.org',
      http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: service, port: { number: 80 } } } }] },
    },
  ],
});

/** Providers whose own object has no place for the weight: none is reported, and a release ends at its deadline (E96, D10). */
export function describeUnroutable(stageOf: () => Stage): void {
  describe('an Ingress that lacks the backend', () => {
    const controllerOf = aController(stageOf);

    const tell = (title: string, namespace: string, play: (story: Story, ingress: ReturnType<typeof ingressIn>) => Promise<void>): void => {
      it(title, async () => {
        const story = await Story.begin(stageOf(), controllerOf(), namespace);
        try {
          await story.given.aDeployment();
          story.given.users();
          await play(story, ingressIn(stageOf(), namespace));
          story.then.nothingWasLost();
        } finally {
          await story.end();
        }
      });
    };

    tell('after an edit of the provider: no weight is reported, and the release is rolled back', 'edited', async (story, ingress) => {
      const { given, when, then } = story;
      await ingress.create('elsewhere');
      await given.aCanary(PLAN, { provider: 'istio' });
      await when.canaryIsEdited(ROUTED);
      await then.itIsTold('Promoted', MISSING);
      await when.imageChanges('2');
      await then.statusWas('is in a release', ({ phase, step }) => phase === 'Progressing' && step !== 'resting');
      await then.itIsTold('Promoted', MISSING);
      await when.deadlineIs(5);
      await then.releaseEnds('Failed');
      expect(story.weights()).toEqual([0]);
      await then.itIsTold('Promoted', /no route could send traffic to the canary within 5 s: no path of Ingress podinfo/);
      await then.everyoneGets('1');
      expect(await ingress.copy()).toBeUndefined();
      await when.deadlineIs(600);
      await ingress.leadsTo(APP);
      await when.imageChanges('3');
      await then.releaseEnds('Succeeded');
      expect(story.weights().slice(0, 3)).toEqual([0, 25, 50]);
    });

    tell('before a release: it is told at rest, and the release goes on when it is mended', 'lost-backend', async (story, ingress) => {
      const { given, when, then } = story;
      await ingress.create(APP);
      await given.aCanary(PLAN, ROUTED);
      await ingress.leadsTo('elsewhere');
      await then.itIsTold('Promoted', MISSING);
      await when.imageChanges('2');
      await then.statusWas('is in a release', ({ phase, step }) => phase === 'Progressing' && step !== 'resting');
      await then.scalesTo(APP, 2);
      await then.itIsTold('Promoted', MISSING);
      expect([story.weights(), await ingress.weight()]).toEqual([[0], '0']);
      await ingress.leadsTo(APP);
      await then.releaseEnds('Succeeded');
      expect(story.weights().slice(0, 3)).toEqual([0, 25, 50]);
      await then.primaryRuns('2');
    });
  });
}

function ingressIn({ cluster }: Stage, namespace: string) {
  const ref = { apiVersion, kind: 'Ingress', name: APP, namespace };
  const copyRef = { ...ref, name: `${APP}-canary` };
  const copy = (): Promise<KubeObject | undefined> => cluster.get(copyRef);
  return {
    copy,
    weight: async () => (await copy())?.metadata.annotations?.[WEIGHT],
    create: (service: string) =>
      cluster.create({ apiVersion, kind: 'Ingress', metadata: { name: APP, namespace }, spec: leadingTo(service) }),
    async leadsTo(service: string) {
      await cluster.patch(ref, { spec: leadingTo(service) });
      await until(cluster, ref, `leads to ${service}`, (now) => JSON.stringify(now?.spec ?? {}).includes(`"${service}"`));
    },
  };
}
