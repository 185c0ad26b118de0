import { expect, it } from 'vitest';
import { asPod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { KindRef, Selection, WatchHandler } from '../../kube/cluster.ts';
import { podView } from '../../workloads/pods/failings.ts';
import { PodWatches } from './pod-watches.ts';

interface Opened {
  kind: KindRef;
  handler: WatchHandler;
  options: Selection | undefined;
  isStopped: boolean;
}

function aWatcher() {
  const opened: Opened[] = [];
  const woken: string[] = [];
  const cluster = {
    watch(kind: KindRef, handler: WatchHandler, options?: Selection) {
      const one: Opened = { kind, handler, options, isStopped: false };
      opened.push(one);
      return {
        synced: Promise.resolve(),
        ageMs: () => 7,
        restarts: 0,
        stop: () => {
          one.isStopped = true;
        },
      };
    },
  };
  return { watches: new PodWatches(cluster, (follower) => woken.push(follower)), opened, woken };
}

const pod = (restartCount: number, ready = true): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'shop-x', namespace: 'test', uid: 'u', resourceVersion: String(restartCount) },
  spec: { containers: [{ name: 'app', env: [{ name: 'TOKEN', value: 'secret' }] }] },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', reason: 'ContainersNotReady' }],
    containerStatuses: [{ name: 'app', restartCount }],
  },
});
const shop = { namespace: 'test', selector: 'app=shop', run: 1 };

it('E27a: one watch of the selector for each release, opened again for another run, and none after its end', () => {
  const { watches, opened } = aWatcher();
  watches.follow('test/shop', shop);
  watches.follow('test/shop', { ...shop, known: { crashes: 9, lost: 9, ends: {} } });
  expect(opened.map(({ kind, options }) => [kind.kind, kind.namespace, options?.labelSelector])).toEqual([['Pod', 'test', 'app=shop']]);
  watches.follow('test/shop', { ...shop, run: 2 });
  watches.unfollow('test/shop');
  expect([opened.length, opened.every(({ isStopped }) => isStopped), watches.find('test/shop')]).toEqual([2, true, undefined]);
});

it('E27a: wakes its Canary for a failing, and for nothing else that pods do', () => {
  const { watches, opened, woken } = aWatcher();
  watches.follow('test/shop', shop);
  const [{ handler } = { handler: undefined }] = opened;
  expect(watches.find('test/shop')).toBeUndefined();
  handler?.onList([pod(0)]);
  handler?.onEvent({ type: 'MODIFIED', object: { ...pod(0), metadata: { ...pod(0).metadata, labels: { a: 'b' } } } });
  expect(woken).toEqual(['test/shop']);
  handler?.onEvent({ type: 'MODIFIED', object: pod(1) });
  handler?.onEvent({ type: 'MODIFIED', object: pod(1, false) });
  handler?.onEvent({ type: 'DELETED', object: pod(1, false) });
  expect(woken).toHaveLength(4);
  expect(watches.find('test/shop')).toMatchObject({ failing: { crashes: 1, lost: 1, unready: 0, ends: {} } });
  expect(watches.watches()).toEqual([{ kind: 'v1/Pod', ageMs: 7, restarts: 0 }]);
});

it('E27b: forbidden pods are reported once, and counted when they are granted', () => {
  const { watches, opened, woken } = aWatcher();
  watches.follow('test/shop', shop);
  const [{ handler } = { handler: undefined }] = opened;
  handler?.onUnavailable?.('forbidden', 'pods is forbidden');
  handler?.onUnavailable?.('forbidden', 'pods is forbidden');
  expect([watches.find('test/shop'), woken, watches.watches()]).toEqual([{ forbidden: 'pods is forbidden' }, ['test/shop'], []]);
  handler?.onList([pod(0)]);
  expect(watches.find('test/shop')).toMatchObject({ failing: { crashes: 0 } });
});

it('I15: only the fields that show whether a pod fails are kept from a LIST of pods', () => {
  const { watches, opened } = aWatcher();
  watches.follow('test/shop', shop);
  expect(JSON.stringify(opened[0]?.handler.slim?.(pod(0)))).not.toContain('TOKEN');
});

it('E27a: only the fields that its view needs are kept of each pod', () => {
  const { watches, opened } = aWatcher();
  watches.follow('test/shop', shop);
  const slim = opened[0]?.handler.slim;
  const bare = pod(1);
  const { namespace: _, uid: _uid, resourceVersion: _version, ...named } = bare.metadata;
  const full: KubeObject = {
    ...bare,
    metadata: { ...bare.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', labels: { app: 'shop' } },
    spec: {
      containers: [{ name: 'app' }],
      initContainers: [
        { name: 'proxy', restartPolicy: 'Always', image: 'p' },
        { name: 'setup', image: 's' },
      ],
    },
    status: {
      ...(bare.status as object),
      reason: 'NodeLost',
      podIP: '10.0.0.1',
      initContainerStatuses: [{ name: 'proxy', restartCount: 2 }],
    },
  };
  expect([bare, { ...bare, metadata: named }, full].map((one) => podView(asPod(slim?.(one) ?? one)))).toEqual(
    [bare, { ...bare, metadata: named }, full].map((one) => podView(asPod(one))),
  );
  expect(slim?.(full)).toEqual({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'shop-x', namespace: 'test', uid: 'u', resourceVersion: '1', deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] },
    status: {
      ...{ phase: 'Running', reason: 'NodeLost', containerStatuses: [{ name: 'app', restartCount: 1 }] },
      conditions: [{ type: 'Ready', status: 'True', reason: 'ContainersNotReady' }],
      initContainerStatuses: [{ name: 'proxy', restartCount: 2 }],
    },
  });
  expect(Object.keys(slim?.({ ...bare, metadata: named })?.metadata ?? {})).toEqual(['name']);
});
