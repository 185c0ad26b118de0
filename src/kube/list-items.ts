import { StringDecoder } from 'node:string_decoder';

const [QUOTE, BACKSLASH, OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [...Buffer.from('"\\{}[]')];
const BEFORE_ITEMS = /(?<!\\)"items"\s*:\s*$/;

/**
 * Reads a list of the API server while it arrives: each object in `items` is parsed when it is complete, and its text is dropped. A page of five hundred
 * Deployments is megabytes, of which a watch keeps a small part.
 */
export function createListItems(onItem: (item: unknown) => void): {
  push(chunk: Buffer): void;
  /** The list's text with a 0 for each item. */
  rest(): string;
} {
  const decoder = new StringDecoder('utf8');
  const open: OpenText = { skips: undefined };
  let rest = '';
  let parts: Buffer[] = []; // of the item not ended yet
  let depth = 0;
  let isInItems = false;
  return {
    push(chunk) {
      let from = 0;
      const passOver = (to: number): void => {
        rest += decoder.write(chunk.subarray(from, to));
        from = to;
      };
      for (let at = nextBracket(chunk, 0, open); at < chunk.length; at = nextBracket(chunk, at + 1, open)) {
        const byte = chunk[at];
        if (byte === OBJECT || byte === ARRAY) {
          if (depth === 1 && byte === ARRAY) {
            passOver(at);
            isInItems = BEFORE_ITEMS.test(rest);
          } else if (depth === 2 && isInItems) passOver(at);
          depth += 1;
        } else {
          depth -= 1;
          if (depth === 1) isInItems = false;
          else if (depth === 2 && isInItems) {
            parts.push(chunk.subarray(from, at + 1));
            const text = parts.length === 1 ? parts[0] : Buffer.concat(parts);
            parts = [];
            from = at + 1;
            rest += '0';
            onItem(JSON.parse(String(text)));
          }
        }
      }
      if (isInItems && depth > 2) parts.push(chunk.subarray(from));
      else passOver(chunk.length);
    },
    rest: () => rest + decoder.end(),
  };
}

/** State of a text that continues in the next chunk: the number of escaped bytes left, `undefined` if no text is open. */
interface OpenText {
  skips: number | undefined;
}

/** Index of the next bracket outside of texts; the chunk's length where none follows. Every byte passes here: no state but locals. */
function nextBracket(chunk: Buffer, from: number, open: OpenText): number {
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
function afterText(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length) {
    const byte = chunk[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}
