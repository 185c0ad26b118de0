import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { refOf } from '../../../src/api/kube-object.ts';
import { type Clock, sleep } from '../../../src/base/clock.ts';
import { clone } from '../../../src/embedded/apiserver/json.ts';
import { jsonPatch, mergePatch } from '../../../src/embedded/apiserver/patch.ts';
import { scaleOf } from '../../../src/embedded/apiserver/scale.ts';
import { parseSelectorQuery } from '../../../src/embedded/apiserver/selectors.ts';
import { fromStored } from '../../../src/embedded/apiserver/versions.ts';
import { internalWrite, type PatchType, type WriteContext } from '../../../src/embedded/apiserver/write-context.ts';
import type { Cluster, DeleteSettings, KindRef, Selection, WatchHandle, WatchHandler, WriteOptions } from '../../../src/kube/cluster.ts';
import { DEFAULT_PRIORITY, type Priority } from '../../../src/kube/priority.ts';
import type { ListHandler } from '../../../src/kube/watch.ts';
import { asApiError, type ModelServer } from './server.ts';

const LOOK_FOR_KIND_MS = 5_000;
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

export interface SentWrite {
  atMs: number;
  verb: 'create' | 'replace' | 'apply' | 'patch' | 'delete';
  ref: ObjectRef;
  subresource: string;
  /** The object existed when the write left, and the write has no resourceVersion: it would overwrite any later change. */
  isBlind: boolean;
  /** The server has answered with an error, and nothing was changed. */
  isRefused?: true;
  priority: Priority;
  body: object;
}

export interface ModelClientOptions {
  clock: Clock;
  /** Time by which the clock is ahead of the server's. Default: 0. */
  aheadMs?: () => number;
  /** Milliseconds of one way; drawn for each. 0: at the same moment. */
  latencyMs(): number;
  /** Delay of the watch of a kind, besides the latency. */
  watchLagMs?: (kind: string) => number;
  /** The watches of this kind report nothing. */
  isSilent?: (kind: string) => boolean;
  /** Reason for a refusal to read the kind, `undefined` if it can be read. */
  whyForbidden?: (kind: string) => string | undefined;
  /** Objects of the kind are listed, and not watched; what it throws is the outcome. */
  listed?: (kind: string) => void;
  /** A kind that is not served was looked for. */
  missed?: (kind: string) => void;
  /** Called before a write leaves; an error that it throws is the write's outcome. */
  beforeWrite?: (write: SentWrite) => void;
  /** Called on the server right before each call of this client is carried out there. */
  beforeCall?: () => void;
  /** Value of an external metric, and the API server's delay for it, in milliseconds. */
  externalMetric?: () => { value: number; afterMs: number };
  /** Answer to a request for the log of a pod. */
  podLog?: (path: string) => { status: number; body: string };
}

/** One process' connection to the model. `kill` is what SIGKILL is: nothing more is sent, received or answered. */
export class ModelClient implements Cluster {
  readonly writes: SentWrite[] = [];
  readonly #watching: string[] = [];
  readonly #server: ModelServer;
  readonly #options: ModelClientOptions;
  readonly #ends: (() => void)[] = [];
  /** Calls that the server has not carried out yet. */
  readonly #arrivals = new Set<Promise<unknown>>();
  #dead = false;
  #priority: Priority = DEFAULT_PRIORITY;

  constructor(server: ModelServer, options: ModelClientOptions) {
    this.#server = server;
    this.#options = options;
  }

