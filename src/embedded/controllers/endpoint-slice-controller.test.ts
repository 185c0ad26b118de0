import { expect, it } from 'vitest';
import type { EndpointSlice } from '../../api/kinds/endpoint-slice.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { asService } from '../../api/kinds/service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { syncEndpointSlices } from './endpoint-slice-controller.ts';
import type { ObjectStore } from './object-store.ts';

const place = { namespace: 'shop', labels: { app: 'web' } };
const zone = { 'topology.kubernetes.io/zone': 'z1' };

function storeOf<T extends KubeObject>(...objects: T[]): ObjectStore<T> {
  const named = (key: string) => objects.find(({ metadata }) => [metadata.name, `${metadata.namespace}/${metadata.name}`].includes(key));
  return { list: () => objects, get: named, remember: () => undefined, synced: Promise.resolve(), stop: () => undefined };
}

/** The one endpoint of a Service over one pod. */
async function endpoint(spec: object, { isReady = true, isLeaving = false } = {}): Promise<{ hints?: object }> {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', ...place, ...(isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { nodeName: 'n1', containers: [] },
    status: { podIP: '10.244.0.1', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
  const service = asService({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', ...place },
    spec: { selector: place.labels, ...spec },
  });
  const made: EndpointSlice[] = [];
  const create = async (slice: EndpointSlice): Promise<KubeObject> => {
    made.push(slice);
    return slice;
  };
  const cluster = { create } as unknown as Cluster;
  const nodes = storeOf<Node>({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels: zone } });
  await syncEndpointSlices(
    cluster,
    { services: storeOf(service), pods: storeOf(pod), nodes, slices: storeOf<EndpointSlice>() },
    'shop/web',
  );
  return made[0]?.endpoints?.[0] ?? {};
}
const conditions = (ready: boolean, serving: boolean, terminating: boolean) => ({ conditions: { ready, serving, terminating } });
const open = { publishNotReadyAddresses: true };

it.each([
  ['a ready pod', {}, {}, conditions(true, true, false)],
  ['a pod that is not ready', {}, { isReady: false }, conditions(false, false, false)],
  ['one that is leaving and still serves', {}, { isLeaving: true }, conditions(false, true, true)],
  ['one that is not ready, published all the same, does not serve', open, { isReady: false }, conditions(true, false, false)],
  ['one that is leaving, published all the same', open, { isLeaving: true }, conditions(true, true, true)],
])('the endpoint of %s', async (_, spec, pod, expected) => expect(await endpoint(spec, pod)).toMatchObject(expected));

it.each([
  ['PreferClose', {}, { forZones: [{ name: 'z1' }] }],
  ['PreferSameZone', {}, { forZones: [{ name: 'z1' }] }],
  ['PreferSameNode', {}, { forZones: [{ name: 'z1' }], forNodes: [{ name: 'n1' }] }],
  ['PreferSameNode', { isLeaving: true }, undefined],
  [undefined, {}, undefined],
])('hints for %s of %o', async (trafficDistribution, pod, hints) =>
  expect((await endpoint({ trafficDistribution }, pod)).hints).toEqual(hints),
);

it('of a Service that was deleted and made again, the slice of the former one goes and another is made', async () => {
  const service = asService({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', uid: 'new', ...place },
    spec: { selector: place.labels },
  });
  const former: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      labels: { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'old', controller: true }],
    },
    endpoints: [],
    ports: [],
  };
  const written: unknown[] = [];
  const cluster = {
    create: async (slice: KubeObject) => {
      written.push(['create', slice.metadata.ownerReferences?.map(({ uid }) => uid)]);
      return slice;
    },
    delete: async ({ name }: { name: string }) => void written.push(['delete', name]),
  } as unknown as Cluster;
  const stores = { services: storeOf(service), pods: storeOf<Pod>(), nodes: storeOf<Node>(), slices: storeOf(former) };
  await syncEndpointSlices(cluster, stores, 'shop/web');
  expect(written).toEqual([
    ['create', ['new']],
    ['delete', 'web-1'],
  ]);
});
