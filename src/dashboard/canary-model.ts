import { apiVersion } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Cluster, WatchHandle } from '../kube/cluster.ts';
import type { CanaryRow, ListEvents } from './wire.ts';

/** A change of the list. */
export type ListChange = { [E in keyof ListEvents]: { event: E; data: ListEvents[E] } }[keyof ListEvents];

const keyOf = ({ namespace = '', name }: { namespace?: string; name: string }): string => `${namespace}/${name}`;

/** All Canaries as rows, from one watch, and kept primaries of deleted Canaries. */
export class CanaryModel {
  readonly #rows = new Map<string, CanaryRow>();
  /** Rows of deleted Canaries; the row of an existing Canary takes precedence. */
  #kept: ReadonlyMap<string, CanaryRow> = new Map();
  readonly #listeners = new Set<(change: ListChange) => void>();
  readonly #watch: WatchHandle;
  #unavailable: string | undefined;

  /** Without `namespace`: Canaries of all namespaces. */
  constructor(cluster: Pick<Cluster, 'watch'>, namespace: string | undefined, rowOf: (raw: KubeObject) => CanaryRow) {
    this.#watch = cluster.watch(
      { apiVersion, kind: 'Canary', ...(namespace && { namespace }) },
      {
        onList: (items) => {
          this.#unavailable = undefined;
          this.#rows.clear();
          for (const raw of items) this.#rows.set(keyOf(raw.metadata), rowOf(raw));
          this.#say(this.list());
        },
        onEvent: ({ type, object }) => {
          const key = keyOf(object.metadata);
          if (type === 'DELETED') {
            if (this.#rows.delete(key)) this.#sayKept(object.metadata);
            return;
          }
          const row = rowOf(object);
          this.#rows.set(key, row);
          this.#say({ event: 'row', data: row });
        },
        onUnavailable: (_, message) => {
          this.#unavailable = message;
          this.#say(this.list());
        },
      },
    );
  }

  /** The whole list, as its first change. */
  list(): Extract<ListChange, { event: 'list' }> {
    const rows = [...new Map([...this.#kept, ...this.#rows])].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    return { event: 'list', data: { rows, ...(this.#unavailable !== undefined && { unavailable: this.#unavailable }) } };
  }

  /** Calls the listener with each change, until the returned function is called. */
  onChange(listener: (change: ListChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Replaces all rows of deleted Canaries. */
  setKept(rows: readonly CanaryRow[]): void {
    const before = this.#kept;
    this.#kept = new Map(rows.map((row) => [keyOf(row), row]));
    for (const [key, row] of new Map([...before, ...this.#kept]))
      if (!this.#rows.has(key) && JSON.stringify(before.get(key)) !== JSON.stringify(this.#kept.get(key))) this.#sayKept(row);
  }

  stop(): void {
    this.#watch.stop();
    this.#listeners.clear();
  }

  #sayKept({ namespace = '', name }: { namespace?: string; name: string }): void {
    const kept = this.#kept.get(keyOf({ namespace, name }));
    this.#say(kept ? { event: 'row', data: kept } : { event: 'gone', data: { namespace, name } });
  }

  #say(change: ListChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
