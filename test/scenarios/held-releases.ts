import { expect } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { APP, type Scenario } from './scenario.ts';

type ScenarioTest = (title: string, namespace: string, run: (scenario: Scenario) => Promise<void>) => void;
const STEPS = { stepWeight: 20, maxWeight: 60 };
const GATE = 'example.com/target-health';
const gated = { readinessGates: [{ conditionType: GATE }] };

/** Causes that hold a release: pods that are missing, gates that are closed, and the hook that ends it (I13). */
export function testHeldReleases(scenarioTest: ScenarioTest, environmentOf: () => Environment): void {
  scenarioTest(
    'I13, E83: with skipAnalysis an image that cannot be pulled never reaches the primary',
    'skip-unpullable',
    async (scenario) => {
      const { given, when, then } = scenario;
      const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary`, namespace: scenario.namespace };
      await given.aDeployment({ spec: { strategy: { type: 'Recreate' } } });
      given.users();
      await given.aCanary(STEPS, { skipAnalysis: true });
      await then.scalesTo(APP, 0);
      const before = await environmentOf().cluster.get(primary);
      await when.imageIsMissing();
      await then.statusWas('waits for its pods', ({ phase, step }) => phase === 'Progressing' && step === 'scalingUp');
      await when.deadlineIs(2);
      await then.releaseEnds('Failed');
      const after = await environmentOf().cluster.get(primary);
      expect([after?.metadata.generation, after?.spec]).toEqual([before?.metadata.generation, before?.spec]);
      expect(scenario.phases()).not.toContain('Promoting');
      await then.everyoneGets('1');
      await then.scalesTo(APP, 0);
      then.nothingWasLost();
    },
  );

  scenarioTest('I13, E80: with 2 of 3 pods a canary takes no step, and fails at the deadline', 'two-of-three', async (scenario) => {
    const { given, when, then, hooks } = scenario;
    const pods = openGates(environmentOf().cluster, scenario.namespace);
    try {
      await given.aDeployment({ replicas: 3, pod: gated });
      given.users();
      const webhooks = [
        { name: 'smoke', type: 'rollout', url: hooks.url('smoke') },
        { name: 'step', type: 'confirm-traffic-increase', url: hooks.url('step') },
      ];
      // A pod that loses its readiness fails a check each interval (E27a): here the deadline is to end it.
      await given.aCanary({ ...STEPS, threshold: 1_000, webhooks });
      await then.scalesTo(APP, 0);
      await when.imageChanges('2');
      await then.canaryReceives(20);
      hooks.answers('step', 403);
      await then.hookWasCalled('step', hooks.calls('step').length + 1);
      await pods.closeOneOf(APP);
      await then.scalesTo(APP, 2);
      const weight = scenario.weights().at(-1);
      hooks.answers('step', 200);
      await then.itIsReported('Promoted', /2 of 3 canary pods are ready; canaryReadyThreshold is 100%\. The release is rolled back at/);
      await then.hookWasCalled('smoke', hooks.calls('smoke').length + 3);
      expect([scenario.weights().at(-1), scenario.phases().at(-1)]).toEqual([weight, 'Progressing']);
      await when.deadlineIs(2);
      await then.releaseEnds('Failed');
      await then.primaryRuns('1');
      await then.everyoneGets('1');
      then.nothingWasLost();
    } finally {
      pods.stop();
    }
  });

  scenarioTest('I13, E81: a closed confirm-traffic-increase holds the promotion at the last weight', 'gate-traffic', async (scenario) => {
    const { given, when, then, hooks } = scenario;
    await given.aDeployment();
    hooks.answers('step', ({ canaryWeight }) => (canaryWeight === 60 ? 403 : 200));
    await given.aCanary({ ...STEPS, webhooks: [{ name: 'step', type: 'confirm-traffic-increase', url: hooks.url('step') }] });
    await when.imageChanges('2');
    await then.canaryReceives(60);
    await then.hookWasCalled('step', hooks.calls('step').length + 3);
    expect([scenario.weights().at(-1), scenario.phases()]).toEqual([60, expect.not.arrayContaining(['Promoting'])]);
    await then.primaryRuns('1');
    hooks.answers('step', 200);
    await then.releaseEnds('Succeeded');
    await then.primaryRuns('2');
  });

  scenarioTest('E82: a rollback hook ends a release that waits for a gate before its first traffic', 'rollback-early', async (scenario) => {
    const { given, when, then, hooks } = scenario;
    await given.aDeployment();
    hooks.answers('undo', 403);
    hooks.answers('start', 403);
    const webhooks = [
      { name: 'undo', type: 'rollback', url: hooks.url('undo') },
      { name: 'start', type: 'pre-rollout', url: hooks.url('start') },
    ];
    await given.aCanary({ ...STEPS, threshold: 1_000, webhooks });
    await when.imageChanges('2');
    await then.hookWasCalled('start', 2);
    const asked = hooks.calls('undo').length;
    expect(asked).toBeGreaterThan(0);
    await then.hookWasCalled('undo', asked + 2);
    hooks.answers('undo', 200);
    await then.releaseEnds('Failed');
    expect(scenario.weights()).toEqual([0]);
    await then.primaryRuns('1');
    await then.everyoneGets('1');
  });

  scenarioTest(
    'E84, E85: hooks receive Progressing while a promotion waits, and each that passes is reported once',
    'reported-once',
    async (scenario) => {
      const { given, when, then, hooks } = scenario;
      const types = ['confirm-rollout', 'pre-rollout', 'rollout', 'confirm-promotion'] as const;
      await given.aDeployment();
      hooks.answers('confirm-rollout', 403);
      hooks.answers('confirm-promotion', 403);
      await given.aCanary({ ...STEPS, webhooks: types.map((type) => ({ name: type, type, url: hooks.url(type) })) });
      const promoted = revisionOf(await canaryOf(scenario));
      await when.imageChanges('2');
      await then.canaryIs('Waiting');
      await then.hookWasCalled('confirm-rollout', 3);
      when.gateOpens('confirm-rollout');
      await then.canaryIs('WaitingPromotion');
      await then.hookWasCalled('confirm-promotion', 3);
      const analysed = revisionOf(await canaryOf(scenario));
      when.gateOpens('confirm-promotion');
      await then.releaseEnds('Succeeded');
      const said = (hook: string) => [
        ...new Set(hooks.calls(hook).map(({ phase, checksum, revision }) => `${phase} ${checksum} ${revision}`)),
      ];
      expect(said('confirm-rollout')).toEqual([`Initialized ${promoted} ${analysed}`, `Waiting ${promoted} ${analysed}`]);
      for (const hook of types.slice(1)) expect([hook, said(hook)]).toEqual([hook, [`Progressing ${analysed} ${analysed}`]]);
      const passed = async () => {
        const { items } = await environmentOf().cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: scenario.namespace });
        return items.filter(({ reason }) => reason === 'HookPassed').map(({ message, count }) => `${message}: ${count}`);
      };
      const all = ['confirm-promotion', 'confirm-rollout', 'pre-rollout'].map((type) => `The ${type} hook ${type} passed: 1`);
      await eventually('each hook that passed has its Event', passed, (names) => names.toSorted().join() === all.join());
    },
  );

  async function canaryOf({ namespace }: Scenario): Promise<KubeObject | undefined> {
    return await environmentOf().cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace });
  }
}

function revisionOf(canary: KubeObject | undefined): string {
  return raw(canary)?.status?.release.revision;
}

/** Opens gates like the controller of a load balancer once it has taken the pods in, now and from now on; it can close one again. */
function openGates(cluster: Environment['cluster'], namespace: string): { closeOneOf(app: string): Promise<void>; stop(): void } {
  const refOf = ({ metadata: { name } }: KubeObject): ObjectRef => ({ apiVersion: 'v1', kind: 'Pod', name, namespace });
  const set = async (pod: KubeObject, status: 'True' | 'False'): Promise<void> => {
    const others = (raw(pod).status?.conditions ?? []).filter(({ type }: { type: string }) => type !== GATE);
    const patch = { status: { conditions: [...others, { type: GATE, status }] } };
    await cluster.patch(refOf(pod), patch, { subresource: 'status' }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  };
  const has = (pod: KubeObject, condition: string): boolean =>
    raw(pod).status?.conditions?.some(({ type }: { type: string }) => type === condition) === true;
  // Before the kubelet has reported, there would be no Ready for it to correct: conditions are replaced as a whole.
  const open = (pod: KubeObject): void => {
    if (has(pod, 'Ready') && !has(pod, GATE)) void set(pod, 'True');
  };
  const watch = cluster.watch(
    { apiVersion: 'v1', kind: 'Pod', namespace },
    {
      onList: (pods) => pods.forEach(open),
      onEvent: ({ type, object }) => (type === 'DELETED' ? undefined : open(object)),
    },
  );
  return {
    async closeOneOf(app) {
      const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, { labelSelector: `app=${app}` });
      const pod = items.find(({ metadata }) => metadata.deletionTimestamp === undefined);
      if (pod) await set(pod, 'False');
    },
    stop: () => watch.stop(),
  };
}
