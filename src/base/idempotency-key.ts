import { createHash } from 'node:crypto';

/** Header that names what a call is about: each repeat of the call has the same value, and no other call has it. */
export const idempotencyHeader = 'Idempotency-Key';

/** Receivers keep it as the key of a row or of a cache. Characters. */
const LONGEST = 255;
const HASH_LENGTH = 32;
/** Printable ASCII, without the sign that the others are written with. */
const NOT_PLAIN = /[^!-$&-~]/gu;

/** A key as the header has it. Names of hooks are in it, which are any text of any length. */
export function idempotencyValue(key: string): string {
  const plain = key.replace(NOT_PLAIN, escaped);
  if (plain.length <= LONGEST) return plain;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, LONGEST - HASH_LENGTH - 1)}~${hash}`;
}

/** By the bytes of UTF-8, as in a URL; half a character is written as the unknown character. */
function escaped(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
