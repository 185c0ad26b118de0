import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import { apiVersion } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, ObjectRef, Slim } from '../../api/kube-object.ts';
import { fieldManager, flaggerManager } from '../../api/names.ts';
import { withoutLastApplied } from '../../api/tracking-metadata.ts';
import type { Cluster, KindRef, WatchHandle } from '../../kube/cluster.ts';
import { installRemedy } from '../../kube/discovery.ts';
import { createProjection, type Projection } from '../../kube/projection.ts';
import { isUpdatedBy } from '../../kube/taken-over-fields.ts';
import type { ListHandler } from '../../kube/watch.ts';
import { isMade } from '../../routers/service-terms.ts';
import { isCompanionKind } from '../../workloads/companions/index.ts';
import { remembered } from '../../workloads/index.ts';
import { isScaler } from '../../workloads/scalers/index.ts';
import type { Watched } from '../../workloads/workload.ts';
import { type ForeignManagers, lastForeignManagers, withoutBookkeeping } from '../objects/drift.ts';
import { ownPorts } from '../objects/own-ports.ts';
import { UsersObjects } from './users-objects.ts';

/** Time after which a missing kind is looked for again. */
const LOOK_AGAIN_MS = 600_000;

/** The part of an object that is kept: enough to decide and to notice drift. */
export interface SlimViewedObject extends Watched, ForeignManagers {
  /** Flagger made it, or has written it, and it has not been taken over yet. */
  isEstablished?: true;
  /** Keys of ports that only Serin has written, in a Service that it has not made. */
  ownPorts?: readonly string[];
}

/** The same of an object that is kept whole. */
export interface ViewedObject extends SlimViewedObject {
  object: KubeObject;
}

export interface WatchedKind {
  projection: Projection<ViewedObject>;
  handle: WatchHandle;
  /** Objects of one namespace that users made. */
  users(namespace: string): readonly KubeObject[];
  unavailable?: Pick<NewBlocker, 'code' | 'detail'> | undefined;
  /** It is looked for again from this time on, when a Canary is looked at. */
  lookAgainAtMs?: number;
  /** Resolves when the objects are first known: by a LIST, or because the kind is unavailable. */
  known: Promise<void>;
  isKnown: boolean;
  /** Objects that were read by name before that. */
  readAhead: number;
  /** The kind can be missing, and was: its watch is closed. */
  isAsleep: boolean;
  /** Empty for all namespaces. */
  namespace: string;
  /** Lists the kind again, and watches from there. */
  refresh(): Promise<void>;
}

interface KindListener {
  onChange(ref: ObjectRef): void;
  /** Its Canaries look at objects of the kind. */
  wants(kind: KindRef): boolean;
}

/** One watch a kind, opened when it is first needed, for all views of a process. It ends with the last Canary that wants it, or with the last view. */
export class KindWatches {
  readonly #watched = new Map<string, WatchedKind>();
  readonly #cluster: Pick<Cluster, 'watch'>;
  readonly #namespaces: readonly string[];
  readonly #onUnreadable: ((object: Slim, error: unknown) => void) | undefined;
  /** Watches that will replace others when they have their first LIST. */
  readonly #refreshing = new Set<WatchHandle>();
  readonly #views = new Set<KindListener>();

  /** `namespaces`: a watch of each kind in each of them, or one watch of each kind over the whole cluster if it is empty. */
  constructor(cluster: Pick<Cluster, 'watch'>, namespaces: readonly string[], onUnreadable?: (object: Slim, error: unknown) => void) {
    this.#cluster = cluster;
    this.#namespaces = namespaces;
    this.#onUnreadable = onUnreadable;
  }

  /** Watches of one namespace each. */
  get areSeveral(): boolean {
    return this.#namespaces.length > 1;
  }

