import { randomBytes } from 'node:crypto';

const WORD_BYTES = 8;
/** Drawn at once: one draw costs as much as all. */
const WORDS = 256;

/** Words that cannot be guessed, of 16 hexadecimal digits each. */
export function randomWords(): () => string {
  let drawn = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = randomBytes(WORD_BYTES * WORDS);
      at = 0;
    }
    const word = drawn.toString('hex', at, at + WORD_BYTES);
    drawn.fill(0, at, at + WORD_BYTES);
    at += WORD_BYTES;
    return word;
  };
}
