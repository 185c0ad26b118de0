const ID = /^(?:(0[1-7])[- ])?((?:[A-Z]-)?[A-Z]{1,2}\d+|15\.\d\.\d+)[a-z]?(?:[–-](?:0[1-7]-)?((?:[A-Z]-)?[A-Z]{1,2}\d+))?$/;
/** Names in a title without a page: the engine's own rules and the invariants (no rows), the traffic documents, the routers. */
const OWN_RULES = /^[EDI]\d/;
const PAGE_OF: readonly [RegExp, string][] = [
  [/^15\./, '02'],
  [/^[KST]\d/, '07'],
  [/^(V\d|R-)/, '04'],
];

/**
 * The rows of the reference that a title names, as `03-W12`: at its head, up to the colon (`03-W12, B28: …`, `03-W26–W33: …`), or in
 * brackets (`… (05 B38, W36)`). A page holds for the names after it.
 */
export function rowsOfTitle(title: string): string[] {
  // A list alone is a field of a table that the title quotes.
  const head = /^([^:]{2,120}): /.exec(title)?.[1] ?? (/^0[1-7]-/.test(title) ? title : undefined);
  const bracketed = [...title.matchAll(/\(([^()]+)\)/g)].map((match) => match[1]);
  return [...new Set([head, ...bracketed].flatMap((list) => (list === undefined ? [] : rowsOfList(list))))];
}

function rowsOfList(list: string): string[] {
  const names = list.split(/, | and | (?=0[1-7]-)/).map((name) => ID.exec(name.trim()));
  let page: string | undefined;
  return names.flatMap((match) => {
    const [, ownPage, first, last] = match ?? [];
    if (first === undefined) return [];
    page = ownPage ?? page;
    if (ownPage === undefined && (OWN_RULES.test(first) || page === undefined)) {
      const [, known] = PAGE_OF.find(([form]) => form.test(first)) ?? [];
      return known === undefined ? [] : range(known, first, last);
    }
    return range(page ?? '', first, last);
  });
}

/** `W26–W33` is eight rows. */
function range(page: string, first: string, last: string | undefined): string[] {
  if (last === undefined) return [`${page}-${first}`];
  const letters = first.replace(/\d+$/, '');
  const [from, to] = [first, last].map((name) => Number(/\d+$/.exec(name)?.[0]));
  if (from === undefined || to === undefined || to < from) return [`${page}-${first}`];
  return Array.from({ length: to - from + 1 }, (_, index) => `${page}-${letters}${from + index}`);
}
