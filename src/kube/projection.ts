import type { KubeObject, ObjectRef, Slim } from '../api/kube-object.ts';
import type { ListHandler } from './watch.ts';

export interface ProjectionChange<T> {
  namespace: string | undefined;
  name: string;
  /** `undefined` if it did not exist. */
  before: T | undefined;
  /** `undefined` if it was deleted. */
  after: T | undefined;
}

/** Cached objects of one watch: the projected fields, never the whole object. */
export interface Projection<T> {
  /** Give it to `cluster.watch`. */
  readonly handler: ListHandler;
  get(namespace: string | undefined, name: string): T | undefined;
  /** True if a list, an event or an answer has shown whether the object exists, though the first LIST can still be under way. */
  knows(namespace: string | undefined, name: string): boolean;
  values(): T[];
  /** Values of one namespace, at no cost for the others. */
  valuesIn(namespace: string): T[];
  /** Takes the answer of a write, so that the next read sees it before the watch does. */
  learn(object: KubeObject): void;
  /** Call after our own delete: the object is gone until an event says otherwise. */
  forget(ref: Pick<ObjectRef, 'namespace' | 'name'>): void;
  /** Called after each change; the result ends it. */
  onChange(listener: (change: ProjectionChange<T>) => void): () => void;
}

/** `value` is missing for a deleted object: only its version is kept, so that late events do not bring it back. */
interface KnownObject<T> {
  namespace: string | undefined;
  name: string;
  version: bigint | undefined;
  value?: { it: T };
  isUnreadable?: boolean;
}

/** Deleted objects whose versions are kept, newest last: a tenant could make and delete objects without end. */
const MOST_GONE = 32;

/**
 * `project` gets its own result for the previous version, where that is known. `onUnreadable` gets an object for which `project` throws, once until it can be
 * read again: it counts as absent.
 */
export function createProjection<T>(
  project: (object: KubeObject, before: T | undefined) => T,
  onUnavailable?: ListHandler['onUnavailable'],
  onUnreadable?: (object: Slim, error: unknown) => void,
): Projection<T> {
  return new WatchedProjection(project, onUnavailable, onUnreadable);
}

class WatchedProjection<T> implements Projection<T> {
  readonly #project: (object: KubeObject, before: T | undefined) => T;
  readonly #onUnreadable: ((object: Slim, error: unknown) => void) | undefined;
  readonly #entries = new Map<string, KnownObject<T>>();
  /** Keys of the entries that were deleted, oldest first. */
  readonly #gone = new Set<string>();
  /** Version of the last LIST or of the newest deleted object that is forgotten: an older answer for an unknown name is about an object that has gone. */
  #forgottenVersion: bigint | undefined;
  /** Made at its first use: most kinds are looked up by name. */
  #keysByNamespace: Map<string, Set<string>> | undefined;
  /** Projections of items whose LIST is incomplete, by their stubs. */
  readonly #prepared = new WeakMap<Slim, { it: T } | { error: unknown }>();
  readonly #listeners = new Set<(change: ProjectionChange<T>) => void>();
  readonly handler: Projection<T>['handler'];

  constructor(
    project: (object: KubeObject, before: T | undefined) => T,
    onUnavailable: ListHandler['onUnavailable'],
    onUnreadable: ((object: Slim, error: unknown) => void) | undefined,
  ) {
    this.#project = project;
    this.#onUnreadable = onUnreadable;
    this.handler = {
      // Only `onList` gets them.
      slim: (item) => this.#slim(item) as KubeObject,
      onList: (items, resourceVersion) => this.#onList(items, resourceVersion),
      onEvent: ({ type, object }) => this.#put(object, type === 'DELETED'),
      ...(onUnavailable === undefined ? {} : { onUnavailable }),
    };
  }

  get(namespace: string, name: string): T | undefined {
    return this.#entries.get(keyOf(namespace, name))?.value?.it;
  }

  knows(namespace: string, name: string): boolean {
    return this.#entries.has(keyOf(namespace, name));
  }

