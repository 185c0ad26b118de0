import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventuallyHolds } from '../../../test/scenarios/eventually.ts';
import { asNode } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';

let embedded: EmbeddedCluster;
beforeAll(async () => {
  const nodes = ['one', 'two', 'three', 'four'].map((name, index) => ({
    name,
    zone: `zone-${index}`,
    labels: { disk: index < 2 ? 'ssd' : 'hdd' },
  }));
  embedded = await startEmbeddedCluster({ nodes: { nodes } });
});
afterAll(() => embedded.stop());

const deployment = (name: string, replicas: number, spec: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec } },
  },
});
const podsOf = async (name: string): Promise<Pod[]> => {
  const answer = await embedded.cluster.raw('GET', `/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`);
  return (answer as { items: Pod[] }).items;
};
const placesOf = async (name: string): Promise<string[]> => (await podsOf(name)).map(({ spec }) => String(spec.nodeName ?? '')).toSorted();

describe('nodes', () => {
  it('exist in the requested number, with their labels and without taints', async () => {
    for (const name of ['one', 'four']) {
      const node = await embedded.cluster.get({ apiVersion: 'v1', kind: 'Node', name });
      expect(node?.metadata.labels).toMatchObject({ disk: name === 'one' ? 'ssd' : 'hdd', 'kubernetes.io/hostname': name });
      expect(node && asNode(node).spec?.taints).toBeUndefined();
    }
  });

  it('get an equal share of the pods of a Deployment', async () => {
    await embedded.cluster.create(deployment('even', 8, {}));
    await eventuallyHolds(async () =>
      expect(await placesOf('even')).toEqual(['four', 'four', 'one', 'one', 'three', 'three', 'two', 'two']),
    );
  });

  it('get only the pods that want them; a pod that no node suits says so, and is placed when a node changes', async () => {
    await embedded.cluster.create(deployment('picky', 2, { nodeSelector: { disk: 'hdd' } }));
    await eventuallyHolds(async () => expect(await placesOf('picky')).toEqual(['four', 'three']));
    await embedded.cluster.create(deployment('homeless', 1, { nodeSelector: { disk: 'tape' } }));
    await eventuallyHolds(async () =>
      expect((await podsOf('homeless'))[0]?.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }),
      ),
    );
    await embedded.cluster.patch({ apiVersion: 'v1', kind: 'Node', name: 'two' }, { metadata: { labels: { disk: 'tape' } } });
    await eventuallyHolds(async () => expect(await placesOf('homeless')).toEqual(['two']));
  });

  it('restart a container that is ended from outside as if it had ended by itself', async () => {
    await embedded.cluster.create(deployment('ended', 1, {}));
    const isReady = expect.objectContaining({ type: 'Ready', status: 'True' });
    await eventuallyHolds(async () => expect((await podsOf('ended'))[0]?.status?.conditions).toContainEqual(isReady));
    const [pod] = await podsOf('ended');
    expect(embedded.nodes.crash('default', pod?.metadata.name ?? '', 137)).toBe(true);
    await eventuallyHolds(async () => {
      const [again] = await podsOf('ended');
      expect(again?.status?.conditions).toContainEqual(isReady);
      expect(again?.status?.containerStatuses?.[0]).toMatchObject({
        restartCount: 1,
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
      });
    });
    expect(embedded.nodes.crash('default', 'absent', 1)).toBe(false);
  });
});
