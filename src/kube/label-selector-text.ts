import type { Labels } from '../api/kube-object.ts';

export type LabelTest = (labels: Labels) => boolean;

/**
 * A label selector as kubectl takes it, equality and set based: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. An empty one matches
 * everything. `unreadable` is the part that is none.
 */
export function parseLabelSelector(text: string): { matches: LabelTest } | { unreadable: string } {
  const parts = splitOutsideParentheses(text);
  const tests = parts.map(testOf);
  const at = tests.indexOf(undefined);
  if (at >= 0) return { unreadable: parts[at] ?? '' };
  return { matches: (labels) => tests.every((test) => test?.(labels)) };
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[][] = [];
  let isOpen = false;
  for (const piece of text.split(',')) {
    if (isOpen) parts.at(-1)?.push(piece);
    else parts.push([piece]);
    if (/[()]/.test(piece)) isOpen = piece.lastIndexOf('(') > piece.lastIndexOf(')');
  }
  return parts.map((pieces) => pieces.join(',').trim()).filter((part) => part !== '');
}

function testOf(text: string): LabelTest | undefined {
  const set = /^([^\s!=()]+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', verb, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return verb === 'in'
      ? (labels) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? '')
      : (labels) => !Object.hasOwn(labels, key) || !values.includes(labels[key] ?? '');
  }
  const compared = /^([^\s!=()<>]+)\s*(==|=|!=|>|<)\s*([^\s=!()<>]*)$/.exec(text);
  if (compared !== null) {
    const [, key = '', operator, value = ''] = compared;
    if (operator === '!=') return (labels) => labels[key] !== value;
    if (operator === '>') return (labels) => Number(labels[key]) > Number(value);
    if (operator === '<') return (labels) => Number(labels[key]) < Number(value);
    return (labels) => labels[key] === value;
  }
  const existence = /^(!?)\s*([^\s!=()<>]+)$/.exec(text);
  if (existence === null) return undefined;
  const [, not, key = ''] = existence;
  return (labels) => Object.hasOwn(labels, key) === (not === '');
}