  at(priority: Priority): Cluster {
    return new Proxy<Cluster>(this, {
      get: (_, key) => {
        const member = Reflect.get(this, key);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          this.#priority = priority;
          try {
            return Reflect.apply(member, this, args); // a write is noted before the call returns
          } finally {
            this.#priority = DEFAULT_PRIORITY;
          }
        };
      },
    });
  }

  aheadMs(): number {
    return this.#options.aheadMs?.() ?? 0;
  }

  kill(): void {
    this.#dead = true;
    this.close();
  }

  readonly isDead = (): boolean => this.#dead;

  async settled(): Promise<void> {
    while (this.#arrivals.size > 0) await Promise.allSettled(this.#arrivals);
  }

  /** Kinds that are watched now, one entry for each watch. */
  get watchedKinds(): readonly string[] {
    return this.#watching;
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  get(ref: ObjectRef, { signal }: { signal?: AbortSignal } = {}): Promise<KubeObject | undefined> {
    // As in the real client: an object of a kind that is not served is undefined.
    return this.#ask(signal, () => (this.#server.api.resources.byKind(ref.apiVersion, ref.kind) ? this.#server.find(ref) : undefined));
  }

  async list(kind: KindRef, { labelSelector = '', signal }: { labelSelector?: string; signal?: AbortSignal } = {}) {
    this.#options.listed?.(kind.kind);
    return this.#ask(signal, () => ({ items: this.#all(kind, labelSelector), resourceVersion: String(this.#server.api.store.version) }));
  }

  /** Only the External Metrics API and logs of pods; a bound function, since the controller passes it on without the client. */
  readonly ask = async (_method: string, path: string, { signal }: { signal?: AbortSignal } = {}) => {
    const { externalMetric = () => ({ value: 1, afterMs: 0 }), podLog, clock } = this.#options;
    if (path.includes('/log?')) return this.#ask(signal, () => podLog?.(path) ?? { status: 404, body: '' });
    const { value, afterMs } = externalMetric();
    await sleep(clock, afterMs, signal);
    return this.#ask(signal, () => ({ status: 200, body: JSON.stringify({ items: [{ value }] }) }));
  };

  create(object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write('create', refOf(object), options, object, (context) => {
      const { resource, namespace } = this.#place(refOf(object));
      return this.#server.api.create(resource, namespace, object, context);
    });
  }

  replace(object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write('replace', refOf(object), options, object, (context) => {
      const { resource, namespace } = this.#place(refOf(object));
      return this.#server.api.update(resource, namespace, object.metadata.name, object, context);
    });
  }

  apply(object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    const { managedFields: _, ...metadata } = object.metadata;
    return this.#write('apply', refOf(object), options, object, (context) =>
      this.#patched(refOf(object), 'apply', { ...object, metadata }, context),
    );
  }

  patch(ref: ObjectRef, patch: Record<string, unknown> | readonly object[], options: WriteOptions = {}): Promise<KubeObject> {
    const type = Array.isArray(patch) ? 'json' : 'merge';
    return this.#write('patch', ref, options, patch, (context) => {
      if (context.subresource !== 'scale') return this.#patched(ref, type, patch, context);
      const { resource, namespace } = this.#place(ref);
      const live = this.#server.api.get(resource, namespace, ref.name);
      const scale = scaleOf(resource, live);
      const wanted = type === 'json' ? jsonPatch(scale, patch as never) : mergePatch(scale, patch as never);
      return this.#server.api.writeScale(resource, live, wanted, context) as KubeObject;
    });
  }

  async delete(ref: ObjectRef, { signal, uid }: DeleteSettings = {}): Promise<void> {
    await this.#write('delete', ref, signal ? { signal } : {}, {}, () => {
      if (uid === undefined || this.#server.find(ref)?.metadata.uid === uid) this.#server.delete(ref);
    });
  }

  /** A list, then every change, each as late as the latency, in order. */
  watch(kind: KindRef, handler: WatchHandler, { labelSelector = '', fieldSelector = '' }: Selection = {}) {
    if (!this.#mayBeRead(kind)) return this.#awaitKind(kind, handler, { labelSelector, fieldSelector });
    const listening: ListHandler = handler;
    const synced = Promise.withResolvers<void>();
    const { clock, latencyMs, watchLagMs = () => 0 } = this.#options;
    const { resource } = this.#place({ ...kind, name: '' });
    const isSelected = parseSelectorQuery(labelSelector);
    const name = fieldSelector.replace(/^metadata\.name=/, '');
    const matches = ({ metadata }: KubeObject) => isSelected(metadata.labels ?? {}) && (name === '' || metadata.name === name);
    let isOver = false;
    let due = clock.monotonicMs();
    const later = (fn: () => void) => {
      due = Math.max(due, clock.monotonicMs() + latencyMs() + watchLagMs(kind.kind));
      void sleep(clock, due - clock.monotonicMs()).then(() => {
        if (!isOver && !this.#dead) fn();
      });
    };
    const items = this.#all(kind, labelSelector).filter(matches);
    const version = String(this.#server.api.store.version);
    later(() => {
      listening.onList(items, version);
      synced.resolve();
    });
    let again: WatchHandle | undefined;
    const unsubscribe = this.#server.api.store.subscribe(({ storeKey, type, object: stored }) => {
      // A definition that goes ends the watches of its kind: they look for it again.
      if (storeKey === DEFINITIONS && type === 'DELETED' && `${resource.plural}.${resource.group}` === stored.metadata.name) {
        later(() => {
          stop();
          again = this.#awaitKind(kind, handler, { labelSelector, fieldSelector });
        });
        return;
      }
      if (storeKey !== resource.storeKey || !matches(stored)) return;
      if (kind.namespace !== undefined && stored.metadata.namespace !== kind.namespace) return;
      const object = clone(fromStored(stored, resource));
      later(() => listening.onEvent({ type, object }));
    });
    this.#watching.push(kind.kind);
    const stop = () => {
      again?.stop();
      if (isOver) return;
      isOver = true;
      this.#watching.splice(this.#watching.indexOf(kind.kind), 1);
      unsubscribe();
    };
    this.#ends.push(stop);
    const openedAtMs = clock.monotonicMs();
    const ageMs = () => (this.#options.isSilent?.(kind.kind) ? clock.monotonicMs() - openedAtMs : 0);
    return { synced: synced.promise, ageMs, restarts: 0, stop };
  }

  #mayBeRead({ apiVersion, kind }: KindRef): boolean {
    return this.#server.api.resources.byKind(apiVersion, kind) !== undefined && this.#options.whyForbidden?.(kind) === undefined;
  }

  /** Looks again and again for a kind that is not served, or cannot be read, as the real client does. */
  #awaitKind(kind: KindRef, handler: WatchHandler, options: Selection): WatchHandle {
    const { clock } = this.#options;
    const synced = Promise.withResolvers<void>();
    let stop: () => void = () => undefined;
    let found: WatchHandle | undefined;
    const look = () => {
      if (this.#dead) return;
      if (this.#mayBeRead(kind)) {
        const opened = this.watch(kind, handler, options);
        found = opened;
        stop = () => opened.stop();
        void opened.synced.then(synced.resolve);
        return;
      }
      const why = this.#options.whyForbidden?.(kind.kind);
      if (why === undefined) this.#options.missed?.(kind.kind);
      handler.onUnavailable?.(why === undefined ? 'absent' : 'forbidden', why ?? `${kind.kind} is not served`);
      stop = clock.setTimer(LOOK_FOR_KIND_MS, look);
    };
    stop = clock.setTimer(0, look);
    this.#ends.push(() => stop());
    const begunAtMs = clock.monotonicMs();
    return { synced: synced.promise, ageMs: () => found?.ageMs() ?? clock.monotonicMs() - begunAtMs, restarts: 0, stop: () => stop() };
  }

  #all(kind: KindRef, labelSelector: string): KubeObject[] {
    const { resource } = this.#place({ ...kind, name: '' });
    const matches = parseSelectorQuery(labelSelector);
    return this.#server.api.store
      .list(resource.storeKey)
      .map(([, stored]) => stored)
      .filter(({ metadata }) => (kind.namespace === undefined || metadata.namespace === kind.namespace) && matches(metadata.labels ?? {}))
      .map((stored) => clone(fromStored(stored, resource)));
  }

  #place(ref: ObjectRef) {
    return { resource: this.#server.resource(ref.apiVersion, ref.kind), namespace: ref.namespace ?? '' };
  }

  #patched(ref: ObjectRef, type: PatchType, patch: unknown, context: WriteContext): KubeObject {
    const { resource, namespace } = this.#place(ref);
    return this.#server.api.patch(resource, namespace, ref.name, type, patch as never, context);
  }

  async #write<T>(verb: SentWrite['verb'], ref: ObjectRef, options: WriteOptions, body: object, act: (context: WriteContext) => T) {
    const { signal } = options;
    const subresource: string = options.subresource ?? '';
    signal?.throwIfAborted();
    const isBlind = !JSON.stringify(body).includes('resourceVersion') && this.#server.find(ref) !== undefined;
    const write: SentWrite = { atMs: this.#options.clock.monotonicMs(), verb, ref, subresource, isBlind, priority: this.#priority, body };
    this.#options.beforeWrite?.(write);
    if (!this.#dead) this.writes.push(write);
    return this.#ask(signal, () => {
      try {
        return act({ ...internalWrite, manager: 'serin', fieldManager: 'serin', force: true, subresource });
      } catch (error) {
        write.isRefused = true;
        throw error;
      }
    });
  }

  /** Sends a request, carries it out, and returns the answer. A sent request arrives even if its sender no longer waits, or was killed. */
  async #ask<T>(signal: AbortSignal | undefined, act: () => T): Promise<T> {
    signal?.throwIfAborted();
    if (this.#dead) return new Promise<never>(() => undefined);
    const givenUp = Promise.withResolvers<never>();
    const onAbort = () => givenUp.reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([this.#journey(act), givenUp.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #journey<T>(act: () => T): Promise<T> {
    const arrival = this.#arrive(act);
    this.#arrivals.add(arrival);
    const outcome = await arrival.finally(() => this.#arrivals.delete(arrival));
    await this.#travel();
    if (this.#dead) return new Promise<never>(() => undefined);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  async #arrive<T>(act: () => T): Promise<{ value: T } | { error: unknown }> {
    await this.#travel();
    this.#options.beforeCall?.();
    try {
      return { value: clone(act()) };
    } catch (error) {
      return { error: asApiError(error) };
    }
  }

  /** Travels on the network's own clock: a killed process' bytes are not called back. */
  #travel(): Promise<void> {
    const ms = this.#options.latencyMs();
    return ms > 0 ? sleep(this.#server.clock, ms) : Promise.resolve();
  }
}
