import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import { apiVersion } from '../../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, type Slim, type SlimRef } from '../../api/kube-object.ts';
import { fieldManager, flaggerManager } from '../../api/names.ts';
import { withoutLastApplied } from '../../api/tracking-metadata.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Cluster, KindRef, WatchHandle } from '../../kube/cluster.ts';
import { installRemedy } from '../../kube/discovery.ts';
import { createProjection, type Projection } from '../../kube/projection.ts';
import { isUpdatedBy } from '../../kube/taken-over-fields.ts';
import type { ListHandler } from '../../kube/watch.ts';
import { remembered } from '../../workloads/index.ts';
import { isScaler } from '../../workloads/scalers/index.ts';
import type { Watched } from '../../workloads/workload.ts';
import { lastForeignManager, withoutBookkeeping } from '../objects/drift.ts';

/** The part of an object that is kept: enough to decide and to notice drift. */
export interface SlimViewedObject extends Watched {
  /** Who wrote last, other than us. */
  manager?: string;
  /** Flagger made it, or has written it, and it has not been taken over yet. */
  isEstablished?: true;
}

/** The same of an object that is kept whole. */
export interface ViewedObject extends SlimViewedObject {
  object: KubeObject;
}

const BASE_KINDS = [
  { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'v1', kind: 'Service' },
] as const;

interface WaitBounds {
  clock: Clock;
  /** Absent: without limit. */
  boundMs?: number;
  signal: AbortSignal;
  /** Message of the error after the bound. */
  late: string;
}

interface WatchedKind {
  projection: Projection<ViewedObject>;
  handle: WatchHandle;
  unavailable?: Pick<NewBlocker, 'code' | 'detail'> | undefined;
  /** Resolves when it is first known what there is: by a LIST, or because the kind cannot be had. */
  known: Promise<void>;
  /** Ends `known` with an error where it has not ended yet. */
  giveUp(error: Error): void;
}

/** The controller's picture of the cluster: one watch a kind, opened when a Canary first needs it, and never a poll. */
export class ClusterView {
  readonly #watched = new Map<string, WatchedKind>();
  readonly #cluster: Cluster;
  readonly #namespaces: readonly string[];
  readonly #onChange: (ref: ObjectRef) => void;
  readonly #onUnreadable: ((object: Slim, error: unknown) => void) | undefined;
  readonly #waiting = new Set<(ref: ObjectRef) => void>();
  #isStopped = false;

  /** `namespaces`: a watch of each kind in each of them; none: one watch of each kind over the whole cluster. */
  constructor(
    cluster: Cluster,
    namespaces: readonly string[],
    onChange: (ref: ObjectRef) => void,
    onUnreadable?: (object: Slim, error: unknown) => void,
  ) {
    this.#cluster = cluster;
    this.#namespaces = namespaces;
    this.#onChange = onChange;
    this.#onUnreadable = onUnreadable;
  }

