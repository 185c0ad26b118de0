import type { KubeObject } from '../../api/kube-object.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Cluster, KindRef } from '../../kube/cluster.ts';
import type { StandIn } from '../world.ts';
import type { WorkQueue } from './work-queue.ts';

/** One change seen by a store; `next` is absent when the object is gone. */
export type ObjectChange<T extends KubeObject = KubeObject> = { previous?: T; next?: T };

/** The objects of one kind as last seen in the watch, by `namespace/name`. */
export interface ObjectStore<T extends KubeObject = KubeObject> {
  readonly synced: Promise<void>;
  get(key: string): T | undefined;
  list(): T[];
  /** Takes a write's answer at once, so that the next decision does not repeat it before the watch shows it. */
  remember(object: KubeObject): void;
  stop(): void;
}

/** `namespace/name`; `name` of a cluster-scoped object. */
export const keyOf = (object: { metadata: { name: string; namespace?: string } }): string =>
  object.metadata.namespace === undefined ? object.metadata.name : `${object.metadata.namespace}/${object.metadata.name}`;

const versionOf = (object: KubeObject): number => Number(object.metadata.resourceVersion ?? 0);

/** Deleted objects that are remembered: as many as any number of answers can be late for. */
const MOST_GONE = 1000;

/** Watches one kind. `onChange` is called after the store holds the change, with the current or last form of the object. */
export function watchObjects<T extends KubeObject = KubeObject>(
  cluster: Cluster,
  kind: KindRef & { kind: T['kind'] },
  onChange: (change: ObjectChange<T>, object: T) => void,
): ObjectStore<T> {
  const objects = new Map<string, T>();
  // The answer to a write can come after the news that its object is deleted: it must not bring that back.
  const gone = new Set<string>();
  const put = (raw: KubeObject): void => {
    // Items of a real server's list carry neither apiVersion nor kind.
    const next = { ...raw, apiVersion: raw.apiVersion ?? kind.apiVersion, kind: raw.kind ?? kind.kind } as T;
    const previous = objects.get(keyOf(next));
    if (gone.has(next.metadata.uid ?? '') || (previous && versionOf(next) <= versionOf(previous))) return;
    objects.set(keyOf(next), next);
    onChange(previous ? { previous, next } : { next }, next);
  };
  const drop = (key: string): void => {
    const previous = objects.get(key);
    if (!previous) return;
    objects.delete(key);
    if (previous.metadata.uid !== undefined) gone.add(previous.metadata.uid);
    const [oldest = ''] = gone;
    if (gone.size > MOST_GONE) gone.delete(oldest);
    onChange({ previous }, previous);
  };
  const handle = cluster.watch(kind, {
    onEvent: ({ type, object }) => (type === 'DELETED' ? drop(keyOf(object)) : put(object)),
    onList: (items) => {
      const seen = new Map(items.map((item) => [keyOf(item), item.metadata.uid]));
      for (const [key, { metadata }] of [...objects]) if (!seen.has(key) || seen.get(key) !== metadata.uid) drop(key);
      for (const item of items) put(item);
    },
  });
  return {
    synced: handle.synced,
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    remember: put,
    stop: () => handle.stop(),
  };
}

/** Resolves when each store has listed its kind once. */
export const allSynced = (stores: Readonly<Record<string, ObjectStore>>): Promise<void> =>
  Promise.all(Object.values(stores).map(({ synced }) => synced)).then(() => undefined);

/** Writes the status of an object where it is another one. */
export async function writeStatus(cluster: Cluster, store: ObjectStore, object: KubeObject, status: object): Promise<void> {
  if (canonicalJson(object.status ?? {}) === canonicalJson(status)) return;
  store.remember(await cluster.replace({ ...object, status }, { subresource: 'status' }));
}

/** Common part of controllers: the stores that they decide by, and the queue of their passes. */
export function standInOf(stores: Readonly<Record<string, ObjectStore>>, queue: WorkQueue): StandIn {
  return {
    synced: allSynced(stores),
    stop() {
      for (const store of Object.values(stores)) store.stop();
      queue.stop();
    },
  };
}
