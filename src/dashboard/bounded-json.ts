/** Characters of one text; tenants write them. */
const LONGEST_TEXT = 2_000;

/** JSON in which no text is longer than a page can show. */
export function boundedJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'string' && one.length > LONGEST_TEXT ? `${one.slice(0, LONGEST_TEXT)}…` : one,
  );
}
