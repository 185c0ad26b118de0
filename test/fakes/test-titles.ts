import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface TestTitle {
  /** From the root of the repository. */
  readonly file: string;
  readonly title: string;
}

const FOLDERS = ['src', 'test'];
/** Its titles are examples of titles. */
const OWN_TEST = 'test/conformance.test.ts';
/** A string literal that can be a title, or the part of a title that a table gives: it is on one line. */
const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g;

/** Every string literal of the tests and suites, and the note of every golden case, which is its title; read from the source: nothing is run. */
export function titlesOfTests(root: string): TestTitle[] {
  return [...titlesInSource(root), ...notesOfGoldens(root)];
}

function titlesInSource(root: string): TestTitle[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && (folder === 'test' || name.endsWith('.test.ts')))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  )
    .filter((file) => file !== OWN_TEST)
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const titles = (text.match(LITERAL) ?? []).map((literal) => literal.slice(1, -1).replaceAll(/\\(['"`])/g, '$1'));
      return titles.map((title) => ({ file, title }));
    });
}

const GOLDENS = 'test/golden';
const NOTE = /^note: (?:"([^"]+)"|'([^']+)'|(.+))$/m;

function notesOfGoldens(root: string): TestTitle[] {
  return readdirSync(join(root, GOLDENS), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.input.yaml'))
    .toSorted()
    .flatMap((name) => {
      const file = `${GOLDENS}/${name.replaceAll('\\', '/')}`;
      const [, double, single, plain] = NOTE.exec(readFileSync(join(root, file), 'utf8')) ?? [];
      const title = double ?? single ?? plain;
      return title === undefined ? [] : [{ file, title }];
    });
}
