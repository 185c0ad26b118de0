/**
 * A limited number of slots that clients hold, each in the name of a peer. A new client always gets one: of the peer that then holds most of them
 * the oldest goes. So a peer that takes many, however many, takes them from itself.
 */
export class FairSlots<T> {
  readonly #most: number;
  readonly #goesFirst: (holder: T) => boolean;
  readonly #peerOf = new Map<T, string>();
  /** Each with its holders, the oldest first; peers in the order of their turns. */
  readonly #byPeer = new Map<string, Set<T>>();

  /** `goesFirst`: goes before older ones of the same peer. */
  constructor(most: number, goesFirst: (holder: T) => boolean = () => false) {
    this.#most = most;
    this.#goesFirst = goesFirst;
  }

  /** Takes a slot. Returns the holder that has lost its slot, or `undefined` if a slot was free. */
  take(holder: T, peer: string): T | undefined {
    if (this.#peerOf.has(holder)) return undefined;
    const lost = this.#peerOf.size < this.#most ? undefined : this.#loserTo(peer);
    if (lost !== undefined) this.free(lost);
    this.#peerOf.set(holder, peer);
    const held = this.#byPeer.get(peer);
    if (held) held.add(holder);
    else this.#byPeer.set(peer, new Set([holder]));
    return lost;
  }

  free(holder: T): void {
    const peer = this.#peerOf.get(holder);
    if (peer === undefined) return;
    this.#peerOf.delete(holder);
    const held = this.#byPeer.get(peer);
    held?.delete(holder);
    if (held?.size === 0) this.#byPeer.delete(peer);
  }

  /** Frees the oldest slot of the peer whose turn it is. */
  shift(): T | undefined {
    const [turn] = this.#byPeer;
    if (turn === undefined) return undefined;
    const [peer, held] = turn;
    const [oldest] = held;
    if (oldest === undefined) return undefined;
    this.free(oldest);
    if (this.#byPeer.delete(peer)) this.#byPeer.set(peer, held);
    return oldest;
  }

  get size(): number {
    return this.#peerOf.size;
  }

  #loserTo(newcomer: string): T | undefined {
    let most = 0;
    let longest: ReadonlySet<T> = new Set();
    for (const [peer, held] of this.#byPeer) {
      const count = held.size + (peer === newcomer ? 1 : 0);
      if (count <= most) continue;
      most = count;
      longest = held;
    }
    const [oldest] = longest;
    return [...longest].find(this.#goesFirst) ?? oldest;
  }
}
