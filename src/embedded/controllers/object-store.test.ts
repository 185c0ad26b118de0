import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster, WatchHandler } from '../../kube/cluster.ts';
import { type ObjectChange, watchObjects } from './object-store.ts';

const pod = (uid: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'shop', uid, resourceVersion },
});

/** A store whose watch the test itself plays. */
function watched() {
  const changes: ObjectChange[] = [];
  let handler: WatchHandler | undefined;
  const watch = (_: object, given: WatchHandler) => {
    handler = given;
    return { synced: Promise.resolve(), stop: () => undefined };
  };
  const store = watchObjects({ watch } as unknown as Cluster, { apiVersion: 'v1', kind: 'Pod' }, (change) => changes.push(change));
  if (!handler) throw new Error('nothing is watched');
  const { onEvent, onList } = handler;
  return { store, changes, onEvent, onList, uid: () => store.get('shop/web-1')?.metadata.uid };
}

it('the answer to a write that comes after the deletion of its object does not bring it back', () => {
  const { store, changes, onEvent, uid } = watched();
  onEvent({ type: 'ADDED', object: pod('a', '1') });
  onEvent({ type: 'DELETED', object: pod('a', '3') });
  store.remember(pod('a', '2'));
  expect([uid(), changes.length]).toEqual([undefined, 2]);
});

it('nor does it replace what was made again under its name', () => {
  const { store, onEvent, uid } = watched();
  onEvent({ type: 'ADDED', object: pod('a', '1') });
  onEvent({ type: 'DELETED', object: pod('a', '3') });
  onEvent({ type: 'ADDED', object: pod('b', '4') });
  store.remember(pod('a', '2'));
  expect(uid()).toBe('b');
});

it('a list replaces all known objects, also from a server that restarts its versions', () => {
  const { changes, onList, uid } = watched();
  onList([pod('a', '900')]);
  onList([pod('b', '4')]);
  expect(uid()).toBe('b');
  expect(changes.map(({ previous, next }) => [previous?.metadata.uid, next?.metadata.uid])).toEqual([
    [undefined, 'a'],
    ['a', undefined],
    [undefined, 'b'],
  ]);
});
