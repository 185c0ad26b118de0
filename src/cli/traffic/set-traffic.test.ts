import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import { setTraffic } from './set-traffic.ts';

const container = { name: 'web', image: 'web:1', env: [{ name: 'A', value: 'b' }] };
const service = (traffic?: object[], version = '1'): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'test', resourceVersion: version },
  spec: { template: { metadata: { name: 'web-blue' }, spec: { containers: [container, { name: 'aside' }] } }, ...(traffic && { traffic }) },
});
const canary = (spec: object = {}): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'shop', namespace: 'test' },
  spec: {
    targetRef: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'web' },
    analysis: { interval: '1m', threshold: 1, stepWeight: 10 },
    ...spec,
  },
});

/** A cluster with this Service; `conflicts` writes are late. */
function aCluster(live: KubeObject | undefined, { canaries = [] as KubeObject[], conflicts = 0 } = {}) {
  const patches: Record<string, unknown>[] = [];
  let reads = 0;
  const cluster = {
    get: async () => {
      reads += 1;
      return live && { ...live, metadata: { ...live.metadata, resourceVersion: String(reads) } };
    },
    list: async () => ({ items: canaries, resourceVersion: '1' }),
    patch: async (_: unknown, patch: Record<string, unknown>) => {
      if (reads <= conflicts) throw new ApiError('the object has been modified', { status: 409, reason: 'Conflict' });
      patches.push(patch);
      return live;
    },
  } as unknown as Cluster;
  return { cluster, patches, set: (change: object) => setTraffic(cluster, 'test', 'web', change) };
}

it('writes the traffic block into the version that it was worked out from, and nothing else', async () => {
  const { set, patches } = aCluster(service([{ revisionName: 'v1', percent: 100 }]));
  await set({ traffic: ['v1=90', '@latest=10'] });
  const traffic = [
    { revisionName: 'v1', percent: 90 },
    { latestRevision: true, percent: 10 },
  ];
  expect(patches).toEqual([{ metadata: { resourceVersion: '1' }, spec: { traffic } }]);
});

it('a Service that says nothing of traffic gives all of it to the latest', async () => {
  const { set, patches } = aCluster(service());
  await set({ tag: ['@latest=now'] });
  expect(patches[0]?.spec).toEqual({ traffic: [{ latestRevision: true, percent: 100, tag: 'now' }] });
});

it('with another image, @latest is the revision that the same write makes', async () => {
  const { set, patches } = aCluster(service([{ revisionName: 'v1', percent: 100 }]));
  await set({ traffic: ['v1=90', '@latest=10'], image: 'web:2' });
  expect(patches).toHaveLength(1);
  expect(patches[0]?.spec).toMatchObject({
    traffic: [{ revisionName: 'v1' }, { latestRevision: true, percent: 10 }],
    // A name would be that of the revision before, which Knative refuses.
    template: { metadata: { name: null }, spec: { containers: [{ ...container, image: 'web:2' }, { name: 'aside' }] } },
  });
});

it('a write that comes late is computed again from the current object', async () => {
  const { set, patches } = aCluster(service([{ revisionName: 'v1', percent: 100 }]), { conflicts: 2 });
  await set({ tag: ['v1=now'] });
  expect(patches).toEqual([expect.objectContaining({ metadata: { resourceVersion: '3' } })]);
});

it('a setting that exists already is not written', async () => {
  const { set, patches } = aCluster(service([{ revisionName: 'v1', percent: 100, tag: 'now' }]));
  expect(await set({ tag: ['v1=now'] })).toBeUndefined();
  expect(patches).toEqual([]);
});

it('a Service that a Canary steers is left to it, until that is suspended', async () => {
  const live = service([{ revisionName: 'v1', percent: 100 }]);
  const steered = aCluster(live, { canaries: [canary()] });
  await expect(steered.set({ tag: ['v1=now'] })).rejects.toThrow(/Canary shop writes .*suspend/);
  expect(steered.patches).toEqual([]);
  const suspended = aCluster(live, { canaries: [canary({ suspend: true })] });
  await suspended.set({ tag: ['v1=now'] });
  expect(suspended.patches).toHaveLength(1);
});

it('a Service that is not found is reported by its name', async () => {
  await expect(aCluster(undefined).set({ tag: ['v1=now'] })).rejects.toThrow('Knative Service web not found in namespace test');
});
