import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { startKnative } from '../../src/embedded/knative/index.ts';
import { Lab } from '../suite/adversity/lab.ts';
import type { StartApplication } from '../suite/kinds/application.ts';
import { serviceApplication } from '../suite/kinds/core-service.ts';
import { daemonSetApplication } from '../suite/kinds/daemon-set.ts';
import { knativeApplication } from '../suite/kinds/knative.ts';
import { APP } from '../suite/story.ts';

const KINDS: Readonly<Record<string, StartApplication>> = {
  daemons: daemonSetApplication,
  services: serviceApplication,
  pages: knativeApplication,
};
const READS = /^(get|list|watch) /;
const knativeCrds = new URL('../fixtures/crds/knative.yaml', import.meta.url);

it('I8: a restart over resting Canaries of every kind writes nothing, and at rest they cost no request', async () => {
  const lab = await Lab.open({ lagMs: [20, 100], seed: 5, graceScale: 0.02, scaleDownDelay: '300ms', interval: '500ms' });
  const { cluster } = lab;
  for (const document of parseAllDocuments(readFileSync(knativeCrds, 'utf8'))) await cluster.create(document.toJS() as KubeObject);
  const standIn = startKnative(cluster);
  try {
    lab.startController();
    for (const [namespace, start] of Object.entries(KINDS)) {
      await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const app = start(cluster, namespace);
      await app.create();
      const analysis = { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 };
      const spec = { service: { port: 80, targetPort: 'http' }, progressDeadlineSeconds: 60, analysis, ...app.spec };
      await cluster.create({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: APP, namespace }, spec });
      const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
      const rests = (phase: string) => (now: KubeObject | undefined) =>
        now?.status?.phase === phase && now.status.release?.step === 'resting';
      await lab.until(canary, 'is initialized', rests('Initialized'));
      await app.push('2');
      await lab.until(canary, 'is promoted', rests('Succeeded'));
      await app.primaryRuns('2');
      await app.rests();
    }
    expect(await lab.isQuietFor(2_000), JSON.stringify(lab.requests())).toBe(true);
    await lab.stopController('TERM');
    const before = lab.requests();
    lab.startController();
    await lab.controllerIsUp();
    expect(await lab.isQuietFor(4_000, 6_500), JSON.stringify(lab.requestsSince(before))).toBe(true);
    expect(Object.keys(lab.requestsSince(before)).filter((what) => !READS.test(what))).toEqual([]);
  } finally {
    standIn.stop();
    await lab.close();
  }
});
