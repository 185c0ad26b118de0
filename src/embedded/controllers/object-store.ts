import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster, KindRef, WatchHandle } from '../../kube/cluster.ts';

/** One change seen by a store; `next` is absent when the object is gone. */
export type Change = { previous?: KubeObject; next?: KubeObject };

/** The objects of one kind as last heard, by `namespace/name`. */
export interface ObjectStore {
  readonly synced: Promise<void>;
  get(key: string): KubeObject | undefined;
  list(): KubeObject[];
  /** Takes a write's answer at once, so that the next decision does not repeat it before the watch tells. */
  remember(object: KubeObject): void;
  stop(): void;
}

export const keyOf = (object: { metadata: { name: string; namespace?: string } }): string =>
  object.metadata.namespace === undefined ? object.metadata.name : `${object.metadata.namespace}/${object.metadata.name}`;

const versionOf = (object: KubeObject): number => Number(object.metadata.resourceVersion ?? 0);

/** Watches one kind. `onChange` is called after the store holds the change. */
export function watchObjects(cluster: Cluster, kind: KindRef, onChange: (change: Change) => void): ObjectStore {
  const objects = new Map<string, KubeObject>();
  const put = (raw: KubeObject): void => {
    // Items of a real server's list carry neither apiVersion nor kind.
    const next: KubeObject = { ...raw, apiVersion: raw.apiVersion ?? kind.apiVersion, kind: raw.kind ?? kind.kind };
    const previous = objects.get(keyOf(next));
    if (previous && previous.metadata.uid === next.metadata.uid && versionOf(next) <= versionOf(previous)) return;
    objects.set(keyOf(next), next);
    onChange(previous ? { previous, next } : { next });
  };
  const drop = (key: string): void => {
    const previous = objects.get(key);
    if (!previous) return;
    objects.delete(key);
    onChange({ previous });
  };
  const handle: WatchHandle = cluster.watch(kind, {
    onEvent: ({ type, object }) => (type === 'DELETED' ? drop(keyOf(object)) : put(object)),
    onList: (items) => {
      const seen = new Set(items.map(keyOf));
      for (const key of [...objects.keys()]) if (!seen.has(key)) drop(key);
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
