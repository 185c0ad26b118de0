import { StringDecoder } from 'node:string_decoder';
import { FieldsCut } from './fields-cut.ts';
import { nextBracket, type OpenText } from './json-brackets.ts';

const [OBJECT, ARRAY] = [...Buffer.from('{[')];
const BEFORE_ITEMS = /(?<!\\)"items"\s*:\s*$/;
/** Open brackets within an item: those of the list, of `items` and of the item. */
const IN_ITEM = 3;

/**
 * Reads a list of the API server while it arrives: each object in `items` is parsed when it is complete, and its text is dropped. A page of five hundred
 * Deployments is megabytes, of which a watch keeps a small part. `cutsFields`: the managers' fields are not parsed, and `fieldsV1` is `{"f:spec":{}}` if it has
 * `f:spec`, otherwise `{}`.
 */
export function createListItems(
  onItem: (item: unknown) => void,
  { cutsFields = false }: { cutsFields?: boolean } = {},
): {
  push(chunk: Buffer): void;
  /** The list's text with a 0 for each item. */
  rest(): string;
} {
  const decoder = new StringDecoder('utf8');
  const open: OpenText = { skips: undefined };
  const fields = cutsFields ? new FieldsCut() : undefined;
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
      /** Index of the bracket that ends the managers' fields. */
      const endOf = (cut: FieldsCut, start: number): number => {
        const end = cut.end(chunk, start, open);
        if (end === chunk.length) return end;
        parts.push(cut.instead);
        from = end + 1;
        return end;
      };
      let at = fields?.isOpen ? endOf(fields, 0) : nextBracket(chunk, 0, open);
      while (at < chunk.length) {
        const byte = chunk[at];
        if (byte === OBJECT || byte === ARRAY) {
          if (depth === 1 && byte === ARRAY) {
            passOver(at);
            isInItems = BEFORE_ITEMS.test(rest);
          } else if (depth === 2 && isInItems) passOver(at);
          depth += 1;
          if (isInItems && fields?.opened(chunk, at, depth - IN_ITEM - 1)) {
            parts.push(chunk.subarray(from, at));
            at = endOf(fields, at + 1);
            continue;
          }
        } else {
          depth -= 1;
          fields?.closed(depth - IN_ITEM);
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
        at = nextBracket(chunk, at + 1, open);
      }
      fields?.passed(chunk);
      if (fields?.isOpen) return;
      if (isInItems && depth > 2) parts.push(chunk.subarray(from));
      else passOver(chunk.length);
    },
    rest: () => rest + decoder.end(),
  };
}
