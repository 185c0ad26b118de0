import { expect, it } from 'vitest';
import type { Evidence } from '../../src/judge/evidence.ts';
import { raw } from '../fakes/raw.ts';
import { startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { APP, Scenario } from './scenario.ts';
import { sleep } from './world.ts';

const ANALYSIS = { stepWeight: 50, maxWeight: 50, threshold: 100, comparison: { mode: 'gate', warmUp: '0s' } };
const CROWD = { pauseMs: 100 };
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1';
const LONGEST_MS = 400_000;

/** Counts of a release while the controller, Prometheus and pods come and go are at most the requests that users have sent. */
export function describeComparedDisturbances(environmentOf: () => Environment): void {
  it(
    'E122: a killed controller, a Prometheus that is away for five minutes, a redeployed primary and lost pods: no request is counted twice',
    async () => {
      const environment = environmentOf();
      let controller = startController(environment);
      const scenario = await Scenario.begin(environment, controller, 'disturbed');
      const { given, when, then } = scenario;
      const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: 'disturbed' };
      const evidence = async (): Promise<Evidence | undefined> =>
        raw(await environment.cluster.get(canary))?.status?.release?.comparison?.errors?.evidence;
      const pods = async (labels: Record<string, string>) =>
        (await environment.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'disturbed' })).items.filter(
          ({ metadata }) => metadata.labels?.app === labels.app,
        );
      try {
        await given.aDeployment();
        const users = given.users({}, CROWD);
        await given.aCanary({ ...ANALYSIS, webhooks: given.aClosedGate() });
        await when.imageChanges('2');
        await then.canaryReceives(50);
        /** Counts go on, and stay at most what users have sent to each version. */
        const goesOn = async (what: string): Promise<void> => {
          const { windows: before = 0 } = (await evidence()) ?? {};
          const now = await eventually(`counts go on ${what}`, evidence, (seen) => (seen?.windows ?? 0) >= before + 3);
          const sent = users.byVersion();
          expect(now?.canary.requests, what).toBeGreaterThan(0);
          expect(now?.canary.requests, what).toBeLessThanOrEqual(sent[2] ?? 0);
          expect(now?.primary.requests, what).toBeLessThanOrEqual(sent[1] ?? 0);
          expect(now?.canary.failures, what).toBe(0);
        };
        await goesOn('at first');

        await controller.stop('KILL');
        controller = startController(environment, {}, controller.logFile);
        await goesOn('after a killed controller');

        await when.canaryIsEdited({ metricsServer: NOWHERE });
        const { canary: counted } = (await evidence()) ?? {};
        await sleep(300_000);
        expect((await evidence())?.canary).toEqual(counted);
        await when.canaryIsEdited({ metricsServer: null });
        await goesOn('after five minutes without Prometheus');

        await environment.cluster.patch(
          { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary`, namespace: 'disturbed' },
          { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } } } },
        );
        await goesOn('after a redeployed primary');

        const [pod] = await pods({ app: APP });
        expect(pod).toBeDefined();
        if (pod) await environment.cluster.delete({ apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, namespace: 'disturbed' });
        await goesOn('after a lost pod of the canary');
      } finally {
        await scenario.end();
        await controller.stop();
      }
    },
    LONGEST_MS,
  );
}
