import type { Canary } from '../../api/canary.ts';
import type { JsonRecord } from '../../base/json.ts';
import { mergePatchOf } from '../../base/json-merge.ts';
import type { Facts } from '../facts.ts';
import { type Concealment, isReadAlike, readFrom } from './concealment.ts';

interface NotedFact {
  value: unknown;
  /** The value as JSON. */
  read: string;
  /** The concealed value as JSON. */
  text: string;
}

/** The facts of the last entry. No fact is changed in place: the same object reads as before. */
export class NotedFacts {
  readonly #conceal: Concealment;
  readonly #noted = new Map<string, NotedFact>();

  constructor(conceal: Concealment) {
    this.#conceal = conceal;
  }

  /** Number of characters that are held. */
  get length(): number {
    let sum = 0;
    for (const [name, { read, text }] of this.#noted) sum += name.length + read.length + text.length;
    return sum;
  }

  /**
   * The patch from the facts of the last entry, which these replace; undefined if nothing has changed. Most facts have not changed: equal objects or texts show
   * that, and nothing is hidden or parsed.
   */
  patchTo({ canary, ...facts }: Facts): JsonRecord | undefined {
    const patch: JsonRecord = {};
    // The Canary names the secrets: with another Canary, each fact is concealed again.
    const isOther = this.#isOtherCanary(canary);
    if (isOther) this.#note('canary', { value: canary, read: JSON.stringify(readFrom(canary)) }, this.#conceal.canary(canary), patch);
    const isAbsent = new Set(this.#noted.keys());
    isAbsent.delete('canary');
    for (const [name, value] of Object.entries(facts)) {
      if (value === undefined) continue;
      isAbsent.delete(name);
      const last = this.#noted.get(name);
      if (!isOther && last?.value === value) continue;
      const read = JSON.stringify(value);
      if (!isOther && last?.read === read) last.value = value;
      else this.#note(name, { value, read }, this.#conceal.fact(name, value), patch);
    }
    for (const name of isAbsent) {
      this.#noted.delete(name);
      patch[name] = null;
    }
    return Object.keys(patch).length === 0 ? undefined : patch;
  }

  #isOtherCanary(canary: Canary): boolean {
    const last = this.#noted.get('canary');
    if (last === undefined) return true;
    const isSame = isReadAlike(canary, last.value as Canary) || JSON.stringify(readFrom(canary)) === last.read;
    if (isSame) last.value = canary;
    return !isSame;
  }

  #note(name: string, seen: Omit<NotedFact, 'text'>, concealed: unknown, patch: JsonRecord): void {
    const before = this.#noted.get(name)?.text;
    const text = JSON.stringify(concealed);
    this.#noted.set(name, { ...seen, text });
    if (text === before) return;
    const change = before === undefined ? JSON.parse(text) : mergePatchOf(JSON.parse(before), JSON.parse(text));
    if (change !== undefined) patch[name] = change;
  }
}
