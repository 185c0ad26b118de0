import { describe, expect } from 'vitest';
import { aController } from './controller.ts';
import { anEnvironment, type Environment } from './environment.ts';
import { testHeldReleases } from './held-releases.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { APP, type Scenario, scenarioTests } from './scenario.ts';
import { routerOf } from './shares/split-app.ts';

const STEPS = { stepWeight: 20, maxWeight: 60 };
const METRICS = {
  // Requests that a busy Prometheus has not seen twice yet are no verdict on a version.
  unmeasured: 'hold',
  metrics: [
    { name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } },
    // Far above what a busy machine needs: slow is a fault of the application here, never of the machine.
    { name: 'request-duration', interval: '4s', thresholdRange: { max: 10_000 } },
  ],
};

/**
 * The releases of a user, from the Canary's creation to its verdict. One suite for every cluster, with the same demands. `split`: the data plane also follows
 * TrafficSplits; `mirror`: it can send copies; `fixture`: the provider, instead of Istio.
 */
export function describeReleases(
  name: string,
  startEnvironment: () => Promise<Environment>,
  { split = true, mirror = true, fixture }: { split?: boolean; mirror?: boolean; fixture?: ProviderFixture } = {},
): void {
  describe(name, () => {
    const environmentOf = anEnvironment(startEnvironment);
    const scenarioTest = scenarioTests(environmentOf, aController(environmentOf), fixture);

    describe.concurrent('each in a namespace of its own', () => {
      const promotion = (provider: string) => async (scenario: Scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        given.users();
        await given.aCanary({ ...STEPS, ...METRICS }, { provider });
        // Pods that are called back while they are sent away count as available for a moment: then a weight is withdrawn, and set again.
        await then.scalesTo(APP, 0);
        await when.imageChanges('2');
        await then.canaryReceives(20);
        await then.canaryReceives(40);
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
        await then.everyoneGets('2');
        await then.scalesTo(APP, 0);
        expect(scenario.weights().slice(0, 4)).toEqual([0, 20, 40, 60]);
        expect(scenario.condition()).toMatchObject({ status: 'True', reason: 'Succeeded' });
        then.nothingWasLost();
      };
      scenarioTest(
        'a healthy version is promoted step by step, and no request is lost (I2, I10)',
        'promotion',
        promotion(fixture?.provider ?? 'istio'),
      );
      if (split) scenarioTest('the same over an SMI TrafficSplit', 'promotion-smi', promotion('smi:v1alpha2'));

      scenarioTest(
        'a version that fails its requests is rolled back, and the primary is untouched (I4)',
        'bad-metrics',
        async (scenario) => {
          const { given, when, then } = scenario;
          await given.aDeployment();
          given.users();
          await given.aCanary({ ...STEPS, ...METRICS, webhooks: given.aClosedGate() });
          await when.imageChanges('2', { ERROR_RATE: '0.5' });
          await then.canaryReceives(20);
          await then.releaseEnds('Failed');
          await then.primaryRuns('1');
          await then.everyoneGets('1');
          await then.scalesTo(APP, 0);
          expect(scenario.weights().at(-1)).toBe(0);
          expect(scenario.condition()).toMatchObject({ status: 'False', reason: 'Failed' });
          then.nothingWasLost();
        },
      );

      scenarioTest('a rollout webhook that keeps failing takes the version back', 'bad-webhook', async (scenario) => {
        const { given, when, then, hooks } = scenario;
        hooks.answers('smoke', 500);
        await given.aDeployment();
        await given.aCanary({ ...STEPS, webhooks: [{ name: 'smoke', type: 'rollout', url: hooks.url('smoke'), timeout: '1s' }] });
        await when.imageChanges('2');
        await then.releaseEnds('Failed');
        await then.hookWasCalled('smoke', 2);
        await then.primaryRuns('1');
        await then.everyoneGets('1');
      });

      scenarioTest('nothing starts until the confirm-rollout gate opens', 'gate-rollout', async (scenario) => {
        const { given, when, then, hooks } = scenario;
        await given.aDeployment();
        await given.aCanary({ ...STEPS, webhooks: [{ name: 'start', type: 'confirm-rollout', url: hooks.url('start') }] });
        hooks.answers('start', 403);
        await when.imageChanges('2');
        await then.canaryIs('Waiting');
        await then.hookWasCalled('start', 2);
        expect(scenario.weights()).toEqual([0]);
        when.gateOpens('start');
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
      });

      scenarioTest('the last step is held until the confirm-promotion gate opens', 'gate-promotion', async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        await given.aCanary({ ...STEPS, webhooks: given.aClosedGate() });
        await when.imageChanges('2');
        await then.canaryIs('WaitingPromotion');
        await then.hookWasCalled('finish', 2);
        expect(scenario.phases()).not.toContain('Promoting');
        await then.primaryRuns('1');
        when.gateOpens('finish');
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
      });

      scenarioTest(
        'a target deleted in the middle of its release leaves all traffic on the primary (I5)',
        'target-deleted',
        async (scenario) => {
          const { given, when, then } = scenario;
          await given.aDeployment();
          await given.aCanary({ stepWeight: 50, maxWeight: 50, interval: '10s' });
          await when.imageChanges('2');
          await then.canaryReceives(50);
          await then.someoneGets('2');
          await when.deploymentIsDeleted(APP);
          await then.canaryReceives(0);
          await then.everyoneGets('1');
          expect(scenario.condition().message).toContain('Deployment podinfo does not exist any more');
        },
      );

      scenarioTest('a primary deleted by hand comes back as it was promoted, with as many pods', 'primary-deleted', async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        await given.aCanary(STEPS);
        await when.deploymentIsDeleted(`${APP}-primary`);
        await then.scalesTo(`${APP}-primary`, 2);
        await then.everyoneGets('1');
      });

      scenarioTest('a new version during the analysis starts it again from the first step', 'new-revision', async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        given.users();
        await given.aCanary({ ...STEPS, maxWeight: 40, ...METRICS });
        await when.imageChanges('2');
        await then.canaryReceives(20);
        await when.imageChanges('3');
        await then.canaryReceives(0);
        await then.canaryReceives(20);
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('3');
        await then.everyoneGets('3');
        then.nothingWasLost();
      });

      scenarioTest('a rollback webhook that answers 200 takes the version back at once', 'rollback-hook', async (scenario) => {
        const { given, when, then, hooks } = scenario;
        await given.aDeployment();
        hooks.answers('undo', 403);
        await given.aCanary({ ...STEPS, webhooks: [{ name: 'undo', type: 'rollback', url: hooks.url('undo') }] });
        await when.imageChanges('2');
        await then.canaryReceives(20);
        hooks.answers('undo', 200);
        await then.releaseEnds('Failed');
        await then.primaryRuns('1');
        await then.everyoneGets('1');
      });

      scenarioTest(
        'E65: an edit that cannot be run takes no step, and the hook of before takes the version back',
        'refused-edit',
        async (scenario) => {
          const { given, when, then, hooks } = scenario;
          await given.aDeployment();
          given.users();
          hooks.answers('undo', 403);
          const webhooks = [
            { name: 'undo', type: 'rollback', url: hooks.url('undo') },
            { name: 'step', type: 'confirm-traffic-increase', url: hooks.url('step') },
          ];
          await given.aCanary({ stepWeight: 10, maxWeight: 90, webhooks });
          await then.scalesTo(APP, 0);
          await when.imageChanges('2');
          await then.canaryReceives(10);
          hooks.answers('step', 403);
          await then.hookWasCalled('step', hooks.calls('step').length + 2);
          await when.canaryIsEdited({ analysis: { stepWeight: 0 } });
          await then.itIsReported('Accepted', /spec\.analysis\.stepWeight/);
          const weight = scenario.weights().at(-1);
          hooks.answers('step', 200);
          await then.hookWasCalled('undo', hooks.calls('undo').length + 4);
          expect(scenario.weights().at(-1)).toBe(weight);
          hooks.answers('undo', 200);
          await then.releaseEnds('Failed');
          await then.primaryRuns('1');
          await then.everyoneGets('1');
          then.nothingWasLost();
        },
      );

      scenarioTest('with skipAnalysis a version is promoted without a step', 'skip-analysis', async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        given.users();
        await given.aCanary({ ...STEPS, ...METRICS }, { skipAnalysis: true });
        await when.imageChanges('2');
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
        await then.everyoneGets('2');
        expect(scenario.weights()).not.toContain(20);
        then.nothingWasLost();
      });

      testHeldReleases(scenarioTest, environmentOf);

      scenarioTest('Blue/Green: the version is checked without users, then takes over', 'blue-green', async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        given.users();
        await given.aCanary({ iterations: 2 }, { provider: 'kubernetes' });
        await when.imageChanges('2');
        await then.iterationIs(2);
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
        await then.everyoneGets('2');
        then.nothingWasLost();
      });

      if (!fixture || routerOf(fixture).supports.headerMatch)
        scenarioTest('A/B: insiders get the new version, everyone else the old one', 'ab-testing', async (scenario) => {
          const { given, when, then } = scenario;
          const insider = { 'x-canary': 'insider' };
          await given.aDeployment();
          given.users();
          given.users(insider);
          await given.aCanary({
            iterations: 2,
            match: [{ headers: { 'x-canary': { exact: 'insider' } } }],
            webhooks: given.aClosedGate(),
          });
          await when.imageChanges('2');
          await then.canaryIs('WaitingPromotion');
          await then.everyoneGets('2', insider);
          await then.everyoneGets('1');
          when.gateOpens('finish');
          await then.releaseEnds('Succeeded');
          await then.everyoneGets('2');
          then.nothingWasLost();
        });

      if (mirror)
        scenarioTest('mirroring: the version first gets copies, whose answers reach no user', 'mirroring', async (scenario) => {
          const { given, when, then } = scenario;
          await given.aDeployment();
          const users = given.users();
          await given.aCanary({
            iterations: 3,
            mirror: true,
            webhooks: given.aClosedGate(),
            ...METRICS,
          });
          users.forget();
          await when.imageChanges('2');
          await then.canaryIs('WaitingPromotion');
          expect(environmentOf().mesh.counts().mirrored[`${scenario.namespace}/${APP}`]).toBeGreaterThan(0);
          expect(Object.keys(users.byVersion())).toEqual(['1']);
          when.gateOpens('finish');
          await then.releaseEnds('Succeeded');
          await then.everyoneGets('2');
          then.nothingWasLost();
        });

      scenarioTest('a promotion whose primary never becomes ready is put back (I4, I5)', 'failed-promotion', async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        given.users();
        await given.aCanary(STEPS);
        await when.imageChanges('2', { NEVER_READY_AS_PRIMARY: '1' });
        await then.canaryIs('Promoting');
        await when.deadlineIs(5);
        await then.canaryIs('Failed');
        await then.primaryRuns('1');
        await then.everyoneGets('1');
        await then.scalesTo(APP, 0);
        then.nothingWasLost();
      });

      scenarioTest('a deleted Canary gives the application back to its own Deployment (I7)', 'deletion', async (scenario) => {
        const { given, when, then } = scenario;
        await given.aDeployment();
        given.users();
        await given.aCanary({ ...STEPS, ...METRICS });
        await when.canaryIsDeleted();
        await then.scalesTo(APP, 2);
        await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
        await then.isGone('v1', 'Service', `${APP}-primary`);
        await then.everyoneGets('1');
        then.nothingWasLost();
      });
    });
  });
}
