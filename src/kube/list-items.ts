import { StringDecoder } from 'node:string_decoder';

const [QUOTE, BACKSLASH, OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [...Buffer.from('"\\{}[]')];
const BEFORE_ITEMS = /(?<!\\)"items"\s*:\s*$/;

/**
 * Reads a list of the API server as it comes: each object in `items` is parsed when it is complete, and its text is dropped. A page of five
 * hundred Deployments is megabytes, of which a watch keeps a small part.
 */
export function createListItems(onItem: (item: unknown) => void): {
  push(chunk: Buffer): void;
  /** The list's text with a 0 for each item. */
  rest(): string;
} {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let parts: Buffer[] = []; // of the item not ended yet
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isInItems = false;
  return {
    push(chunk) {
      let from = 0;
      const passOver = (to: number): void => {
        rest += decoder.write(chunk.subarray(from, to));
        from = to;
      };
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
        } else if (byte === QUOTE) isText = true;
        else if (byte === OBJECT || byte === ARRAY) {
          if (depth === 1 && byte === ARRAY) {
            passOver(at);
            isInItems = BEFORE_ITEMS.test(rest);
          } else if (depth === 2 && isInItems) passOver(at);
          depth += 1;
        } else if (byte === OBJECT_END || byte === ARRAY_END) {
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
