import { type KubeObject, type ObjectRef, refKey, refOf } from '../../src/api/kube-object.ts';
import { parseSelectorQuery } from '../../src/embedded/apiserver/selectors.ts';
import type { Cluster, KindRef, Selection, WatchHandle, WatchHandler } from '../../src/kube/cluster.ts';
import { ApiError } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from './raw.ts';

export type ReadingCluster = Pick<Cluster, 'get' | 'list' | 'watch'> & Pick<KubeCluster, 'raw' | 'ask'>;

/** A cluster for commands that only read: it holds what it is given, and sends its watches what changes. */
export class HeldCluster implements ReadingCluster {
  readonly #objects = new Map<string, KubeObject>();
  readonly #watches = new Set<{ kind: KindRef; selection: Selection; handler: WatchHandler }>();
  /** Kinds that these credentials may not read. */
  readonly forbidden = new Set<string>();
  /** Kinds that the cluster has no definition of. */
  readonly absent = new Set<string>();
  /** Answers of paths without objects, by path without query. */
  readonly pages = new Map<string, string>([['/version', '{"gitVersion":"v1.36.3"}']]);

  constructor(objects: readonly KubeObject[] = []) {
    for (const object of objects) this.put(object);
  }

  get watches(): number {
    return this.#watches.size;
  }

  put(object: KubeObject): void {
    this.#objects.set(refKey(refOf(object)), object);
    this.#notify('MODIFIED', object);
  }

  remove(ref: ObjectRef): void {
    const object = this.#objects.get(refKey(ref));
    this.#objects.delete(refKey(ref));
    if (object) this.#notify('DELETED', object);
  }

  async get(ref: ObjectRef): Promise<KubeObject | undefined> {
    if (this.#judge(ref) === 'absent') return undefined;
    return structuredClone(this.#objects.get(refKey(ref)));
  }

  async list(kind: KindRef, selection: Selection = {}): Promise<{ items: KubeObject[]; resourceVersion: string }> {
    if (this.#judge(kind) === 'absent') throw new ApiError(`the cluster does not serve ${kind.kind}`, { status: 404, reason: 'NotFound' });
    return { items: structuredClone([...this.#objects.values()].filter(chosen(kind, selection))), resourceVersion: '1' };
  }

  watch(kind: KindRef, handler: WatchHandler, selection: Selection = {}): WatchHandle {
    const watch = { kind, selection, handler };
    this.#watches.add(watch);
    handler.onList([...this.#objects.values()].filter(chosen(kind, selection)));
    return { synced: Promise.resolve(), ageMs: () => 0, restarts: 0, stop: () => void this.#watches.delete(watch) };
  }

  async raw(method: string, path: string): Promise<unknown> {
    const { status, body } = await this.ask(method, path);
    if (status >= 400) throw new ApiError(`${method} ${path}: ${status}`, { status, reason: 'Refused' });
    return JSON.parse(body);
  }

  async ask(_: string, path: string): Promise<{ status: number; body: string }> {
    const body = this.pages.get(path.replace(/\?.*$/, ''));
    return body === undefined ? { status: 403, body: '' } : { status: 200, body };
  }

  #judge({ kind }: { kind: string }): 'absent' | 'held' {
    if (this.forbidden.has(kind)) throw new ApiError(`${kind} is forbidden`, { status: 403, reason: 'Forbidden' });
    return this.absent.has(kind) ? 'absent' : 'held';
  }

  #notify(type: 'MODIFIED' | 'DELETED', object: KubeObject): void {
    for (const { kind, selection, handler } of [...this.#watches]) if (chosen(kind, selection)(object)) handler.onEvent({ type, object });
  }

  /** Plays the loss of the API server, and its return with undefined. */
  setLost(why: string | undefined): void {
    for (const { handler } of [...this.#watches]) handler.onConnection?.(why);
  }
}

/** Field selectors apply only to names: of an object, or of the object that an Event concerns. */
function chosen({ apiVersion, kind, namespace }: KindRef, { labelSelector = '', fieldSelector = '' }: Selection) {
  const hasLabels = parseSelectorQuery(labelSelector);
  const [, name] = /(?:metadata|involvedObject)\.name=([^,]+)/.exec(fieldSelector) ?? [];
  const nameOf = (object: KubeObject): unknown => (kind === 'Event' ? raw(object).involvedObject?.name : object.metadata.name);
  return (object: KubeObject): boolean =>
    object.apiVersion === apiVersion &&
    object.kind === kind &&
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || nameOf(object) === name) &&
    hasLabels(object.metadata.labels ?? {});
}
