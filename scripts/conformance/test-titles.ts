import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TestTitle {
  /** From the root of the repository. */
  readonly file: string;
  readonly title: string;
}

const FOLDERS = ['src', 'test'];
/** Its titles are examples of titles. */
const OWN_TEST = 'test/conformance.test.ts';
/** A string literal that can be a title, or the part of one that a table gives: it stands in one line. */
const LITERAL = /'(?:[^'\\\n]|\\.)+'|"(?:[^"\\\n]|\\.)+"|`(?:[^`\\\n]|\\.)+`/g;

/** Every string literal of the tests and suites, read from the source: nothing is run. */
export function titlesOfTests(root: string): TestTitle[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && (folder === 'test' || name.endsWith('.test.ts')))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  )
    .filter((file) => file !== OWN_TEST)
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const titles = (text.match(LITERAL) ?? []).map((literal) => literal.slice(1, -1));
      return [...titles, ...quotedRows(text)].map((title) => ({ file, title }));
    });
}

/** Where a title is `06-$row: …`, the table beside it names its rows without their page. */
function quotedRows(text: string): string[] {
  const page = /(0[1-7]-)\$row\b/.exec(text)?.[1];
  return page === undefined ? [] : [...text.matchAll(/\brow: '([^']+)'/g)].map((match) => `${page}${match[1]}`);
}
