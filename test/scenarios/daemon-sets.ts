import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { eventuallyHolds } from './eventually.ts';
import { afterAll, beforeAll } from './world.ts';

const NAMESPACE = 'daemons';
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export interface DaemonEnvironment {
  cluster: KubeCluster;
  stop(): Promise<void>;
}

/** The nodes that the suite plays on. */
export const daemonNodes = ['node-1', 'node-2', 'node-3'].map((name, index) => ({
  name,
  zone: `zone-${index}`,
  labels: { disk: index === 0 ? 'hdd' : 'ssd' },
}));

const refTo = (name: string): ObjectRef => ({ apiVersion: 'apps/v1', kind: 'DaemonSet', name, namespace: NAMESPACE });
const container = (image: string, env: object[] = []) => ({ name: 'app', image, env, ports: [{ name: 'http', containerPort: 8080 }] });
const daemonSet = (name: string, podSpec: object = {}, spec: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { terminationGracePeriodSeconds: 1, containers: [container('app:1')], ...podSpec },
    },
    ...spec,
  },
});

/** The same on the embedded cluster and on kube-controller-manager. */
export function daemonSetSuite(where: string, start: () => Promise<DaemonEnvironment>): void {
  describe(`DaemonSets on ${where}`, () => {
    let environment: DaemonEnvironment;
    beforeAll(async () => {
      environment = await start();
      await environment.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    });
    afterAll(() => environment?.stop());

    const list = async (path: string): Promise<KubeObject[]> =>
      ((await environment.cluster.raw('GET', path)) as { items: KubeObject[] }).items;
    const podsOf = async (name: string): Promise<KubeObject[]> =>
      (await list(`/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app%3D${name}`)).filter((pod) => !pod.metadata.deletionTimestamp);
    const places = async (name: string): Promise<unknown[]> => (await podsOf(name)).map(({ spec }: Raw) => spec.nodeName).toSorted();
    const status = async (name: string) => raw(await environment.cluster.get(refTo(name)))?.status;
    const revisions = async (name: string): Promise<unknown[]> =>
      (await list(`/apis/apps/v1/namespaces/${NAMESPACE}/controllerrevisions?labelSelector=app%3D${name}`))
        .map(({ revision }) => revision)
        .toSorted();
    const release = (name: string, image: string, env: object[] = []) =>
      environment.cluster.patch(refTo(name), { spec: { template: { spec: { containers: [container(image, env)] } } } });
    const settled = (name: string, nodes: number, generation: number) =>
      eventuallyHolds(async () =>
        expect(await status(name)).toEqual({
          currentNumberScheduled: nodes,
          desiredNumberScheduled: nodes,
          numberAvailable: nodes,
          numberMisscheduled: 0,
          numberReady: nodes,
          observedGeneration: generation,
          updatedNumberScheduled: nodes,
        }),
      );

    it('a pod runs on each node, and the status counts them', async () => {
      await environment.cluster.create(daemonSet('each'));
      await settled('each', 3, 1);
      expect(await places('each')).toEqual(['node-1', 'node-2', 'node-3']);
      const [pod] = await podsOf('each');
      expect(pod?.metadata.labels).toMatchObject({ 'controller-revision-hash': expect.any(String), 'pod-template-generation': '1' });
      expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: 'DaemonSet', name: 'each', controller: true }]);
      expect(await revisions('each')).toEqual([1]);
    });

    it('follows nodeSelector, both ways: scaled to zero by a label that no node has, and back', async () => {
      await environment.cluster.create(daemonSet('chosen', { nodeSelector: { disk: 'ssd' } }));
      await settled('chosen', 2, 1);
      expect(await places('chosen')).toEqual(['node-2', 'node-3']);
      await environment.cluster.patch(refTo('chosen'), { spec: { template: { spec: { nodeSelector: { nowhere: 'true' } } } } });
      await eventuallyHolds(async () => expect(await podsOf('chosen')).toEqual([]));
      await eventuallyHolds(async () =>
        expect(await status('chosen')).toEqual({
          currentNumberScheduled: 0,
          desiredNumberScheduled: 0,
          numberMisscheduled: 0,
          numberReady: 0,
          observedGeneration: 2,
        }),
      );
      await environment.cluster.patch(refTo('chosen'), { spec: { template: { spec: { nodeSelector: { nowhere: null } } } } });
      await settled('chosen', 2, 3);
    });

    it('counts pods that are terminating', async () => {
      await environment.cluster.create(daemonSet('leaving', { terminationGracePeriodSeconds: 6_000 }));
      await settled('leaving', 3, 1);
      await environment.cluster.patch(refTo('leaving'), { spec: { template: { spec: { nodeSelector: { nowhere: 'true' } } } } });
      await eventuallyHolds(async () =>
        expect(await status('leaving')).toMatchObject({ observedGeneration: 2, desiredNumberScheduled: 0, numberMisscheduled: 3 }),
      );
      for (const { metadata } of await list(`/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app%3Dleaving`))
        await environment.cluster.forceDelete({ apiVersion: 'v1', kind: 'Pod', name: metadata.name, namespace: NAMESPACE });
      await eventuallyHolds(async () => expect(await status('leaving')).toMatchObject({ numberMisscheduled: 0 }));
    });

    it('follows required node affinity, and a node whose labels change', async () => {
      const terms = [{ matchExpressions: [{ key: 'rank', operator: 'Exists' }] }];
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
      await environment.cluster.create(daemonSet('affine', { affinity: { nodeAffinity } }));
      await eventuallyHolds(async () => expect((await status('affine'))?.observedGeneration).toBe(1));
      expect(await podsOf('affine')).toEqual([]);
      const node = { apiVersion: 'v1', kind: 'Node', name: 'node-1' };
      await environment.cluster.patch(node, { metadata: { labels: { rank: '1' } } });
      await settled('affine', 1, 1);
      expect(await places('affine')).toEqual(['node-1']);
      await environment.cluster.patch(node, { metadata: { labels: { rank: null } } });
      await eventuallyHolds(async () => expect(await podsOf('affine')).toEqual([]));
    });

    it('rolls a new template out node by node, and a broken one stops at maxUnavailable', async () => {
      await environment.cluster.create(daemonSet('rolled'));
      await settled('rolled', 3, 1);
      await release('rolled', 'app:2');
      await settled('rolled', 3, 2);
      expect((await podsOf('rolled')).map(({ spec }: Raw) => spec.containers[0].image)).toEqual(['app:2', 'app:2', 'app:2']);
      expect(await revisions('rolled')).toEqual([1, 2]);

      await release('rolled', 'app:3', [{ name: 'NEVER_READY', value: 'true' }]);
      await eventuallyHolds(async () =>
        expect(await status('rolled')).toMatchObject({
          observedGeneration: 3,
          updatedNumberScheduled: 1,
          numberAvailable: 2,
          numberUnavailable: 1,
          desiredNumberScheduled: 3,
        }),
      );
      // A rollback uses the previous template: its revision is renumbered, not created again.
      await release('rolled', 'app:2');
      await settled('rolled', 3, 4);
      expect(await revisions('rolled')).toEqual([1, 3, 4]);
    });

    it('counts templates in its annotation, which no other writer can set, and nothing else', async () => {
      await environment.cluster.create(daemonSet('counted'));
      const counted = async () => (await environment.cluster.get(refTo('counted')))?.metadata.annotations?.[TEMPLATE_GENERATION];
      expect(await counted()).toBe('1');
      await environment.cluster.patch(refTo('counted'), { metadata: { annotations: { [TEMPLATE_GENERATION]: '9' } } });
      expect(await counted()).toBe('1');
      await environment.cluster.patch(refTo('counted'), { spec: { minReadySeconds: 1 } });
      expect(await counted()).toBe('1');
      await release('counted', 'app:2');
      expect(await counted()).toBe('2');
    });

    it('with OnDelete a new template waits for the old pods to be deleted', async () => {
      await environment.cluster.create(daemonSet('manual', {}, { updateStrategy: { type: 'OnDelete' } }));
      await settled('manual', 3, 1);
      await release('manual', 'app:2');
      await eventuallyHolds(async () => expect(await status('manual')).toMatchObject({ observedGeneration: 2, numberAvailable: 3 }));
      expect(await status('manual')).not.toHaveProperty('updatedNumberScheduled');
      const [first] = await podsOf('manual');
      if (!first) throw new Error('no pod');
      await environment.cluster.delete({ apiVersion: 'v1', kind: 'Pod', name: first.metadata.name, namespace: NAMESPACE });
      await eventuallyHolds(async () => expect(await status('manual')).toMatchObject({ updatedNumberScheduled: 1, numberAvailable: 3 }));
    });

    it('with maxSurge a node keeps its old pod until the new one is available', async () => {
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
      await environment.cluster.create(daemonSet('surging', {}, { updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
      await settled('surging', 3, 1);
      await release('surging', 'app:2', [{ name: 'NEVER_READY', value: 'true' }]);
      await eventuallyHolds(async () => expect(await podsOf('surging')).toHaveLength(4));
      // Not `numberAvailable`: of two pods of one second on a node the real controller may count the newer.
      const old = (await podsOf('surging')).filter((pod) => raw(pod).spec.containers[0].image === 'app:1');
      expect(old.map((pod) => isReady(pod))).toEqual([true, true, true]);
      await release('surging', 'app:3');
      await settled('surging', 3, 3);
      await eventuallyHolds(async () => expect(await podsOf('surging')).toHaveLength(3));
    });
  });
}

function isReady(pod: KubeObject): boolean {
  const conditions: { type: string; status: string }[] = raw(pod).status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
