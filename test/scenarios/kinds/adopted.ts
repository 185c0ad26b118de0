import { expect, it } from 'vitest';
import { type KubeObject, type ObjectRef, refOf } from '../../../src/api/kube-object.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { raw } from '../../fakes/raw.ts';
import { Lab, PROXIES_KNOW } from '../adversity/lab.ts';
import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { APP } from '../scenario.ts';
import { until } from '../until.ts';
import { ask, startUsers } from '../users.ts';
import type { StartApplication } from './application.ts';

/** The objects of one kind that Flagger leaves: its primary under its own id and owner, or its traffic block. */
export type Establish = (cluster: Cluster, namespace: string, owner: object) => Promise<void>;

const at = (apiVersion: string, kind: string, name: string, namespace: string): ObjectRef => ({ apiVersion, kind, name, namespace });
const OTHER_ID = '6d0c9a0e-0000-4000-8000-000000000000';

export const establish: Readonly<Record<string, Establish>> = {
  async DaemonSet(cluster, namespace, owner) {
    const primary = at('apps/v1', 'DaemonSet', `${APP}-primary`, namespace);
    const metadata = { ownerReferences: [owner], annotations: { 'serin.dev/canary-uid': null } };
    const stamped = await cluster.patch(primary, {
      metadata,
      spec: { template: { metadata: { annotations: { 'flagger-id': OTHER_ID } } } },
    });
    await until(cluster, primary, 'has rolled', (now) => {
      const { observedGeneration, updatedNumberScheduled, numberAvailable, desiredNumberScheduled } = raw(now)?.status ?? {};
      const isRolled = updatedNumberScheduled === desiredNumberScheduled && numberAvailable === desiredNumberScheduled;
      return observedGeneration === stamped.metadata.generation && isRolled;
    });
  },
  async Service(cluster, namespace, owner) {
    for (const name of [`${APP}-primary`, `${APP}-canary`]) {
      const annotations = { 'serin.dev/canary-uid': null, 'flagger-id': null };
      await cluster.patch(at('v1', 'Service', name, namespace), { metadata: { ownerReferences: [owner], annotations } });
    }
  },
  async 'Knative Service'(cluster, namespace) {
    const traffic = [
      { latestRevision: true, percent: 0 },
      { revisionName: `${APP}-00001`, latestRevision: false, percent: 100 },
    ];
    await cluster.patch(at('serving.knative.dev/v1', 'Service', APP, namespace), { spec: { traffic } });
  },
};

/** Canaries that another controller has been running, with a client that sends requests continuously. */
export function describeAdoptedKinds(environmentOf: () => Environment, kinds: Readonly<Record<string, StartApplication>>): void {
  it.each(Object.entries(kinds))(
    'a %s that another controller has been running is adopted as it is, and its next version is released',
    async (kind, start) => {
      const namespace = `${kind.toLowerCase().replaceAll(' ', '-')}-adopted`;
      const environment = environmentOf();
      const lab = await Lab.open(environment, { namespace, scaleDownDelay: PROXIES_KNOW, interval: '500ms' });
      const { cluster } = lab;
      const canary = at('flagger.app/v1beta1', 'Canary', APP, namespace);
      const becomesIdle = (phase: string) =>
        lab.until(canary, `is idle as ${phase}`, (now) => raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting');
      const app = start(cluster, namespace);
      await app.create();
      const host = `${APP}.${namespace}`;
      for (const url of environment.mesh.urls)
        await eventually(
          `${host} serves at ${url}`,
          async () => (await ask(url, host)).status,
          (status) => status === 200,
        );
      const users = startUsers(environment.mesh.urls, host);
      try {
        lab.startController();
        const analysis = { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 };
        const spec = { service: { port: 80, targetPort: 'http' }, progressDeadlineSeconds: 600, analysis, ...app.spec };
        const { metadata } = await cluster.create({
          apiVersion: 'flagger.app/v1beta1',
          kind: 'Canary',
          metadata: { name: APP, namespace },
          spec,
        });
        await becomesIdle('Initialized');
        await app.isScaledDown();
        await lab.stopController('TERM');

        const records = await cluster.list(
          { apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace },
          { labelSelector: 'serin.dev/record' },
        );
        for (const record of records.items) await cluster.delete(refOf(named(record)), { propagationPolicy: 'Orphan' });
        const owner = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, uid: metadata.uid, controller: true };
        await establish[kind]?.(cluster, namespace, owner);
        const status = { release: null, lastAppliedSpec: '65bb57b6b5', lastPromotedSpec: '65bb57b6b5' };
        await cluster.patch(canary, { status }, { subresource: 'status' });
        const before = await app.primary();

        lab.startController();
        const adopted = await becomesIdle('Initialized');
        expect(adopted?.status).toMatchObject({ canaryWeight: 0, failedChecks: 0, lastAppliedSpec: expect.stringMatching(/^s1:/) });
        await lab.settled(1_500);
        expect(await app.primary()).toEqual(before);

        await app.push('2');
        await becomesIdle('Succeeded');
        await app.primaryRuns('2');
        expect(users.lost()).toEqual([]);
      } finally {
        await users.stop();
        await lab.close();
      }
    },
  );
}

/** Items of a real server's list carry neither apiVersion nor kind. */
const named = (record: KubeObject): KubeObject => ({ ...record, apiVersion: 'apps/v1', kind: 'ControllerRevision' });
