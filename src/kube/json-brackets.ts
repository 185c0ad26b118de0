const [QUOTE, BACKSLASH, OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [...Buffer.from('"\\{}[]')];

/** State of a text that continues in the next chunk: the number of escaped bytes left, `undefined` if no text is open. */
export interface OpenText {
  skips: number | undefined;
}

/** Index of the next bracket outside of texts; the chunk's length where none follows. Every byte passes here: no state but locals. */
export function nextBracket(chunk: Buffer, from: number, open: OpenText): number {
  let at = open.skips === undefined ? from : afterText(chunk, from + open.skips);
  open.skips = undefined;
  while (at < chunk.length) {
    const byte = chunk[at];
    if (byte === QUOTE) at = afterText(chunk, at + 1);
    else if (byte === OBJECT || byte === OBJECT_END || byte === ARRAY || byte === ARRAY_END) return at;
    else at += 1;
  }
  if (at > chunk.length) open.skips = at - chunk.length - 1;
  return chunk.length;
}

/** Index after the quote that ends the text; beyond the chunk's length by one, and by each byte that is escaped, where it goes on. */
export function afterText(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length) {
    const byte = chunk[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}
