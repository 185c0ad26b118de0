/** `W12`, `R-T2`, or a section, `15.1.4`; a small letter after it names a part of the rule. */
const ID = String.raw`(?:(?:[A-Z]-)?[A-Z]{1,2}\d+|\d+(?:\.\d+)*)`;
const FIRST = String.raw`(?<![\w.+:-])0[1-7]-${ID}[a-z]?(?![\w])`;
/** Ids that follow in a list; sections repeat their page. */
const NEXT = String.raw`(?:[–]|, | and )(?:0[1-7]-${ID}|(?:[A-Z]-)?(?!DF\d)[A-Z]{1,2}\d+)[a-z]?(?!\w)`;
const CITATION = new RegExp(`${FIRST}(?:${NEXT})*`, 'g');
/** Rules of the engine and invariants have no page: among the ids of a page they name themselves. */
const OWN_RULE = /^[EDI]\d/;

/**
 * The rules that a text cites, each as `03-W12`. A citation names the page once for its whole list: `03-W12, B28` is two rules, and
 * `03-W26–W33` is eight.
 */
export function citedRules(text: string): string[] {
  return [...new Set([...text.matchAll(CITATION)].flatMap(([list]) => rulesOfList(list)))];
}

function rulesOfList(list: string): string[] {
  let page = '';
  return list.split(/, | and /).flatMap((item) => {
    const [first = '', last] = item.split('–').map((name) => name.replace(/[a-z]$/, ''));
    const own = /^0[1-7](?=-)/.exec(first)?.[0];
    if (own === undefined && OWN_RULE.test(first)) return [];
    page = own ?? page;
    const id = first.replace(/^0[1-7]-/, '');
    return last === undefined ? [`${page}-${id}`] : range(page, id, last.replace(/^0[1-7]-/, ''));
  });
}

function range(page: string, first: string, last: string): string[] {
  const letters = first.replace(/\d+$/, '');
  const [from = 0, to = 0] = [first, last].map((name) => Number(/\d+$/.exec(name)?.[0]));
  return Array.from({ length: Math.max(to - from, 0) + 1 }, (_, index) => `${page}-${letters}${from + index}`);
}
