import type { NewBlocker } from '../../api/blocker.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { type KubeObject, type ObjectRef, refKey, refOf, type Slim, type SlimRef } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import type { Cluster, KindRef } from '../../kube/cluster.ts';
import { isForbidden } from '../../kube/errors.ts';
import type { Survey } from '../../routers/router.ts';
import type { KindWatches, SlimViewedObject, ViewedObject, WatchedKind } from './kind-watches.ts';

export type { SlimViewedObject, ViewedObject } from './kind-watches.ts';

const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' } as const;
/** Nothing can begin before these are listed. */
const OWN_KINDS = [CANARY, { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate' }] as const;
/** Nearly every Canary looks at these. */
const COMMON_KINDS = [{ apiVersion: 'apps/v1', kind: 'Deployment' }, SERVICE_KIND] as const;

const isKept = ({ apiVersion, kind }: KindRef): boolean =>
  [...OWN_KINDS, ...COMMON_KINDS].some((base) => base.kind === kind && base.apiVersion === apiVersion);

/** Objects of one kind that are read by name during its first LIST: a page of the LIST has as many, for one request. */
export const MOST_READ_AHEAD = 500;

/** An object was looked for before the first LIST of its kind: it must not count as absent. The next attempt comes later. */
export class UnlistedError extends Error {
  override readonly name = 'UnlistedError';

  constructor({ apiVersion, kind }: KindRef) {
    super(`${kind} in ${apiVersion} is not listed yet`);
  }
}

interface WaitBounds {
  clock: Clock;
  /** `undefined` waits without limit. */
  boundMs?: number;
  signal: AbortSignal;
  /** Message of the error after the bound. */
  late: string;
}

/** The controller's picture of the cluster: one watch a kind, opened when a Canary first needs it, and never a poll. */
export class ClusterView {
  readonly #kinds: KindWatches;
  readonly #waiting = new Set<(ref: ObjectRef) => void>();
  readonly #stopped = Promise.withResolvers<never>();
  readonly #leave: () => void;
  #isStopped = false;

  /** Other views of the process can share the same watches. `wants`: Canaries of this one look at objects of the kind. */
  constructor(kinds: KindWatches, onChange: (ref: ObjectRef) => void, wants: (kind: KindRef) => boolean = () => true) {
    this.#kinds = kinds;
    // Without a waiter, the rejection of a stopped view is not an error.
    this.#stopped.promise.catch(() => undefined);
    this.#leave = kinds.join({
      onChange: (ref) => {
        onChange(ref);
        if (ref.name !== '') for (const hear of this.#waiting) hear(ref);
      },
      wants: (kind) => isKept(kind) || wants(kind),
    });
  }

  /**
   * Opens the watches that every Canary needs, and waits for the first LIST of Canaries and MetricTemplates. Canaries are read again, because another replica
   * might have written them.
   */
  async start(): Promise<void> {
    const isShared = this.#kinds.isOpen(CANARY);
    const opened = [this.#synced(OWN_KINDS), this.#synced(COMMON_KINDS)];
    const refreshed = isShared ? this.#scopes(CANARY).map((watched) => this.#refresh(watched)) : [];
    await Promise.all([opened[0], ...refreshed]);
  }

  /** Resolves when the kinds that every Canary needs are listed. */
  async listed(): Promise<void> {
    await this.#synced([...OWN_KINDS, ...COMMON_KINDS]);
  }

  /** Also ends the waits for a first LIST: the API server could be gone. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#leave();
    this.#stopped.reject(stopped());
  }

  /** `undefined` if the object does not exist. Throws if that is unknown: wait until the object is `ready`. */
  find(ref: SlimRef): SlimViewedObject | undefined;
  find(ref: ObjectRef): ViewedObject | undefined;
  find(ref: ObjectRef): ViewedObject | undefined {
    const [scope] = this.#scopes(ref);
    if (scope !== undefined && !scope.isKnown && !isShown(ref, scope)) throw new UnlistedError(ref);
    return scope?.projection.get(ref.namespace ?? '', ref.name);
  }

  all(kind: KindRef): ViewedObject[] {
    return this.#scopes(kind).flatMap(({ projection }) => projection.values());
  }

  /** All objects of one namespace. Throws before the first LIST of the kind. */
  allIn(kind: KindRef, namespace: string): ViewedObject[] {
    return this.#listedScopes({ ...kind, namespace }).flatMap(({ projection }) => projection.valuesIn(namespace));
  }

  /** See `KindWatches`. */
  lookAgain(kinds: readonly KindRef[], nowMs: number): void {
    if (!this.#isStopped) this.#kinds.lookAgain(kinds, nowMs);
  }

  /** All objects of the kind that users made in one namespace. */
  survey(survey: Survey): KubeObject[] {
    return this.#listedScopes(survey).flatMap(({ users }) => users(survey.namespace));
  }

  /**
   * Resolves when the named object, or without a name all objects of the kind, can be looked up; a kind that does not exist counts as looked up. Rejects when
   * the view is stopped.
   */
  async ready(ref: KindRef & { name?: string }): Promise<void> {
    if (this.#isStopped) throw stopped();
    const unknown = this.#scopes(ref).filter((scope) => !scope.isKnown && !isShown(ref, scope));
    // Each race is held by the promise of the end for as long as the view lives.
    if (unknown.length > 0) await Promise.race([Promise.all(unknown.map(({ known }) => known)), this.#stopped.promise]);
  }

  /** The objects of the kind are known, or why they cannot be. Opens no watch. */
  isListed(kind: KindRef): boolean {
    return this.#kinds.isListed(kind);
  }

  /** Kinds whose first LIST is under way. */
  loading(): string[] {
    return this.#kinds.loading();
  }

  /**
   * Reads the named objects of kinds whose first LIST is under way, so that a release need not wait for thousands of others. An object that is not found stays
   * unknown, since its absence has no version that could be compared with the LIST.
   */
  async readAhead(refs: readonly ObjectRef[], cluster: Pick<Cluster, 'get'>, signal: AbortSignal): Promise<void> {
    await Promise.all(
      refs.map(async (ref) => {
        const [scope] = this.#scopes(ref);
        if (ref.name === '' || scope === undefined || scope.isKnown || isShown(ref, scope)) return;
        if (scope.readAhead === MOST_READ_AHEAD) return;
        scope.readAhead += 1;
        const read = cluster.get(ref, { signal }).catch((error: unknown) => {
          // The watch is about to say so.
          if (!isForbidden(error)) throw error;
        });
        const found = await Promise.race([read, scope.known]);
        if (found) scope.projection.learn(found);
      }),
    );
  }

  /** Resolves when the object is so, looked at now and on each change of it; rejects after the bound, or with the signal's reason. */
  until(ref: ObjectRef, isSo: (object: KubeObject | undefined) => boolean, bounds: WaitBounds): Promise<void> {
    return this.untilAll([ref], () => isSo(this.find(ref)?.object), bounds);
  }

  /** The same for several objects, tested on each change of any of them. */
  async untilAll(refs: readonly ObjectRef[], isSo: () => boolean, { clock, boundMs, signal, late }: WaitBounds): Promise<void> {
    await Promise.all(refs.map((ref) => this.ready(ref)));
    const over = Promise.withResolvers<void>();
    const resolveIfSo = () => {
      if (isSo()) over.resolve();
    };
    const keys = new Set(refs.map(refKey));
    const hear = (changed: ObjectRef) => {
      if (keys.has(refKey(changed))) resolveIfSo();
    };
    const onAbort = () => over.reject(signal.reason);
    const cancel = boundMs === undefined ? () => undefined : clock.setTimer(boundMs, () => over.reject(new Error(late)));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(hear);
    try {
      if (signal.aborted) onAbort();
      else resolveIfSo();
      await over.promise;
    } finally {
      this.#waiting.delete(hear);
      signal.removeEventListener('abort', onAbort);
      cancel();
    }
  }

  /** Reason why objects of this kind are unavailable: no CRD, or no permission. */
  unavailable(kind: KindRef): Pick<NewBlocker, 'code' | 'detail'> | undefined {
    return this.#scopes(kind).find(({ unavailable }) => unavailable !== undefined)?.unavailable;
  }

  /** The answer of our own write replaces what we had: read your own writes. */
  learn(object: KubeObject): void {
    const { apiVersion, kind, metadata } = object;
    this.#scopes({ apiVersion, kind, ...(metadata.namespace && { namespace: metadata.namespace }) })[0]?.projection.learn(object);
  }

  /** Call after our own delete. An object that was made in its place, and that the watch has reported already, stays known. */
  forget(deleted: Slim): void {
    const ref = refOf(deleted);
    if (this.find(ref)?.object.metadata.uid === deleted.metadata.uid) this.#scopes(ref)[0]?.projection.forget(ref);
  }

  /** Ends the watches of these kinds where no Canary wants them any more. */
  close(kinds: readonly KindRef[]): void {
    for (const kind of kinds) this.#kinds.close(kind);
  }

  /** Figures of each open watch. */
  watches(): { kind: string; ageMs: number; restarts: number }[] {
    return this.#kinds.watches();
  }

  /** No watch is opened after the end: no one would stop it. */
  #scopes(kind: KindRef): WatchedKind[] {
    return this.#isStopped && !this.#kinds.isOpen(kind) ? [] : this.#kinds.scopes(kind);
  }

  #listedScopes(kind: KindRef): WatchedKind[] {
    const scopes = this.#scopes(kind);
    if (scopes.some(({ isKnown }) => !isKnown)) throw new UnlistedError(kind);
    return scopes;
  }

  /** With several namespaces, a forbidden one stops only the Canaries in it. */
  async #synced(kinds: readonly KindRef[]): Promise<void> {
    const watches = kinds.flatMap((kind) => this.#scopes(kind));
    await Promise.all(watches.map(({ known, handle }) => (this.#kinds.areSeveral ? known : handle.synced)));
  }

  /** A namespace that is no longer readable keeps the others waiting no longer than the view lives. */
  async #refresh(watched: WatchedKind): Promise<void> {
    if (watched.unavailable === undefined) await Promise.race([watched.refresh(), this.#stopped.promise]);
  }
}

const isShown = ({ namespace, name = '' }: KindRef & { name?: string }, { projection }: WatchedKind): boolean =>
  name !== '' && projection.knows(namespace ?? '', name);

const stopped = (): Error => new Error('the view of the cluster is stopped');
