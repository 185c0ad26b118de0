import { afterText, type OpenText } from './json-brackets.ts';

const [QUOTE, BACKSLASH, COLON, SPACE, OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [...Buffer.from('"\\: {}[]')];
/** Below an item: `metadata.managedFields[].fieldsV1`, with the bracket after each key. The entries of a list have no key. */
const PATH = [
  { key: Buffer.from('metadata'), bracket: OBJECT },
  { key: Buffer.from('managedFields'), bracket: ARRAY },
  { key: undefined, bracket: OBJECT },
  { key: Buffer.from('fieldsV1'), bracket: OBJECT },
];
const SPEC = Buffer.from('f:spec');
const [WITH_SPEC, WITHOUT_SPEC] = [Buffer.from('{"f:spec":{}}'), Buffer.from('{}')];
/** Bytes that are kept of earlier chunks: a key, with more white space than a server sends. */
const REACH = 64;

/**
 * Finds the fields of the managers in the text of an item by its brackets, and passes over them. They are a third to a half of a list's bytes, and of them only
 * is read whether a manager has fields of the spec.
 */
export class FieldsCut {
  /** Levels of the path that are open. */
  #level = 0;
  /** Brackets that are open in the fields. */
  #depth = 0;
  #hasSpec = false;
  /** The end of the earlier chunks. */
  #tail = Buffer.alloc(0);

  /** The fields are being passed over. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** The text in place of the fields that have ended. */
  get instead(): Buffer {
    return this.#hasSpec ? WITH_SPEC : WITHOUT_SPEC;
  }

  /** A bracket is opened, so many levels below the item's own. True if the fields begin with it. */
  opened(chunk: Buffer, at: number, level: number): boolean {
    if (level !== this.#level) return false;
    const { key, bracket } = PATH[level] ?? {};
    if (chunk[at] !== bracket || (key && !this.#isAfter(key, chunk, at))) return false;
    if (level < PATH.length - 1) {
      this.#level += 1;
      return false;
    }
    this.#depth = 1;
    this.#hasSpec = false;
    return true;
  }

  /** A bracket is closed. */
  closed(level: number): void {
    if (level < this.#level) this.#level = Math.max(0, level);
  }

  /** Index of the bracket that ends the fields; the chunk's length if they go on. Like `nextBracket`, without a stop at each bracket. */
  end(chunk: Buffer, from: number, open: OpenText): number {
    let depth = this.#depth;
    let at = open.skips === undefined ? from : afterText(chunk, from + open.skips);
    open.skips = undefined;
    while (at < chunk.length) {
      const byte = chunk[at];
      if (byte === QUOTE) at = afterText(chunk, at + 1);
      else {
        if (byte === OBJECT || byte === ARRAY) {
          if (depth === 1) this.#hasSpec ||= this.#isAfter(SPEC, chunk, at);
          depth += 1;
        } else if (byte === OBJECT_END || byte === ARRAY_END) depth -= 1;
        if (depth === 0) break;
        at += 1;
      }
    }
    this.#depth = depth;
    if (at > chunk.length) open.skips = at - chunk.length - 1;
    return Math.min(at, chunk.length);
  }

  passed(chunk: Buffer): void {
    this.#tail = chunk.length < REACH ? Buffer.concat([this.#tail, chunk]).subarray(-REACH) : Buffer.from(chunk.subarray(-REACH));
  }

  #isAfter(key: Buffer, chunk: Buffer, at: number): boolean {
    if (at >= REACH) return isAfterKey(key, chunk, at);
    const near = Buffer.concat([this.#tail, chunk.subarray(0, at)]);
    return isAfterKey(key, near, near.length);
  }
}

/** True if `"key":` is before this place. No text is open there. */
function isAfterKey(key: Buffer, bytes: Buffer, end: number): boolean {
  const colon = lastBefore(bytes, end);
  if (bytes[colon] !== COLON) return false;
  const last = lastBefore(bytes, colon);
  const first = last - key.length - 1;
  if (bytes[last] !== QUOTE || bytes[first] !== QUOTE || bytes[first - 1] === BACKSLASH) return false;
  for (let index = 0; index < key.length; index += 1) if (bytes[first + 1 + index] !== key[index]) return false;
  return true;
}

/** Index of the last byte before white space and `end`. */
function lastBefore(bytes: Buffer, end: number): number {
  let at = end - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= (SPACE ?? 0)) at -= 1;
  return at;
}
