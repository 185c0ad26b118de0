import type { KubeObject } from '../../api/kube-object.ts';
import { keptIn } from '../../base/once.ts';
import { expired } from './status.ts';

export interface StoreChange {
  version: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  storeKey: string;
  object: KubeObject;
  /** The object before the change: a selector decides by both. */
  before: KubeObject | undefined;
}

/** All objects, by store (`group/plural`) and by `namespace/name`. They are never changed in place. */
export class Store {
  readonly #windowSize: number;
  readonly #stores = new Map<string, Map<string, KubeObject>>();
  /** Keys in order, of stores whose keys are still the same. */
  readonly #sorted = new Map<string, readonly string[]>();
  readonly #changes: StoreChange[] = [];
  readonly #listeners = new Set<(change: StoreChange) => void>();
  #version = 1;

  /** `windowSize`: how many changes watchers may lag behind before they hear 410. */
  constructor(windowSize: number) {
    this.#windowSize = windowSize;
  }

  get version(): number {
    return this.#version;
  }

  get(storeKey: string, key: string): KubeObject | undefined {
    return this.#stores.get(storeKey)?.get(key);
  }

  storeKeys(): string[] {
    return [...this.#stores.keys()];
  }

  /** Sorted by namespace and name, as etcd's keys are. */
  list(storeKey: string, version?: number): [string, KubeObject][] {
    const now = this.#stores.get(storeKey);
    if (version !== undefined && version < this.#version) {
      const objects = new Map(now ?? []);
      for (const change of this.since(version).toReversed()) {
        if (change.storeKey !== storeKey) continue;
        if (change.before === undefined) objects.delete(objectKey(change.object));
        else objects.set(objectKey(change.object), change.before);
      }
      return [...objects].sort(([a], [b]) => (a < b ? -1 : 1));
    }
    if (now === undefined) return [];
    const keys = keptIn(this.#sorted, storeKey, () => [...now.keys()].sort());
    return keys.map((key) => [key, now.get(key) as KubeObject]);
  }

  /** Stores the object under a new resourceVersion, which it also writes into it. */
  put(storeKey: string, object: KubeObject): KubeObject {
    const key = objectKey(object);
    const objects = keptIn(this.#stores, storeKey, () => new Map());
    const before = objects.get(key);
    if (before === undefined) this.#sorted.delete(storeKey);
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    objects.set(key, object);
    this.#publish({ version: this.#version, type: before === undefined ? 'ADDED' : 'MODIFIED', storeKey, object, before });
    return object;
  }

  remove(storeKey: string, key: string): KubeObject | undefined {
    const before = this.#stores.get(storeKey)?.get(key);
    if (before === undefined) return undefined;
    this.#stores.get(storeKey)?.delete(key);
    this.#sorted.delete(storeKey);
    this.#version += 1;
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(this.#version) } };
    this.#publish({ version: this.#version, type: 'DELETED', storeKey, object, before });
    return object;
  }

  /** Everything after that version, oldest first. Refuses with 410 when that is no longer known. */
  since(version: number): StoreChange[] {
    const oldest = this.#changes[0]?.version ?? this.#version + 1;
    if (version < oldest - 1) throw expired(`too old resource version: ${version} (${oldest - 1})`);
    let start = this.#changes.length;
    while (start > 0 && (this.#changes[start - 1]?.version ?? 0) > version) start -= 1;
    return this.#changes.slice(start);
  }

  subscribe(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #publish(change: StoreChange): void {
    this.#changes.push(change);
    // Trimmed in blocks, so that a write does not move every entry each time.
    if (this.#changes.length > this.#windowSize * 1.1) this.#changes.splice(0, this.#changes.length - this.#windowSize);
    for (const listener of [...this.#listeners]) listener(change);
  }
}

/** `namespace/name`; `/name` of a cluster-scoped object. */
export const objectKey = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
