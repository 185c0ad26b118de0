import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A comment, the title of a test, a sentence of a page, or a string of code, on one line, with the place where it begins. */
export interface Prose {
  kind: 'comment' | 'title' | 'sentence' | 'string';
  file: string;
  line: number;
  text: string;
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/[^\n]*\n)+|(?<![:'"`\w\\])\/\/ [^\n]*/gm;
const TITLE = /(?:(?<!\.)\b(?:it|describe)(?:\.\w+)*|\]\))\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const SENTENCE = /[^.!?|\n]+(?:\.(?=[\w`*])[^.!?|\n]*|\n(?![\n|#>]|\s*[-*] )[^.!?|\n]+)*[.!?|\n]?/g;

/** Prose of a TypeScript file or a Markdown page, in the order in which it is read. Headings and code blocks of a page are no prose. */
export function proseIn(text: string, file: string): Prose[] {
  const at = (kind: Prose['kind'], index: number, words: string): Prose => ({
    kind,
    file,
    line: text.slice(0, index).split('\n').length,
    text: words.replace(/\s+/g, ' ').trim(),
  });
  if (file.endsWith('.md')) {
    const pages = text.replace(/^```[\s\S]*?^```|^#+ .*/gm, (block) => block.replace(/[^\n]/g, ' '));
    return [...pages.matchAll(SENTENCE)]
      .map((found) => at('sentence', found.index, found[0].replace(/^[\s#>*|-]+/, '')))
      .filter(({ text: words }) => /\w/.test(words));
  }
  const comments = [...text.matchAll(COMMENT)].flatMap((found) => {
    const words = found[0].replace(/^[ \t]*(?:\/\*+|\*+\/|\*+|\/\/+)/gm, ' ').replace(/\*+\/$/, ' ');
    return [at('comment', found.index + found[0].search(/\S/), words)];
  });
  const titles = [...text.matchAll(TITLE)].map((found) => at('title', found.index, found[2] ?? ''));
  return [...comments, ...titles].toSorted((a, b) => a.line - b.line);
}

/** Prose of a file, or of all TypeScript files and Markdown pages below a folder. */
export const proseBelow = (root: string, part: string): Prose[] => eachBelow(root, part, /\.(?:ts|md)$/, proseIn);

/** Result of `read` for a file, or for each file below a folder whose path matches, in their order. */
export function eachBelow(root: string, part: string, path: RegExp, read: (text: string, file: string) => Prose[]): Prose[] {
  const files = /\.\w+$/.test(part)
    ? [part]
    : readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }).map((found) => join(part, found));
  return files
    .filter((file) => path.test(file) && !file.includes('node_modules'))
    .toSorted()
    .flatMap((file) => read(readFileSync(join(root, file), 'utf8'), file));
}
