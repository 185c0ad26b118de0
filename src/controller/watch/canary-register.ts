import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';

interface RegisteredCanary {
  uid: string;
  /** The object that the projection holds: nothing of it is kept twice. */
  raw: KubeObject;
  age: string;
  /** Keys that two Canaries cannot share: the target and the apex Service. */
  claims: readonly string[];
  interests: readonly string[];
}

/** Keys by a name. Most names have one, which needs no set: seven sets a Canary are a tenth of its memory. */
type Index = Map<string, string | Set<string>>;

/** The existing Canaries, the objects that they look at, and their claims. Keys are `namespace/name`. */
export class CanaryRegister {
  readonly #entries = new Map<string, RegisteredCanary>();
  readonly #keyByUid = new Map<string, string>();
  readonly #interested: Index = new Map();
  readonly #claiming: Index = new Map();
  /** Number of interests in objects of each kind. */
  readonly #kinds = new Map<string, number>();

  /** Stores the current version of a readable Canary, and the objects that it looks at. */
  put(key: string, canary: Canary, raw: KubeObject, refs: readonly ObjectRef[]): void {
    const { metadata, status } = canary;
    const before = this.#entries.get(key);
    const entry: RegisteredCanary = {
      uid: metadata.uid,
      raw,
      // Timestamps have whole seconds: of two Canaries made in the same second, the Canary with a release goes on.
      age: `${metadata.creationTimestamp ?? ''}/${status?.release ? 0 : 1}/${metadata.uid}`,
      claims: claimsOf(canary),
      interests: refs.map(interestKey),
    };
    if (before !== undefined && before.uid !== entry.uid) this.#keyByUid.delete(before.uid);
    this.#entries.set(key, entry);
    this.#keyByUid.set(entry.uid, key);
    move(this.#interested, key, before?.interests, entry.interests);
    this.#count(entry.interests, 1);
    this.#count(before?.interests ?? [], -1);
    move(this.#claiming, key, before?.claims, entry.claims);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#keyByUid.delete(entry.uid);
    move(this.#interested, key, entry.interests, []);
    this.#count(entry.interests, -1);
    move(this.#claiming, key, entry.claims, []);
  }

  /** The last readable version. */
  lastSeen(key: string): { uid: string; raw: KubeObject } | undefined {
    return this.#entries.get(key);
  }

  keyOf(uid: string): string | undefined {
    return this.#keyByUid.get(uid);
  }

  /** Canaries that look at this object, and (`byKind`) Canaries that look at all of its kind (a ref without name). */
  interestedIn(ref: ObjectRef, { byKind }: { byKind: boolean } = { byKind: true }): readonly string[] {
    const all = [ref, ...(byKind ? [{ ...ref, name: '' }] : [])].flatMap((one) => keysOf(this.#interested, interestKey(one)));
    return [...new Set(all)];
  }

  /** A Canary looks at objects of this kind. */
  looksAt(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  /** The other Canaries that claim what this one claims. */
  rivalsOf(key: string): readonly string[] {
    const claims = this.#entries.get(key)?.claims ?? [];
    return [...new Set(claims.flatMap((claim) => keysOf(this.#claiming, claim)))].filter((other) => other !== key);
  }

  /** The oldest right goes on: another Canary with a claim on the same target or apex that is older than this one. */
  olderRival(key: string): string | undefined {
    const own = this.#entries.get(key);
    if (own === undefined) return undefined;
    return this.rivalsOf(key).find((other) => (this.#entries.get(other)?.age ?? '') < own.age);
  }

  #count(interests: readonly string[], change: 1 | -1): void {
    for (const interest of interests) {
      const kind = interest.slice(0, interest.indexOf('/'));
      const count = (this.#kinds.get(kind) ?? 0) + change;
      if (count === 0) this.#kinds.delete(kind);
      else this.#kinds.set(kind, count);
    }
  }
}

const interestKey = (ref: ObjectRef): string => [ref.kind, ref.namespace, ref.name].join('/');

function claimsOf(canary: Canary): string[] {
  const { namespace } = canary.metadata;
  const { kind, name } = canary.spec.targetRef;
  return [['target', namespace, kind, name].join('/'), ['apex', namespace, names(canary).apexService].join('/')];
}

function keysOf(index: Index, name: string): string[] {
  const keys = index.get(name) ?? [];
  return typeof keys === 'string' ? [keys] : [...keys];
}

/** Most changes of a Canary leave its keys unchanged: then nothing is touched. */
function move(index: Index, key: string, from: readonly string[] = [], to: readonly string[]): void {
  for (const name of from) {
    if (to.includes(name)) continue;
    const keys = index.get(name);
    if (typeof keys === 'object') keys.delete(key);
    if (keys === key || (typeof keys === 'object' && keys.size === 0)) index.delete(name);
  }
  for (const name of to) {
    const keys = index.get(name);
    if (keys === undefined) index.set(name, key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) index.set(name, new Set([keys, key]));
  }
}
