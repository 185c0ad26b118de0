/** A recorder that holds a part in progress. */
export interface Holder {
  readonly namespace: string;
  /** Forgets the part. */
  giveUp(): void;
}

/** Maximum number of characters in the parts in progress of all Canaries. */
export const MOST_HELD = 8 * 1024 * 1024;
/** Fraction that is left when parts are given up: the next search for the largest part is then a while away. */
const SHARE_LEFT = 0.9;

interface Namespace {
  held: number;
  readonly holders: Map<Holder, number>;
}

/**
 * Memory of all recorders. If it is too large, the largest parts of the namespaces with the most memory are given up, so that a tenant who edits many Canaries
 * loses its own journals and not those of others.
 */
export class JournalMemory {
  readonly #most: number;
  readonly #namespaces = new Map<string, Namespace>();
  #held = 0;

  constructor(most: number = MOST_HELD) {
    this.#most = most;
  }

  /** Number of characters of all holders. */
  get held(): number {
    return this.#held;
  }

  /** Sets the number of characters that `holder` has now, 0 for none. Calls `giveUp`, also of this holder, if all have too many together. */
  hold(holder: Holder, characters: number): void {
    this.#set(holder, characters);
    if (this.#held <= this.#most) return;
    while (this.#held > this.#most * SHARE_LEFT) {
      const namespace = largestOf(this.#namespaces.values(), ({ held }) => held);
      const largest = namespace && largestOf(namespace.holders, ([, held]) => held)?.[0];
      if (!largest) return;
      this.#set(largest, 0);
      largest.giveUp();
    }
  }

  #set(holder: Holder, characters: number): void {
    const namespace = this.#namespaces.get(holder.namespace) ?? { held: 0, holders: new Map<Holder, number>() };
    const change = characters - (namespace.holders.get(holder) ?? 0);
    namespace.held += change;
    this.#held += change;
    if (characters > 0) namespace.holders.set(holder, characters);
    else namespace.holders.delete(holder);
    if (namespace.holders.size > 0) this.#namespaces.set(holder.namespace, namespace);
    else this.#namespaces.delete(holder.namespace);
  }
}

function largestOf<T>(all: Iterable<T>, size: (one: T) => number): T | undefined {
  let largest: T | undefined;
  for (const one of all) if (largest === undefined || size(one) > size(largest)) largest = one;
  return largest;
}
