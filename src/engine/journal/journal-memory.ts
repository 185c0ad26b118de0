/** One that holds a part under way. */
export interface Holder {
  readonly namespace: string;
  /** Forgets the part. */
  giveUp(): void;
}

/** Characters that the parts under way of all Canaries hold together at the most. */
export const MOST_HELD = 8 * 1024 * 1024;
/** Of those, what stays when parts are given up: the next search for the largest one is a while away. */
const SHARE_LEFT = 0.9;

interface Namespace {
  held: number;
  readonly holders: Map<Holder, number>;
}

/**
 * What all recorders hold together. When it is too much, the largest parts of the namespaces that hold most are given up, so that a tenant
 * who edits many Canaries loses its own journals and not those of others.
 */
export class JournalMemory {
  readonly #most: number;
  readonly #namespaces = new Map<string, Namespace>();
  #held = 0;

  constructor(most: number = MOST_HELD) {
    this.#most = most;
  }

  /** Characters of all holders. */
  get held(): number {
    return this.#held;
  }

  /** Characters that `holder` has now, instead of those before; 0: none. Calls `giveUp` where all have too many together, also of this holder. */
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
