import { expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { Lab } from '../adversity/lab.ts';
import type { Environment } from '../environment.ts';
import { APP } from '../scenario.ts';
import type { StartApplication } from './application.ts';

const READS = /^(get|list|watch) /;

/** Counts requests, so that no other controller may run on the environment. */
export function describeIdle(environmentOf: () => Environment, kinds: Readonly<Record<string, StartApplication>>): void {
  it.each(Object.entries(kinds))(
    'I8: a restart over a resting %s writes nothing, and while idle it costs no request',
    async (kind, start) => {
      const namespace = `${kind.toLowerCase().replaceAll(' ', '-')}-at-rest`;
      const lab = await Lab.open(environmentOf(), { namespace, scaleDownDelay: '500ms', interval: '500ms' });
      const { cluster } = lab;
      try {
        const app = start(cluster, namespace);
        await app.create();
        lab.startController();
        const analysis = { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 };
        const spec = { service: { port: 80, targetPort: 'http' }, progressDeadlineSeconds: 600, analysis, ...app.spec };
        await cluster.create({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: APP, namespace }, spec });
        const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
        const becomesIdle = (phase: string) => (now: KubeObject | undefined) =>
          raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting';
        await lab.until(canary, 'is initialized', becomesIdle('Initialized'));
        await app.push('2');
        await lab.until(canary, 'is promoted', becomesIdle('Succeeded'));
        await app.primaryRuns('2');
        await app.isScaledDown();
        await restartIsSilent(lab);
      } finally {
        await lab.close();
      }
    },
  );
}

/** Restarts the controller beside a resting Canary: it only reads, and after its first look it sends no request. */
export async function restartIsSilent(lab: Lab): Promise<void> {
  await lab.settled(2_000);
  await lab.stopController('TERM');
  const before = lab.requests();
  lab.startController();
  await lab.controllerIsUp();
  await lab.settled(2_000);
  const looked = lab.requests();
  await lab.settled(5_000);
  expect(lab.requestsSince(looked)).toEqual({});
  expect(Object.keys(lab.requestsSince(before)).filter((what) => !READS.test(what))).toEqual([]);
}
