import { parseSync, Visitor } from 'vite';
import type { Prose } from './prose.ts';

const FEWEST_WORDS = 2;

/** Messages, help texts and descriptions of a TypeScript file: its string literals with some words. A value in a template is `…`. */
export function stringsIn(text: string, file: string): Prose[] {
  const found: Prose[] = [];
  const add = (index: number, words: string): void => {
    if (words.split(/\s+/).filter((word) => /[a-z]{2}/i.test(word)).length < FEWEST_WORDS) return;
    found.push({ kind: 'string', file, line: text.slice(0, index).split('\n').length, text: words.replace(/\s+/g, ' ').trim() });
  };
  const visitor = new Visitor({
    Literal({ value, start }) {
      if (typeof value === 'string') add(start, value);
    },
    TemplateLiteral({ quasis, start }) {
      add(start, quasis.map(({ value }) => value.cooked ?? value.raw).join('…'));
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}
