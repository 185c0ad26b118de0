import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refOf } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { type ControllerProcess, startController } from './controller.ts';
import type { Stage } from './stage.ts';
import { APP, Story } from './story.ts';
import { until } from './until.ts';

const NAMESPACE = 'adoption';
const inNamespace = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, name, namespace: NAMESPACE });
const primary = inNamespace('apps/v1', 'Deployment', `${APP}-primary`);
const canary = inNamespace('flagger.app/v1beta1', 'Canary', APP);

/** Moving over from another controller. */
export function describeAdoption(stageOf: () => Stage): void {
  describe('adoption', () => {
    let controller: ControllerProcess;
    beforeAll(() => {
      controller = startController(stageOf());
    });
    afterAll(() => controller?.stop());

    it('a Canary that another controller has been running is adopted without a restart, and its next version is released', async () => {
      const stage = stageOf();
      const { cluster } = stage;
      const story = await Story.begin(stage, controller, NAMESPACE);
      await story.given.aDeployment();
      story.given.users();
      await story.given.aCanary({ stepWeight: 50, maxWeight: 50 });
      await controller.stop();
      await asAnotherControllerLeavesIt(cluster);
      const before = await cluster.get(primary);

      controller = startController(stage);
      const adopted = await until(cluster, canary, 'is adopted', (now) => now?.status?.release?.step === 'resting');
      expect(adopted?.status).toMatchObject({ phase: 'Initialized', canaryWeight: 0, failedChecks: 0 });
      expect(adopted?.status.lastAppliedSpec).toMatch(/^s1:/);
      expect((await cluster.get(primary))?.spec.template).toEqual(before?.spec.template);

      await story.when.imageChanges('2');
      await story.then.releaseEnds('Succeeded');
      await story.then.primaryRuns('2');
      story.then.nothingWasLost();
      await story.end();
    });
  });
}

/** Makes everything look as the established controller leaves it: its ids, its hashes, no memory of ours. */
async function asAnotherControllerLeavesIt(cluster: KubeCluster): Promise<void> {
  const stamp = { template: { metadata: { annotations: { 'flagger-id': '6d0c9a0e-0000-4000-8000-000000000000' } } } };
  const { generation } = (await cluster.patch(primary, { spec: stamp })).metadata;
  await until(cluster, primary, 'has rolled', (now) => {
    const { observedGeneration, updatedReplicas, availableReplicas, replicas } = now?.status ?? {};
    return observedGeneration === generation && updatedReplicas === 2 && availableReplicas === 2 && replicas === 2;
  });
  const records = await cluster.list({ apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace: NAMESPACE });
  for (const record of records.items) await cluster.delete(refOf(record), { propagationPolicy: 'Orphan' });
  await until(cluster, primary, 'is nobody’s', (now) => now !== undefined && (now.metadata.ownerReferences ?? []).length === 0);
  const current = await cluster.get(canary);
  const owner = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, uid: current?.metadata.uid, controller: true };
  await cluster.patch(primary, { metadata: { ownerReferences: [owner], annotations: { 'serin.dev/canary-uid': null } } });
  const status = { release: null, lastAppliedSpec: '65bb57b6b5', lastPromotedSpec: '65bb57b6b5' };
  await cluster.patch(canary, { status }, { subresource: 'status' });
}
