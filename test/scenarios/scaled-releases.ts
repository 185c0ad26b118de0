import { describe, expect, it } from 'vitest';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { startKeda } from '../../src/embedded/keda/index.ts';
import { type Autoscaler, hpaOf, startAutoscaler } from './autoscaler.ts';
import { aController } from './controller.ts';
import { anEnvironment, type Environment } from './environment.ts';
import { APP, Scenario } from './scenario.ts';

const TIMEOUT_MS = 300_000;
const CROWD = { each: 7, pauseMs: 100 };
/** The scaler spreads the load over ten pods. A pod that gets nearly all of it cannot bear half; the machine decides the load. */
const SPREAD = 10;
const BEARS = 0.45;
const PAUSED = 'autoscaling.keda.sh/paused-replicas';
const autoscalerRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: APP };
/** The canary has pods for everybody; the primary, once it has lost nearly all, only what its scaler leaves it. */
const shrinking = { min: 12, scalers: { autoscalerRef: { ...autoscalerRef, primaryScalerReplicas: { minReplicas: 1 } } } };
/** Nearly everybody on the canary. */
const analysis = { stepWeights: [95], threshold: 1, interval: '3s' };

/** Releases under an autoscaler that takes pods away as soon as their load has gone; on either cluster. */
export function describeScaledReleases(title: string, startEnvironment: () => Promise<Environment>): void {
  describe(title, () => {
    const environmentOf = anEnvironment(startEnvironment);
    const controllerOf = aController(environmentOf);

    interface Play {
      namespace: string;
      min: number;
      scalers: Record<string, unknown>;
      /** The user's scaler; an HPA with `min` pods at least, where none is given. */
      scaler?: KubeObject;
      everyMs?: number;
      plan?: Record<string, unknown>;
      /** `Deleted`: its Canary goes in the middle of it. */
      ends: 'Succeeded' | 'Failed' | 'Deleted';
      /** Afterwards the Canary is deleted. */
      isDeletedAtRest?: boolean;
      /** Before the release ends. */
      midway: (scenario: Scenario) => Promise<void>;
    }

    async function play({ namespace, min, scalers, scaler, everyMs, plan = analysis, ends, midway, isDeletedAtRest = false }: Play) {
      const environment = environmentOf();
      const scenario = await Scenario.begin(environment, controllerOf(), namespace);
      const { given, when, then, hooks } = scenario;
      let autoscaler: Autoscaler | undefined;
      try {
        await given.aDeployment({ replicas: 12 });
        const users = given.users({}, CROWD);
        const pace = await users.pace(300);
        const capacity = { CAPACITY_PER_SECOND: String(Math.ceil(pace * BEARS)) };
        await when.imageChanges('1', capacity);
        await then.targetRuns('1');
        await environment.cluster.create(scaler ?? hpaOf(APP, namespace, { minReplicas: min, maxReplicas: 12 }));
        autoscaler = startAutoscaler(environment, namespace, { perPod: pace / SPREAD, ...(everyMs && { everyMs }) });
        hooks.answers('gate', 403);
        hooks.answers('stop', 403);
        const webhooks = [
          { name: 'gate', type: 'confirm-promotion', url: hooks.url('gate') },
          { name: 'stop', type: 'rollback', url: hooks.url('stop') },
        ];
        await given.aCanary({ ...plan, webhooks }, scalers);
        if (!('autoscalerRef' in scalers))
          await environment.cluster.create(hpaOf(`${APP}-primary`, namespace, { minReplicas: 1, maxReplicas: 12 }));
        await when.imageChanges('2', capacity);
        await then.canaryIs('WaitingPromotion');
        await midway(scenario);
        if (ends !== 'Deleted') {
          hooks.answers(ends === 'Failed' ? 'stop' : 'gate', 200);
          await then.releaseEnds(ends);
          await then.everyoneGets(ends === 'Failed' ? '1' : '2');
        }
        if (ends === 'Deleted' || isDeletedAtRest) {
          if (isDeletedAtRest) await then.scalesTo(APP, 0);
          else await when.revisionIsAccepted();
          await when.canaryIsDeleted();
          await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
          await then.isGone('autoscaling/v2', 'HorizontalPodAutoscaler', `${APP}-primary`);
          await then.everyoneGets('2');
        }
        then.nothingWasLost();
        return { failed: users.failed(), errors: autoscaler.errors() };
      } finally {
        await autoscaler?.stop();
        await scenario.end();
      }
    }
    const primaryHasShrunk = ({ then }: Scenario) => then.shrinksTo(`${APP}-primary`, 1);
    const nothing = async () => undefined;
    const unharmed = { failed: [], errors: [] };

    it(
      'E60, I10: with an HPA that takes pods away, users see no failed request from bootstrap to promotion',
      async () =>
        expect(await play({ namespace: 'promoted', ...shrinking, ends: 'Succeeded', midway: primaryHasShrunk })).toEqual(unharmed),
      TIMEOUT_MS,
    );

    it(
      'E31, I10: nor until a release is rolled back',
      async () => expect(await play({ namespace: 'taken-back', ...shrinking, ends: 'Failed', midway: primaryHasShrunk })).toEqual(unharmed),
      TIMEOUT_MS,
    );

    it(
      'E62, I10: nor when Blue/Green switches to a canary that its HPA keeps at one pod without load',
      async () => {
        const plan = { iterations: 1, threshold: 1, interval: '2s' };
        // Slower than the release: what it would take away again before it has measured the load, no pod of a target is safe from.
        const slow = { min: 1, everyMs: 60_000, scalers: { autoscalerRef } };
        expect(await play({ namespace: 'switched', ...slow, plan, ends: 'Succeeded', midway: nothing })).toEqual(unharmed);
      },
      TIMEOUT_MS,
    );

    it(
      'I7, I10: nor when the Canary is deleted while idle, and its target comes back from nothing to the most that its HPA allows',
      async () => {
        const played = { namespace: 'deleted', ...shrinking, ends: 'Succeeded', midway: nothing, isDeletedAtRest: true } as const;
        expect(await play(played)).toEqual(unharmed);
      },
      TIMEOUT_MS,
    );

    it(
      'I7, I10: nor when it comes back under an HPA that has yet to measure its load',
      async () => {
        const slow = { min: 1, everyMs: 60_000, scalers: { autoscalerRef } };
        const plan = { iterations: 1, threshold: 1, interval: '2s' };
        const played = { namespace: 'deleted-slow', ...slow, plan, ends: 'Succeeded', midway: nothing, isDeletedAtRest: true } as const;
        expect(await play(played)).toEqual(unharmed);
      },
      TIMEOUT_MS,
    );

    it(
      'I7, I10: nor when it is deleted in the middle of a release, with a primary that its HPA has shrunk to one pod',
      async () => expect(await play({ namespace: 'left', ...shrinking, ends: 'Deleted', midway: primaryHasShrunk })).toEqual(unharmed),
      TIMEOUT_MS,
    );

    it(
      'I10: the same with a ScaledObject, which KEDA turns into an HPA, and which is paused with its target',
      async () => {
        const namespace = 'keda';
        const keda = startKeda(environmentOf().cluster);
        try {
          const metadata = { name: APP, namespace };
          const triggers = [{ type: 'prometheus', metadata: { query: `rq{app="${APP}"}`, threshold: '20' } }];
          const spec = { scaleTargetRef: { name: APP }, minReplicaCount: 12, maxReplicaCount: 12, triggers };
          const scaler = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec };
          const ref = { apiVersion: scaler.apiVersion, kind: scaler.kind, name: APP, primaryScalerReplicas: { minReplicas: 1 } };
          const midway = async ({ then }: Scenario) => {
            await then.shrinksTo(`${APP}-primary`, 1);
            expect((await environmentOf().cluster.get(refOf(scaler)))?.metadata.annotations ?? {}).not.toHaveProperty([PAUSED]);
          };
          const played = { namespace, min: 12, scalers: { autoscalerRef: ref }, scaler, ends: 'Succeeded', midway } as const;
          expect(await play(played)).toEqual(unharmed);
          expect((await environmentOf().cluster.get(refOf(scaler)))?.metadata.annotations).toMatchObject({ [PAUSED]: '0' });
        } finally {
          keda.stop();
        }
      },
      TIMEOUT_MS,
    );

    it(
      'E60: the same release fails requests where Serin does not know of the scalers, so that nothing is raised',
      async () => {
        const { failed } = await play({ namespace: 'unknown', min: 12, scalers: {}, ends: 'Failed', midway: primaryHasShrunk });
        expect(failed.length).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );
  });
}