  /** `onChange` hears of every change until the result is called. */
  join(listener: KindListener): () => void {
    if (this.#views.size === 0) this.#watched.clear();
    this.#views.add(listener);
    return () => {
      // Views that are about to end can still look up the objects of the watches.
      if (!this.#views.delete(listener) || this.#views.size > 0) return;
      for (const handle of [...[...this.#watched.values()].map((watched) => watched.handle), ...this.#refreshing]) handle.stop();
      this.#refreshing.clear();
    };
  }

  /** Ends the watches of a kind that no view wants any more. */
  close(kind: KindRef): void {
    if ([...this.#views].some(({ wants }) => wants(kind))) return;
    for (const namespace of this.#namespaces.length === 0 ? [''] : this.#namespaces) {
      const key = this.#keyOf(kind.apiVersion, kind.kind, namespace);
      this.#watched.get(key)?.handle.stop();
      this.#watched.delete(key);
    }
  }

  /** Opens the watches of kinds that can be missing again, if they were unavailable for a while. No timer does so: most clusters never have these kinds. */
  lookAgain(kinds: readonly KindRef[], nowMs: number): void {
    for (const kind of kinds) {
      for (const watched of this.scopes(kind)) {
        if (!watched.isAsleep) continue;
        watched.lookAgainAtMs ??= nowMs + LOOK_AGAIN_MS;
        if (nowMs >= watched.lookAgainAtMs) this.#watched.delete(this.#keyOf(kind.apiVersion, kind.kind, watched.namespace));
      }
    }
  }

  /** The kind is watched. */
  isOpen({ apiVersion, kind }: KindRef): boolean {
    return this.#watched.has(this.#keyOf(apiVersion, kind, this.#namespaces[0] ?? ''));
  }

  /** The objects of the kind are known, or why they cannot be. Opens no watch. */
  isListed({ apiVersion, kind, namespace }: KindRef): boolean {
    const seen = namespace && this.#namespaces.length > 0 ? this.#namespaces.filter((one) => one === namespace) : this.#namespaces;
    const keys = (this.#namespaces.length === 0 ? [''] : seen).map((one) => this.#keyOf(apiVersion, kind, one));
    return keys.every((key) => this.#watched.get(key)?.isKnown === true);
  }

  /** Kinds whose first LIST is under way. */
  loading(): string[] {
    return [...this.#watched].flatMap(([kind, { isKnown }]) => (isKnown ? [] : [kind]));
  }

  /** The watches that see the kind: of one namespace where the ref names it, and none of a namespace that is not looked at. */
  scopes({ apiVersion, kind, namespace }: KindRef): WatchedKind[] {
    if (this.#namespaces.length === 0) return [this.#watch(apiVersion, kind, '')];
    const watched = namespace ? this.#namespaces.filter((one) => one === namespace) : this.#namespaces;
    return watched.map((one) => this.#watch(apiVersion, kind, one));
  }

  /** Figures of each open watch, except watches of missing or forbidden kinds, which their Canaries report. */
  watches(): { kind: string; ageMs: number; restarts: number }[] {
    const open = [...this.#watched].filter(([, { unavailable }]) => unavailable === undefined);
    return open.map(([kind, { handle }]) => ({ kind, ageMs: handle.ageMs(), restarts: handle.restarts }));
  }

  #keyOf(apiVersion: string, kind: string, namespace: string): string {
    return `${apiVersion}/${kind}${this.areSeveral ? ` in ${namespace}` : ''}`;
  }

  #notify(ref: ObjectRef): void {
    const errors: unknown[] = [];
    for (const { onChange } of [...this.#views]) {
      try {
        onChange(ref);
      } catch (error) {
        errors.push(error);
      }
    }
    // A listener's error about one object is thrown last: the others know of it by now.
    if (errors.length > 0) throw errors[0];
  }

  #watch(apiVersion: string, kind: string, namespace: string): WatchedKind {
    const key = this.#keyOf(apiVersion, kind, namespace);
    const known = this.#watched.get(key);
    if (known) return known;
    const firstHeard = Promise.withResolvers<void>();
    const heard = () => {
      watched.isKnown = true;
      firstHeard.resolve();
    };
    const onUnavailable = (cause: 'absent' | 'forbidden', message: string) => {
      const wasAvailable = watched.isKnown && watched.unavailable === undefined;
      watched.unavailable =
        cause === 'absent' ? { code: 'KindNotFound', detail: installRemedy(apiVersion) } : { code: 'Forbidden', detail: message };
      heard();
      if (!isCompanionKind(apiVersion, kind)) return notifyAvailability();
      watched.isAsleep = true;
      // Stops later, not within its own call.
      queueMicrotask(() => watched.handle.stop());
      if (wasAvailable) notifyAvailability();
    };
    const projection = createProjection<ViewedObject>(see, onUnavailable, this.#onUnreadable);
    const { handler } = projection;
    const notifyAvailability = () => this.#notify({ apiVersion, kind, name: '' });
    const listening: ListHandler = {
      ...handler,
      onList: (items, resourceVersion) => {
        try {
          handler.onList(items, resourceVersion);
        } finally {
          heard();
        }
        if (watched.unavailable === undefined) return;
        // The CRD has appeared: Canaries that waited for it go on.
        watched.unavailable = undefined;
        notifyAvailability();
      },
    };
    projection.onChange(({ name, namespace, before, after }) => {
      if (isOfSpecAlone({ apiVersion, kind }) && before && after && isSaidTheSame(before.object, after.object)) return;
      this.#notify({ apiVersion, kind, name, ...(namespace ? { namespace } : {}) });
    });
    let users: UsersObjects | undefined;
    const narrowed = namespace === '' ? {} : { namespace };
    const watched: WatchedKind = {
      projection,
      users: (where) => {
        users ??= new UsersObjects(projection);
        return users.of(where);
      },
      handle: this.#cluster.watch({ apiVersion, kind, ...narrowed }, listening),
      known: firstHeard.promise,
      isKnown: false,
      readAhead: 0,
      isAsleep: false,
      namespace,
      refresh: async () => {
        const next = this.#cluster.watch({ apiVersion, kind, ...narrowed }, listening);
        this.#refreshing.add(next);
        await Promise.all([watched.handle.synced, next.synced]);
        if (!this.#refreshing.delete(next)) return; // stopped
        watched.handle.stop();
        watched.handle = next;
      },
    };
    this.#watched.set(key, watched);
    return watched;
  }
}

/** A scaler reports its measurements every 15 s, and a budget its pods, which change nothing here. */
const isOfSpecAlone = ({ apiVersion, kind }: KindRef): boolean => isScaler(kind) || isCompanionKind(apiVersion, kind);

function isSaidTheSame(before: KubeObject, after: KubeObject): boolean {
  const saidBy = ({ metadata: { resourceVersion: _, ...metadata }, spec }: KubeObject) => ({ metadata, spec });
  return isDeepStrictEqual(saidBy(before), saidBy(after));
}

function see(whole: KubeObject, before: ViewedObject | undefined): ViewedObject {
  const { status, ...said } = whole;
  const object: KubeObject = isOfSpecAlone(whole) ? said : whole;
  const isOwned = (object.metadata.ownerReferences ?? []).some((owner) => owner.kind === 'Canary' && owner.apiVersion === apiVersion);
  const known = remembered(object);
  const imagesChangedIn = imagesChangedInOf(known, before);
  const zeroSince = zeroSinceOf(whole, before);
  const own = object.kind === 'Service' && !isMade(object) ? ownPorts(object) : [];
  return {
    ...known,
    ...(imagesChangedIn === undefined ? {} : { imagesChangedIn }),
    ...(zeroSince === undefined ? {} : { zeroSince }),
    object: keptOf(known.object, before?.object),
    ...lastForeignManagers(object, fieldManager),
    ...(isOwned || isUpdatedBy(object, flaggerManager) ? { isEstablished: true } : {}),
    ...(own.length === 0 ? {} : { ownPorts: own }),
  };
}

/** `undefined` for an object that was not seen before, or was created again under the same name: its generations begin again. */
function imagesChangedInOf({ object, images }: Watched, before: ViewedObject | undefined): number | undefined {
  if (before === undefined || before.object.metadata.uid !== object.metadata.uid) return undefined;
  return isDeepStrictEqual(images, before.images) ? before.imagesChangedIn : object.metadata.generation;
}

/** A generation between the last seen one and this one might have had replicas. */
function zeroSinceOf(object: KubeObject, before: ViewedObject | undefined): number | undefined {
  const { uid, generation = 0 } = object.metadata;
  if (specOf<{ replicas: number }>(object).replicas !== 0) return undefined;
  const { metadata: last } = before?.object ?? {};
  const isNext = last?.uid === uid && generation <= (last?.generation ?? 0) + 1;
  return (isNext ? before?.zeroSince : undefined) ?? generation;
}

/** Typed as whole: readers get a slim object by its SlimRef only. */
function keptOf(known: Slim, before: KubeObject | undefined): KubeObject {
  const object = withoutBookkeeping(known as KubeObject);
  // On Services and routes it shows what they were before Serin.
  if (object.apiVersion !== apiVersion) return object;
  // The same object for the same spec: it is parsed and judged once, however often the status is written.
  const spec = before !== undefined && isDeepStrictEqual(before.spec, object.spec) ? before.spec : object.spec;
  return { ...object, metadata: withoutLastApplied(object.metadata), ...(spec !== undefined && { spec }) };
}
