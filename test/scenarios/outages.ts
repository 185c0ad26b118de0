import { expect, it } from 'vitest';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { Scenario } from './scenario.ts';

const STEPS = { stepWeight: 20, maxWeight: 40 };
const METRICS = [{ name: 'errors', templateRef: { name: 'errors' }, interval: '4s', thresholdRange: { max: 0 } }];
const GONE = /MetricTemplate .*errors: not found/;

/** Monitoring that becomes unavailable in the middle of a release, with the shipped controller. */
export function describeOutages(environmentOf: () => Environment): void {
  const controllerOf = aController(environmentOf);

  /** A release at its first step, whose first check finds no MetricTemplate any more. */
  async function blinded(namespace: string, analysis: object): Promise<{ scenario: Scenario; template: Template }> {
    const { cluster, prometheusUrl } = environmentOf();
    const scenario = await Scenario.begin(environmentOf(), controllerOf(), namespace);
    const template = templateIn(cluster, namespace);
    await template.asks(prometheusUrl);
    await scenario.given.aDeployment();
    await scenario.given.aCanary({ ...STEPS, ...analysis, metrics: METRICS });
    await template.isDeleted();
    await scenario.when.imageChanges('2');
    await scenario.then.canaryReceives(20);
    return { scenario, template };
  }
  const reports = (scenario: Scenario, words: RegExp) =>
    eventually(
      `the condition reports ${words}`,
      async () => scenario.condition().message ?? '',
      (message) => words.test(message),
    );
  const eventsOf = async (namespace: string, reason: string): Promise<string[]> => {
    const { items } = await environmentOf().cluster.list({ apiVersion: 'v1', kind: 'Event', namespace });
    return items.flatMap((event) => (event.reason === reason ? [String(event.message)] : []));
  };

  it('E22a, I11: with hold three kinds of outage in a row take a release neither back nor on, and it goes on after them', async () => {
    const namespace = 'outage-held';
    const { scenario, template } = await blinded(namespace, { unmeasured: 'hold', threshold: 1 });
    try {
      await reports(scenario, new RegExp(`unmeasured since .* rolled back at .*${GONE.source}`));
      await template.asks('http://127.0.0.1:1');
      await reports(scenario, /unmeasured since .*127\.0\.0\.1:1 cannot be queried/);
      await template.asks(scenario.hooks.url('prometheus'));
      await reports(scenario, /unmeasured since .*no JSON/);
      expect((await eventsOf(namespace, 'Unmeasured')).length).toBeGreaterThan(0);
      expect(scenario.weights().at(-1)).toBe(20);
      await template.asks(environmentOf().prometheusUrl);
      await scenario.then.releaseEnds('Succeeded');
      expect(scenario.weights().slice(0, 3)).toEqual([0, 20, 40]);
      expect([await eventsOf(namespace, 'CheckFailed'), scenario.phases()]).toEqual([[], expect.not.arrayContaining(['Failed'])]);
    } finally {
      await scenario.end();
    }
  });

  it('E22: by default an outage takes a release back, and condition and events say unmeasured', async () => {
    const namespace = 'outage-failed';
    const { scenario } = await blinded(namespace, {});
    try {
      await scenario.then.releaseEnds('Failed');
      expect(scenario.condition().message).toMatch(new RegExp(`2 failed checks, last: errors is unmeasured: ${GONE.source}`));
      expect(await eventsOf(namespace, 'CheckFailed')).toEqual([expect.stringMatching(/1 of 2.*errors is unmeasured/)]);
      await scenario.then.primaryRuns('1');
    } finally {
      await scenario.end();
    }
  });
}

interface Template {
  /** Created, or created again, with this address. */
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
