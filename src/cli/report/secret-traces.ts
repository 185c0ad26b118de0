import { isRecord } from '../../base/json.ts';
import { HIDDEN } from '../../base/redact-text.ts';

/** Digits of a revision that events and alerts show of it; the same in all its forms. */
const TOLD_DIGITS = 12;
const REVISION = /\bs1:[0-9a-f]{6,64}\b/g;
const COPY = /(-primary-)([0-9a-f]{10})\b/g;
const SALTED = /\b[0-9a-f]{8}\.[0-9a-f]{32}\b/g;

/**
 * Values derived from the content of Secrets: their checksums, and names and revisions derived from these. Checksums that an earlier version made without a
 * salt reveal the content of a short Secret to a reader who tries all values. Names and revisions get numbers instead, the same in all files.
 */
export class SecretTraces {
  readonly #checksums = new Set<string>();
  readonly #numbers = new Map<string, string>();

  /** Remembers the checksums of Secrets that this object records. */
  see(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) this.see(one);
    if (!isRecord(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const checksum = isRecord(inner) ? inner.checksum : inner;
      if (key.startsWith('secret/') && typeof checksum === 'string') this.#checksums.add(checksum);
      this.see(inner);
    }
  }

  /** A whole file without them, when every object has been seen. */
  hide(text: string): string {
    const shown = [...this.#checksums].reduce((left, checksum) => left.replaceAll(checksum, HIDDEN), text.replace(SALTED, HIDDEN));
    return shown
      .replace(REVISION, (revision) => `s1:revision-${this.#numberOf(revision.slice(0, 3 + TOLD_DIGITS))}`)
      .replace(COPY, (_, between, digits) => `${between}copy-${this.#numberOf(digits)}`);
  }

  #numberOf(what: string): string {
    const number = this.#numbers.get(what) ?? `${this.#numbers.size + 1}`;
    this.#numbers.set(what, number);
    return number;
  }
}
