/** A regular expression as a tree; `set` is one character, by its own source. */
export type RegexNode =
  | { kind: 'set'; source: string }
  | { kind: 'sequence'; nodes: readonly RegexNode[] }
  | { kind: 'choice'; nodes: readonly RegexNode[] }
  | { kind: 'repeat'; node: RegexNode; min: number; max: number }
  | { kind: 'assertion'; source: string }
  | { kind: 'look'; node: RegexNode }
  | { kind: 'backreference' };

const SET =
  /\\(?:u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[^bB1-9k])|\[(?:\\.|[^\]\\])*\]|[^\\[\]()|*+?{}^$]|[\]}]/uy;
const GROUP = /\((\?<?[=!]|\?:|\?<[A-Za-z_]\w*>)?/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;

/** The tree of a pattern that JavaScript accepts. */
export function parseRegex(source: string): RegexNode {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const choice = (): RegexNode => {
    const nodes = [sequence()];
    while (take(/\|/y)) nodes.push(sequence());
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'choice', nodes };
  };
  const sequence = (): RegexNode => {
    const nodes: RegexNode[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') nodes.push(repeated(atom()));
    return { kind: 'sequence', nodes };
  };
  const atom = (): RegexNode => {
    const group = take(GROUP);
    if (group) {
      const node = choice();
      if (!take(/\)/y)) throw new Error(`unclosed group in /${source}/`);
      return /^\?<?[=!]$/.test(group[1] ?? '') ? { kind: 'look', node } : node;
    }
    const assertion = take(/\^|\$|\\[bB]/y);
    if (assertion) return { kind: 'assertion', source: assertion[0] };
    if (take(/\\[1-9]\d*|\\k<[^>]*>/y)) return { kind: 'backreference' };
    const set = take(SET);
    if (set) return { kind: 'set', source: set[0] };
    throw new Error(`/${source}/ at ${at}: not understood`);
  };
  const repeated = (node: RegexNode): RegexNode => {
    const found = take(QUANTIFIER);
    if (!found) return node;
    const [, sign, least, comma, most] = found;
    if (sign) return { kind: 'repeat', node, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    return { kind: 'repeat', node, min: Number(least), max: comma ? Number(most || Number.POSITIVE_INFINITY) : Number(least) };
  };
  const tree = choice();
  if (at < source.length) throw new Error(`/${source}/ at ${at}: not understood`);
  return tree;
}
