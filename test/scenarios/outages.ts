import { expect, it } from 'vitest';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { aController } from './controller.ts';
import { eventually } from './eventually.ts';
import type { Stage } from './stage.ts';
import { Story } from './story.ts';

const STEPS = { stepWeight: 20, maxWeight: 40 };
const METRICS = [{ name: 'errors', templateRef: { name: 'errors' }, interval: '4s', thresholdRange: { max: 0 } }];
const GONE = /MetricTemplate .*errors: not found/;

/** Monitoring that goes away in the middle of a release, by the controller as it is shipped. */
export function describeOutages(stageOf: () => Stage): void {
  const controllerOf = aController(stageOf);

  /** A release at its first step, whose first check finds no MetricTemplate any more. */
  async function blinded(namespace: string, analysis: object): Promise<{ story: Story; template: Template }> {
    const { cluster, prometheusUrl } = stageOf();
    const story = await Story.begin(stageOf(), controllerOf(), namespace);
    const template = templateIn(cluster, namespace);
    await template.asks(prometheusUrl);
    await story.given.aDeployment();
    await story.given.aCanary({ ...STEPS, ...analysis, metrics: METRICS });
    await template.isDeleted();
    await story.when.imageChanges('2');
    await story.then.canaryReceives(20);
    return { story, template };
  }
  const tells = (story: Story, words: RegExp) =>
    eventually(
      `the condition tells ${words}`,
      async () => story.condition().message ?? '',
      (message) => words.test(message),
    );
  const eventsOf = async (namespace: string, reason: string): Promise<string[]> => {
    const { items } = await stageOf().cluster.list({ apiVersion: 'v1', kind: 'Event', namespace });
    return items.flatMap((event) => (event.reason === reason ? [String(event.message)] : []));
  };

  it('05-W1, E22a, I11: with hold three kinds of outage in a row take a release neither back nor on, and it goes on after them', async () => {
    const namespace = 'outage-held';
    const { story, template } = await blinded(namespace, { unmeasured: 'hold', threshold: 1 });
    try {
      await tells(story, new RegExp(`cannot be measured since .* until .*${GONE.source}`));
      await template.asks('http://127.0.0.1:1');
      await tells(story, /cannot be measured since .*127\.0\.0\.1:1 cannot be asked/);
      await template.asks(story.hooks.url('prometheus'));
      await tells(story, /cannot be measured since .*no JSON/);
      expect((await eventsOf(namespace, 'Unmeasured')).length).toBeGreaterThan(0);
      expect(story.weights().at(-1)).toBe(20);
      await template.asks(stageOf().prometheusUrl);
      await story.then.releaseEnds('Succeeded');
      expect(story.weights().slice(0, 3)).toEqual([0, 20, 40]);
      expect([await eventsOf(namespace, 'CheckFailed'), story.phases()]).toEqual([[], expect.not.arrayContaining(['Failed'])]);
    } finally {
      await story.end();
    }
  });

  it('05-E3, E22: by default an outage takes a release back, and condition and events say unmeasured', async () => {
    const namespace = 'outage-failed';
    const { story } = await blinded(namespace, {});
    try {
      await story.then.releaseEnds('Failed');
      expect(story.condition().message).toMatch(new RegExp(`2 failed checks, last: errors is unmeasured: ${GONE.source}`));
      expect(await eventsOf(namespace, 'CheckFailed')).toEqual([expect.stringMatching(/1 of 2.*errors is unmeasured/)]);
      await story.then.primaryRuns('1');
    } finally {
      await story.end();
    }
  });
}

interface Template {
  /** Made, or made anew, with this address. */
  asks(address: string): Promise<void>;
  isDeleted(): Promise<void>;
}

function templateIn(cluster: KubeCluster, namespace: string): Template {
  const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', name: 'errors', namespace };
  return {
    async asks(address) {
      const { name, ...type } = ref;
      const spec = { provider: { type: 'prometheus', address }, query: 'vector(0)' };
      await cluster.apply({ apiVersion: type.apiVersion, kind: type.kind, metadata: { name, namespace }, spec }, { fieldManager: 'user' });
    },
    isDeleted: () => cluster.delete(ref),
  };
}