  values(): T[] {
    return [...this.#entries.values()].flatMap(({ value }) => (value === undefined ? [] : [value.it]));
  }

  valuesIn(namespace: string): T[] {
    if (this.#keysByNamespace === undefined) {
      this.#keysByNamespace = new Map();
      for (const key of this.#entries.keys()) this.#index(key);
    }
    const keys = [...(this.#keysByNamespace.get(namespaceOf(namespace)) ?? [])];
    return keys.flatMap((key) => this.#entries.get(key)?.value?.it ?? []);
  }

  learn(object: KubeObject): void {
    const { namespace, name, resourceVersion } = object.metadata;
    if (!this.#entries.has(keyOf(namespace, name)) && isOlder(versionOf(resourceVersion), this.#forgottenVersion)) return;
    this.#put(object, false);
  }

  forget({ namespace, name }: { namespace?: string; name: string }): void {
    const known = this.#entries.get(keyOf(namespace, name));
    if (known !== undefined) this.#set(keyOf(namespace, name), { namespace, name, version: known.version });
  }

  onChange(listener: (change: ProjectionChange<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(object: Slim, isDeleted: boolean): void {
    const { namespace, name } = object.metadata;
    const key = keyOf(namespace, name);
    const known = this.#entries.get(key);
    const version = versionOf(object.metadata.resourceVersion);
    if (known !== undefined && isOlder(version, known.version)) return;
    // The same version again is not a change, but a deletion can carry the version of the last state.
    if (!isDeleted && known?.version !== undefined && known.version === version) return;
    const value = isDeleted ? undefined : (this.#prepared.get(object) ?? this.#read(object as KubeObject, known?.value?.it)); // what was not prepared is whole
    const isUnreadable = value !== undefined && 'error' in value;
    if (isUnreadable && !known?.isUnreadable) this.#onUnreadable?.(object, value.error);
    this.#set(key, { namespace, name, version, isUnreadable, ...(value && 'it' in value && { value }) });
  }

  /** Any writer might have written the object: an unreadable object must not hide the others. */
  #read(object: KubeObject, before: T | undefined): { it: T } | { error: unknown } {
    try {
      return { it: this.#project(object, before) };
    } catch (error) {
      return { error };
    }
  }

  /** Projects as the pages come, and reports nothing before the LIST is complete: a part would be read as the whole. */
  #slim(item: KubeObject): Slim {
    const { name, namespace, resourceVersion } = item.metadata;
    // Without a version its age is unknown: the item waits unmodified.
    if (resourceVersion === undefined) return item;
    const { apiVersion, kind } = item;
    const stub = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), resourceVersion } };
    this.#prepared.set(stub, this.#read(item, this.#entries.get(keyOf(namespace, name))?.value?.it));
    return stub;
  }

  #set(key: string, entry: KnownObject<T>): void {
    const before = this.#entries.get(key)?.value;
    this.#entries.set(key, entry);
    this.#index(key);
    this.#gone.delete(key);
    // An unreadable object exists.
    if (entry.value === undefined && !entry.isUnreadable) this.#keepGone(key);
    if (before === undefined && entry.value === undefined) return;
    const change = { namespace: entry.namespace, name: entry.name, before: before?.it, after: entry.value?.it };
    for (const listener of this.#listeners) listener(change);
  }

  #keepGone(key: string): void {
    this.#gone.add(key);
    if (this.#gone.size <= MOST_GONE) return;
    for (const oldest of this.#gone) {
      this.#forgetUpTo(this.#entries.get(oldest)?.version);
      this.#drop(oldest);
      return;
    }
  }

  #forgetUpTo(version: bigint | undefined): void {
    if (version !== undefined && !isOlder(version, this.#forgottenVersion)) this.#forgottenVersion = version;
  }

  #drop(key: string): void {
    const namespace = namespaceOf(this.#entries.get(key)?.namespace);
    const keys = this.#keysByNamespace?.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysByNamespace?.delete(namespace);
    this.#gone.delete(key);
    this.#entries.delete(key);
  }

  #index(key: string): void {
    if (this.#keysByNamespace === undefined) return;
    const namespace = namespaceOf(this.#entries.get(key)?.namespace);
    const keys = this.#keysByNamespace.get(namespace) ?? new Set();
    this.#keysByNamespace.set(namespace, keys.add(key));
  }

  #onList(items: readonly Slim[], resourceVersion?: string): void {
    const listed = new Set(items.map((item) => keyOf(item.metadata.namespace, item.metadata.name)));
    const listVersion = versionOf(resourceVersion);
    for (const [key, entry] of [...this.#entries]) {
      if (listed.has(key)) continue;
      // Written by us after the server had made the list: the watch will report it.
      if (listVersion !== undefined && entry.version !== undefined && entry.version > listVersion) continue;
      const { namespace, name } = entry;
      this.#set(key, { namespace, name, version: listVersion });
      this.#drop(key); // no event older than the list can follow
    }
    this.#forgetUpTo(listVersion);
    const errors: unknown[] = [];
    for (const item of items) {
      try {
        this.#put(item, false);
      } catch (error) {
        errors.push(error);
      }
    }
    // A listener's error about one object is thrown last: the others are known by now.
    if (errors.length > 0) throw errors[0];
  }
}

const keyOf = (namespace: string | undefined, name: string): string => [namespace, name].join('/');

const namespaceOf = (namespace: string | undefined): string => namespace ?? '';

/** Versions are integers that rise over all objects of a kind; anything else cannot be compared. */
const versionOf = (text: string | undefined): bigint | undefined => (text !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined);

const isOlder = (version: bigint | undefined, known: bigint | undefined): boolean =>
  version !== undefined && known !== undefined && version < known;
