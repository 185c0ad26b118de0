import { expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { Lab } from '../adversity/lab.ts';
import type { Stage } from '../stage.ts';
import { APP } from '../story.ts';
import type { StartApplication } from './application.ts';

const READS = /^(get|list|watch) /;

/** Counts requests, so that no other controller may run on the stage. */
export function describeAtRest(stageOf: () => Stage, kinds: Readonly<Record<string, StartApplication>>): void {
  it.each(Object.entries(kinds))('I8: a restart over a resting %s writes nothing, and at rest it costs no request', async (kind, start) => {
    const namespace = `${kind.toLowerCase().replaceAll(' ', '-')}-at-rest`;
    const lab = await Lab.open(stageOf(), { namespace, scaleDownDelay: '500ms', interval: '500ms' });
    const { cluster } = lab;
    try {
      const app = start(cluster, namespace);
      await app.create();
      lab.startController();
      const analysis = { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 };
      const spec = { service: { port: 80, targetPort: 'http' }, progressDeadlineSeconds: 600, analysis, ...app.spec };
      await cluster.create({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: APP, namespace }, spec });
      const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
      const rests = (phase: string) => (now: KubeObject | undefined) =>
        raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting';
      await lab.until(canary, 'is initialized', rests('Initialized'));
      await app.push('2');
      await lab.until(canary, 'is promoted', rests('Succeeded'));
      await app.primaryRuns('2');
      await app.rests();
      await lab.quiet(2_000);
      await lab.stopController('TERM');
      const before = lab.requests();
      lab.startController();
      await lab.controllerIsUp();
      // Nothing is asked for later than the first look.
      await lab.quiet(2_000);
      const looked = lab.requests();
      await lab.quiet(4_000);
      expect(lab.requestsSince(looked)).toEqual({});
      expect(Object.keys(lab.requestsSince(before)).filter((what) => !READS.test(what))).toEqual([]);
    } finally {
      await lab.close();
    }
  });
}
