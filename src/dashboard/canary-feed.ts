import { apiVersion } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import type { Cluster, KindRef, WatchHandle } from '../kube/cluster.ts';
import type { ListHandler } from '../kube/watch.ts';
import { CanaryModel, type ListChange } from './canary-model.ts';
import type { CanaryRow } from './wire.ts';

/** A watch stays open so long after its last viewer: a page that is loaded again costs no LIST. */
const LINGER_MS = 30_000;

/** Canaries of one namespace, or of all. */
interface Scope {
  namespace: string | undefined;
  model: CanaryModel;
  handler: ListHandler;
  /** Watches of the controller, the newest last. */
  fed: object[];
  own?: WatchHandle | undefined;
  /** Watch of kept primaries, while a viewer is connected. */
  kept?: WatchHandle | undefined;
}

/** Follows kept primaries of a namespace, or of all namespaces. */
export type WatchKept = (namespace: string | undefined, changed: (rows: readonly CanaryRow[]) => void) => WatchHandle;

/**
 * The list of all Canaries, fed by the watches that the controller has open in this process. A replica without watches, because another one leads, opens its
 * own while a viewer is connected, and closes it after that.
 */
export class CanaryFeed {
  readonly #scopes: readonly Scope[];
  readonly #cluster: Pick<Cluster, 'watch'>;
  readonly #clock: Clock;
  readonly #listeners = new Set<(change: ListChange) => void>();
  /** Rows of items that the controller keeps no whole object of. */
  readonly #rows = new WeakMap<KubeObject, CanaryRow>();
  readonly #rowOf: (raw: KubeObject) => CanaryRow;
  readonly #watchKept: WatchKept;
  #viewers = 0;
  #cancelClosing = () => {};

  /** An empty list of `namespaces` means all of them. */
  constructor(
    cluster: Pick<Cluster, 'watch'>,
    {
      namespaces,
      rowOf,
      watchKept,
      clock,
    }: { namespaces: readonly string[]; rowOf: (raw: KubeObject) => CanaryRow; watchKept: WatchKept; clock: Clock },
  ) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#rowOf = rowOf;
    this.#watchKept = watchKept;
    this.#scopes = (namespaces.length === 0 ? [undefined] : namespaces).map((namespace) => this.#scope(namespace));
  }

  /** The same cluster, whose watches of all Canaries feed the list too. */
  tap<T extends Cluster>(cluster: T): T {
    const { at } = cluster;
    return {
      ...cluster,
      watch: (kind, handler, options) => this.#tapped(cluster, [kind, handler, options]),
      ...(at && { at: (priority: Parameters<typeof at>[0]) => this.tap(at(priority)) }),
    };
  }

  /** The whole list, as its first change. */
  list(): Extract<ListChange, { event: 'list' }> {
    const lists = this.#scopes.map(({ model }) => model.list().data);
    const unavailable = lists.find((one) => one.unavailable !== undefined)?.unavailable;
    return { event: 'list', data: { rows: lists.flatMap(({ rows }) => rows), ...(unavailable !== undefined && { unavailable }) } };
  }

  /** Calls the listener with each change, and keeps the list up to date, until the returned function is called. */
  onChange(listener: (change: ListChange) => void): () => void {
    this.#listeners.add(listener);
    this.#viewers += 1;
    this.#cancelClosing();
    for (const scope of this.#scopes) this.#watchScope(scope);
    return () => {
      if (!this.#listeners.delete(listener)) return;
      this.#viewers -= 1;
      if (this.#viewers > 0) return;
      this.#cancelClosing = this.#clock.setTimer(LINGER_MS, () => {
        for (const scope of this.#scopes) this.#close(scope);
      });
    };
  }

  stop(): void {
    this.#cancelClosing();
    this.#listeners.clear();
    for (const scope of this.#scopes) this.#close(scope);
  }

  #scope(namespace: string | undefined): Scope {
    let handler: ListHandler | undefined;
    const keep: Pick<Cluster, 'watch'> = {
      watch: (_, given) => {
        handler = given;
        return { synced: Promise.resolve(), ageMs: () => 0, restarts: 0, stop: () => undefined };
      },
    };
    const model = new CanaryModel(keep, namespace, (raw) => this.#rows.get(raw) ?? this.#rowOf(raw));
    if (handler === undefined) throw new Error('the model does not watch');
    model.onChange((change) => {
      const whole = change.event === 'list' ? this.list() : change;
      for (const listener of [...this.#listeners]) listener(whole);
    });
    return { namespace, model, handler, fed: [] };
  }

  /** Opens a watch of its own, for a connected viewer, if the controller has none. The controller never watches kept primaries. */
  #watchScope(scope: Scope): void {
    const { namespace, model } = scope;
    scope.kept ??= this.#watchKept(namespace, (rows) => model.setKept(rows));
    if (scope.fed.length > 0 || scope.own !== undefined) return;
    scope.own = this.#cluster.watch({ apiVersion, kind: 'Canary', ...(namespace !== undefined && { namespace }) }, scope.handler);
  }

  #close(scope: Scope): void {
    scope.own?.stop();
    scope.own = undefined;
    scope.kept?.stop();
    scope.kept = undefined;
    scope.model.setKept([]);
    // Without a watch the list is unknown: show none.
    if (scope.fed.length === 0) scope.handler.onList([]);
  }

  #tapped(cluster: Cluster, [kind, handler, options]: Parameters<Cluster['watch']>): WatchHandle {
    const scope = options === undefined ? this.#scopeOf(kind) : undefined;
    if (scope === undefined) return cluster.watch(kind, handler, options);
    const source = {};
    /** The newest that has listed feeds the list. */
    let isListed = false;
    const feeds = () => isListed && scope.fed.at(-1) === source;
    const tapped: ListHandler = {
      ...handler,
      onList: (items, resourceVersion) => {
        if (!isListed) {
          isListed = true;
          scope.fed.push(source);
          scope.own?.stop();
          scope.own = undefined;
        }
        if (feeds()) this.#guarded(() => scope.handler.onList(items));
        (handler as ListHandler).onList(items, resourceVersion);
      },
      onEvent: (event) => {
        if (feeds()) this.#guarded(() => scope.handler.onEvent(event));
        handler.onEvent(event);
      },
      slim: (item) => {
        const kept = handler.slim?.(item) ?? item;
        this.#guarded(() => this.#rows.set(kept, this.#rowOf(item)));
        return kept;
      },
      onUnavailable: (cause, message) => {
        if (feeds()) this.#guarded(() => scope.handler.onUnavailable?.(cause, message));
        handler.onUnavailable?.(cause, message);
      },
    };
    const watch = cluster.watch(kind, tapped);
    return {
      synced: watch.synced,
      ageMs: () => watch.ageMs(),
      get restarts() {
        return watch.restarts;
      },
      stop: () => {
        watch.stop();
        scope.fed = scope.fed.filter((one) => one !== source);
        if (scope.fed.length > 0) return;
        if (this.#viewers > 0) this.#watchScope(scope);
        else this.#close(scope);
      },
    };
  }

  #scopeOf({ apiVersion: version, kind, namespace }: KindRef): Scope | undefined {
    if (version !== apiVersion || kind !== 'Canary') return undefined;
    return this.#scopes.find((scope) => scope.namespace === namespace);
  }

  /** The page must not keep the controller from its work. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch {
      // A row that cannot be made is missing from the list.
    }
  }
}