  /** Opens the watches that every Canary needs and waits for their first LIST. */
  async start(): Promise<void> {
    const watches = BASE_KINDS.flatMap((kind) => this.#scopes(kind));
    // One of several namespaces that may not be read stops only the Canaries there.
    await Promise.all(watches.map(({ known, handle }) => (this.#namespaces.length > 1 ? known : handle.synced)));
  }

  /** Ends the waits for a first LIST too: the API server may be gone. */
  stop(): void {
    this.#isStopped = true;
    for (const { handle, giveUp } of this.#watched.values()) {
      handle.stop();
      giveUp(stopped());
    }
  }

  find(ref: SlimRef): SlimViewedObject | undefined;
  find(ref: ObjectRef): ViewedObject | undefined;
  find(ref: ObjectRef): ViewedObject | undefined {
    return this.#scopes(ref)[0]?.projection.get(ref.namespace ?? '', ref.name);
  }

  all(kind: KindRef): ViewedObject[] {
    return this.#scopes(kind).flatMap(({ projection }) => projection.values());
  }

  /** Resolves when objects of the kind can be looked up; a kind that does not exist counts as looked up. Rejects when the view is stopped. */
  async ready(kind: KindRef): Promise<void> {
    if (this.#isStopped) throw stopped();
    await Promise.all(this.#scopes(kind).map(({ known }) => known));
  }

  /** Resolves when the object is so, looked at now and on each change of it; rejects after the bound, or with the signal's reason. */
  until(ref: ObjectRef, isSo: (object: KubeObject | undefined) => boolean, bounds: WaitBounds): Promise<void> {
    return this.untilAll([ref], () => isSo(this.find(ref)?.object), bounds);
  }

  /** The same of several objects, asked on each change of any of them. */
  async untilAll(refs: readonly ObjectRef[], isSo: () => boolean, { clock, boundMs, signal, late }: WaitBounds): Promise<void> {
    await Promise.all(refs.map((ref) => this.ready(ref)));
    const over = Promise.withResolvers<void>();
    const look = () => {
      if (isSo()) over.resolve();
    };
    const keys = new Set(refs.map(refKey));
    const hear = (changed: ObjectRef) => {
      if (keys.has(refKey(changed))) look();
    };
    const onAbort = () => over.reject(signal.reason);
    const cancel = boundMs === undefined ? () => undefined : clock.setTimer(boundMs, () => over.reject(new Error(late)));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(hear);
    try {
      if (signal.aborted) onAbort();
      else look();
      await over.promise;
    } finally {
      this.#waiting.delete(hear);
      signal.removeEventListener('abort', onAbort);
      cancel();
    }
  }

  /** Why objects of this kind cannot be had: no CRD, or no permission. */
  unavailable(kind: KindRef): Pick<NewBlocker, 'code' | 'detail'> | undefined {
    return this.#scopes(kind).find(({ unavailable }) => unavailable !== undefined)?.unavailable;
  }

  /** The answer of our own write replaces what we had: read your own writes. */
  learn(object: KubeObject): void {
    const { apiVersion, kind, metadata } = object;
    this.#scopes({ apiVersion, kind, ...(metadata.namespace && { namespace: metadata.namespace }) })[0]?.projection.learn(object);
  }

  forget(ref: ObjectRef): void {
    this.#scopes(ref)[0]?.projection.forget(ref);
  }

  /** Age of the stalest watch, and each one's figures for the metrics. */
  watches(): { kind: string; ageMs: number; restarts: number }[] {
    return [...this.#watched].map(([kind, { handle }]) => ({ kind, ageMs: handle.ageMs(), restarts: handle.restarts }));
  }

  /** The watches that see the kind: of one namespace where the ref names it, and none of a namespace that is not looked at. */
  #scopes({ apiVersion, kind, namespace }: KindRef): WatchedKind[] {
    if (this.#namespaces.length === 0) return [this.#watch(apiVersion, kind, '')];
    const looked = namespace ? this.#namespaces.filter((one) => one === namespace) : this.#namespaces;
    return looked.map((one) => this.#watch(apiVersion, kind, one));
  }

  #watch(apiVersion: string, kind: string, namespace: string): WatchedKind {
    const key = `${apiVersion}/${kind}${this.#namespaces.length > 1 ? ` in ${namespace}` : ''}`;
    const known = this.#watched.get(key);
    if (known) return known;
    const firstHeard = Promise.withResolvers<void>();
    const onUnavailable = (cause: 'absent' | 'forbidden', message: string) => {
      watched.unavailable =
        cause === 'absent' ? { code: 'KindNotFound', detail: installRemedy(apiVersion) } : { code: 'Forbidden', detail: message };
      firstHeard.resolve();
      tellAvailability();
    };
    const projection = createProjection<ViewedObject>(see, onUnavailable, this.#onUnreadable);
    const { handler } = projection;
    const tellAvailability = () => this.#onChange({ apiVersion, kind, name: '' });
    const listening: ListHandler = {
      ...handler,
      onList: (items, resourceVersion) => {
        try {
          handler.onList(items, resourceVersion);
        } finally {
          firstHeard.resolve();
        }
        if (watched.unavailable === undefined) return;
        // The CRD has appeared: Canaries that waited for it go on.
        watched.unavailable = undefined;
        tellAvailability();
      },
    };
    projection.onChange(({ name, namespace, before, after }) => {
      if (isScaler(kind) && before && after && isSameScaler(before.object, after.object)) return;
      const changed = { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
      this.#onChange(changed);
      for (const hear of this.#waiting) hear(changed);
    });
    const narrowed = namespace === '' ? {} : { namespace };
    const watched: WatchedKind = {
      projection,
      handle: this.#cluster.watch({ apiVersion, kind, ...narrowed }, listening),
      known: firstHeard.promise,
      giveUp: firstHeard.reject,
    };
    // Without a waiter, the rejection of a stopped view is not an error.
    firstHeard.promise.catch(() => undefined);
    this.#watched.set(key, watched);
    return watched;
  }
}

const stopped = (): Error => new Error('the view of the cluster is stopped');

/** A scaler reports its measurements every 15 s, which change nothing here. */
function isSameScaler(before: KubeObject, after: KubeObject): boolean {
  const saidBy = ({ metadata: { resourceVersion: _, ...metadata }, spec }: KubeObject) => ({ metadata, spec });
  return isDeepStrictEqual(saidBy(before), saidBy(after));
}

function see(whole: KubeObject): ViewedObject {
  const { status, ...said } = whole;
  const object: KubeObject = isScaler(whole.kind) ? said : whole;
  const manager = lastForeignManager(object, fieldManager);
  const isOwned = (object.metadata.ownerReferences ?? []).some((owner) => owner.kind === 'Canary' && owner.apiVersion === apiVersion);
  const known = remembered(object);
  return {
    ...known,
    object: keptOf(known.object),
    ...(manager === undefined ? {} : { manager }),
    ...(isOwned || isUpdatedBy(object, flaggerManager) ? { isEstablished: true } : {}),
  };
}

/** Typed as whole: readers get a slim object by its SlimRef only. */
function keptOf(known: Slim): KubeObject {
  const object = withoutBookkeeping(known as KubeObject);
  // On Services and routes it shows what they were before Serin.
  return object.apiVersion === apiVersion ? { ...object, metadata: withoutLastApplied(object.metadata) } : object;
}
