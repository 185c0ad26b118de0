import type { ObjectRef } from '../../api/kube-object.ts';
import { sleep } from '../../base/clock.ts';
import { isLeftOver } from '../adoption/adopt-restored.ts';
import type { ControllerDeps } from '../controller-deps.ts';

/** For the rest of a backup to come: its anchors, and their Canaries if it has them. */
const REST_MS = 10_000;
/** Shortest time between two searches in a namespace. */
const PAUSE_MS = 60_000;

/**
 * Looks for anchors without a Canary where a backup was restored while Serin runs: anchors are not watched, but the Deployment or the Service of a primary comes
 * back with them, without an owner, and marked for a Canary that does not exist.
 */
export class OrphanSearches {
  readonly #deps: Pick<ControllerDeps, 'view' | 'clock' | 'log'>;
  readonly #search: (namespace: string) => Promise<void>;
  readonly #stopping: AbortSignal;
  /** Namespaces of the current searches: true if an object has come since that a search has not seen. */
  readonly #current = new Map<string, boolean>();

  constructor(deps: Pick<ControllerDeps, 'view' | 'clock' | 'log'>, stopping: AbortSignal, search: (namespace: string) => Promise<void>) {
    this.#deps = deps;
    this.#stopping = stopping;
    this.#search = search;
  }

  /** Call for each change of an object. */
  changed(ref: ObjectRef): void {
    const { kind, name, namespace = '' } = ref;
    if ((kind !== 'Deployment' && kind !== 'Service') || !name.endsWith('-primary')) return;
    const found = this.#deps.view.find(ref)?.object;
    if (found === undefined || !isLeftOver(found, this.#deps.view)) return;
    if (this.#current.has(namespace)) this.#current.set(namespace, true);
    else void this.#begin(namespace);
  }

  async #begin(namespace: string): Promise<void> {
    const { clock, log } = this.#deps;
    this.#current.set(namespace, false);
    try {
      do {
        await sleep(clock, REST_MS, this.#stopping);
        this.#current.set(namespace, false);
        await this.#search(namespace);
        await sleep(clock, PAUSE_MS, this.#stopping);
      } while (this.#current.get(namespace));
    } catch (err) {
      if (!this.#stopping.aborted) log.warn({ namespace, err }, 'anchors without a Canary could not be looked for');
    } finally {
      this.#current.delete(namespace);
    }
  }
}
