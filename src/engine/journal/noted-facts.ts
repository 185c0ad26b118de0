import type { JsonRecord } from '../../base/json.ts';
import { mergePatchOf } from '../../base/json-merge.ts';
import type { Facts } from '../facts.ts';
import { type Concealment, readFrom } from './concealment.ts';

/** Names of facts contain no dot. */
const CANARY = 'canary.';

/** The facts of the last entry, as concealed texts in JSON form by field; fields of the Canary are named `canary.` and their name. */
export class NotedFacts {
  readonly #conceal: Concealment;
  /** The same before they were concealed. */
  #read = new Map<string, string>();
  #texts = new Map<string, string>();
  #length = 0;

  constructor(conceal: Concealment) {
    this.#conceal = conceal;
  }

  /** Number of characters that are held. */
  get length(): number {
    return this.#length;
  }

  /**
   * The patch from the facts of the last entry, which these replace; undefined if nothing has changed. Most fields have not changed: equal texts show that
   * without parsing.
   */
  patchTo(facts: Facts): JsonRecord | undefined {
    const before = this.#texts;
    const now = this.#textsOf(facts);
    const patch: JsonRecord = {};
    const patchOfCanary: JsonRecord = {};
    for (const name of new Set([...before.keys(), ...now.keys()])) {
      const [was, is] = [before.get(name), now.get(name)];
      if (was === is) continue;
      const change = is === undefined ? null : was === undefined ? JSON.parse(is) : mergePatchOf(JSON.parse(was), JSON.parse(is));
      if (change === undefined) continue;
      if (name.startsWith(CANARY)) patchOfCanary[name.slice(CANARY.length)] = change;
      else patch[name] = change;
    }
    this.#texts = now;
    this.#length = [...now, ...this.#read].reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (Object.keys(patchOfCanary).length > 0) patch.canary = patchOfCanary;
    return Object.keys(patch).length === 0 ? undefined : patch;
  }

  /** Undefined fields are left out. A field that reads as before keeps its concealed text, as long as the Canary, which names the secrets, is the same. */
  #textsOf({ canary, ...facts }: Facts): Map<string, string> {
    const before = { read: this.#read, texts: this.#texts };
    const texts = new Map<string, string>();
    const read = new Map([[CANARY, JSON.stringify(readFrom(canary))]]);
    const isSameCanary = read.get(CANARY) === before.read.get(CANARY);
    if (isSameCanary) for (const [name, text] of before.texts) if (name.startsWith(CANARY)) texts.set(name, text);
    if (!isSameCanary)
      for (const [name, value] of Object.entries(this.#conceal.canary(canary))) texts.set(CANARY + name, JSON.stringify(value));
    for (const [name, value] of Object.entries(facts)) {
      const is: string | undefined = JSON.stringify(value);
      if (is === undefined) continue;
      const known = isSameCanary && before.read.get(name) === is ? before.texts.get(name) : undefined;
      read.set(name, is);
      texts.set(name, known ?? JSON.stringify(this.#conceal.fact(name, value)));
    }
    this.#read = read;
    return texts;
  }
}
