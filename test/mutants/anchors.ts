import { type Node, nodeAt, nodesAt } from './syntax-tree.ts';

/** A place in the source that runs whenever the code of a mutant does, or a little more often. */
export interface Anchor {
  start: number;
  end: number;
  /** A listed statement takes a call in front of it; a statement without a block around it needs a block, and an expression a comma. */
  is: 'listed' | 'alone' | 'expression';
}

const isFunction = (node: Node | undefined): boolean => node !== undefined && /Function/.test(node.type);

/** Expressions that run on their own, or not at all. */
function isGuarded(node: Node, parent: Node): boolean {
  if (parent.type === 'ArrowFunctionExpression') return nodeAt(parent, 'body') === node && node.type !== 'BlockStatement';
  if (parent.type === 'ConditionalExpression') return nodeAt(parent, 'test') !== node;
  if (parent.type === 'LogicalExpression') return nodeAt(parent, 'right') === node;
  if (parent.type === 'AssignmentPattern') return nodeAt(parent, 'right') === node;
  return parent.type === 'PropertyDefinition' && nodeAt(parent, 'value') === node;
}

function isListed(node: Node, parent: Node): boolean {
  if (parent.type === 'BlockStatement' || parent.type === 'Program' || parent.type === 'StaticBlock') return true;
  return parent.type === 'SwitchCase' && nodesAt(parent, 'consequent').includes(node);
}

/** A statement without a block around it: `if (x) return;`. */
const isAlone = (node: Node, parent: Node): boolean =>
  /^(?:If|For|ForOf|ForIn|While|DoWhile)Statement$/.test(parent.type) && /Statement$/.test(node.type) && node.type !== 'BlockStatement';

/** The nearest place around a node where its run can be counted. */
export function anchorOf(node: Node, around: readonly Node[]): Anchor {
  let current = node;
  for (const parent of around) {
    const { start, end } = current;
    if (isGuarded(current, parent)) return { start, end, is: 'expression' };
    if (isListed(current, parent)) return { start, end, is: 'listed' };
    if (isAlone(current, parent)) return { start, end, is: 'alone' };
    // The block of a function: its first statement runs whenever the function does.
    const [first] = current.type === 'BlockStatement' && isFunction(parent) ? nodesAt(current, 'body') : [];
    if (first) return { start: first.start, end: first.end, is: 'listed' };
    current = parent;
  }
  return { start: current.start, end: current.end, is: 'listed' };
}

/** The source with a call of `__ran(number)` at each anchor. */
export function withCounters(source: string, anchors: ReadonlyMap<number, Anchor>): string {
  const inserts: { at: number; text: string; length: number }[] = [];
  for (const [number, { start, end, is }] of anchors) {
    const call = `globalThis.__ran?.(${number})`;
    const [before, after] = { listed: [`${call};`, ''], alone: [`{${call};`, '}'], expression: [`(${call},(`, '))'] }[is];
    inserts.push({ at: start, text: before ?? '', length: end - start });
    if (after) inserts.push({ at: end, text: after, length: start - end });
  }
  // Order at one place: first the inserts that end there, the shorter first; then the inserts that begin there, the longer first.
  inserts.sort((a, b) => a.at - b.at || Number(a.length > 0) - Number(b.length > 0) || b.length - a.length);
  let [counted, from] = ['', 0];
  for (const { at, text } of inserts) {
    counted += source.slice(from, at) + text;
    from = at;
  }
  return counted + source.slice(from);
}
