import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import type { Priority } from './priority.ts';

/** A resource type; `namespace` narrows to one, absent means all. */
export interface KindRef {
  apiVersion: string;
  kind: string;
  namespace?: string;
}

export interface Selection {
  labelSelector?: string;
  fieldSelector?: string;
}

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject };

export interface WatchHandle {
  /** Resolves when the first LIST has been delivered. */
  readonly synced: Promise<void>;
  /** Milliseconds since anything (event, bookmark, list) was last heard. */
  ageMs(): number;
  /** Times that the stream was opened again after the first. */
  readonly restarts: number;
  stop(): void;
}

export interface WatchHandler {
  onEvent(event: WatchEvent): void;
  /** The whole state after a LIST: objects that are absent here were deleted meanwhile. Called before further events. */
  onList(items: readonly KubeObject[]): void;
  /**
   * Part of an item for `onList`, called for each item of a page: a LIST of thousands is then never in memory as a whole. Keeps at least the names and the
   * resourceVersion. `undefined` keeps the item. Of the fields in its `managedFields`, only `f:spec` is kept, without its content.
   */
  slim?(item: KubeObject): KubeObject;
  /** The kind does not exist (no CRD), or is forbidden. The watch goes on trying, with back-off. */
  onUnavailable?(cause: 'absent' | 'forbidden', message: string): void;
  /** The watch failed otherwise, with the reason. `undefined` when it continues. */
  onConnection?(lost: string | undefined): void;
}

export interface WriteOptions {
  signal?: AbortSignal;
  subresource?: 'status' | 'scale';
  /** The answer is what would be stored; nothing is. */
  dryRun?: boolean;
}

export interface DeleteSettings {
  signal?: AbortSignal;
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  /** Only the object with this uid: another object of that name stays. */
  uid?: string;
}

/** A Kubernetes API server, on raw JSON. A failure is an `ApiError`; a 404 on a read is `undefined`. */
export interface Cluster {
  get(ref: ObjectRef, options?: { signal?: AbortSignal; subresource?: 'status' | 'scale' }): Promise<KubeObject | undefined>;
  /** `slim` as for a watch. */
  list(
    kind: KindRef,
    selection?: Selection & { signal?: AbortSignal; metadataOnly?: boolean; slim?: WatchHandler['slim'] },
  ): Promise<{ items: KubeObject[]; resourceVersion: string }>;
  create(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  replace(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Server-side apply as `serin` (or `fieldManager`), forced. */
  apply(object: KubeObject, options?: WriteOptions & { fieldManager?: string; force?: boolean }): Promise<KubeObject>;
  /** A record is a JSON merge patch, an array a JSON patch. */
  patch(ref: ObjectRef, patch: Record<string, unknown> | readonly object[], options?: WriteOptions): Promise<KubeObject>;
  /** Deleting what is absent is done already: no error. */
  delete(ref: ObjectRef, settings?: DeleteSettings): Promise<void>;
  watch(kind: KindRef, handler: WatchHandler, options?: Selection & { metadataOnly?: boolean }): WatchHandle;
  /** The same cluster for requests of this priority. `undefined` if all are equal. */
  at?(priority: Priority): Cluster;
  /** Time by which our clock is ahead of the API server's, by its last response; 0 if that shows no difference. `undefined` if it is not measured. */
  aheadMs?(): number;
  /**
   * Resolves when no write is under way any more. The API server still carries out a write whose caller was stopped: it ends with its answer, with the lease
   * that it needs, or after 65 s.
   */
  settled(): Promise<void>;
  /** Closes idle connections and stops every watch. */
  close(): void;
}

/** A cluster that is only read. */
export type ClusterReader = Pick<Cluster, 'get' | 'list'>;

/** Reads the objects that exist. */
export async function readAll(refs: readonly ObjectRef[], cluster: Cluster, signal: AbortSignal): Promise<KubeObject[]> {
  return (await Promise.all(refs.map((ref) => cluster.get(ref, { signal })))).flatMap((object) => object ?? []);
}
