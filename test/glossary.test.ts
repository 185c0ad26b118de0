import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Banned words, with the words to write. A space matches any white space, a line end within a comment too. */
const banned: Record<string, string> = {
  'taken back': 'rolled back',
  'the established controller': 'Flagger',
  'goes home': 'is routed to the primary',
  'comes home': 'is routed to the primary',
  nobody: 'no one, or the subject that acts',
  somebody: 'another controller, another writer',
  whoever: 'a user who, every client that',
  anybody: 'anyone, or the subject that acts',
  'is no': 'is not a, must be',
  'is told': 'is reported, gets',
  'are told': 'are reported, get',
  'stands by itself': 'is independent',
  'way out': 'remedy',
  'is due to be asked': 'is due',
};

const root = join(import.meta.dirname, '..');
/** Parts that are done, as files or folders: add a part when its last such word is gone. */
const done = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'charts',
  'docs',
  'examples',
  'kustomize',
  'scripts',
  'site',
  ...readdirSync(join(root, 'src')).map((room) => `src/${room}`),
  'test',
];

/** Files within them that list the words. */
const listing: readonly string[] = ['test/glossary.test.ts'];

/** Made by a build, and no part of the repository. */
const BUILT = /^site\/(?:node_modules|dist|pages|\.vitepress\/(?:cache|\.temp))\//;

function filesIn(part: string): string[] {
  if (!statSync(join(root, part)).isDirectory()) return [part];
  return readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
    .map((path) => join(part, path))
    .filter((path) => !BUILT.test(path))
    .filter((path) => statSync(join(root, path)).isFile());
}

const GOOD = /^is no longer\b/i;

const patterns = Object.entries(banned).map(([words, write]) => ({
  words,
  write,
  pattern: new RegExp(`\\b${words.replaceAll(' ', '(?:\\s|\\*|//|#)+')}\\b`, 'gi'),
}));

function uses(text: string): { line: number; words: string; write: string }[] {
  return patterns.flatMap(({ words, write, pattern }) =>
    [...text.matchAll(pattern)]
      .filter(({ index }) => !GOOD.test(text.slice(index, index + 20)))
      .map(({ index }) => ({ line: text.slice(0, index).split('\n').length, words, write })),
  );
}

describe('the glossary', () => {
  it.each(done)('has no banned word in %s', (part) => {
    const files = filesIn(part).filter((file) => !listing.includes(file));
    const found = files.flatMap((file) =>
      uses(readFileSync(join(root, file), 'utf8')).map(({ line, words, write }) => `${file}:${line}: "${words}": write ${write}`),
    );
    expect(files).not.toEqual([]);
    expect(found).toEqual([]);
  });

  it.each([
    { text: 'Nobody answers', line: 1, words: 'nobody' },
    { text: '/**\n * It was taken\n * back.\n */', line: 2, words: 'taken back' },
    { text: '// The port is\n// no number', line: 1, words: 'is no' },
  ])('finds $words in $text', ({ text, line, words }) => expect(uses(text)).toMatchObject([{ line, words }]));

  it('takes words that only look like them', () => {
    expect(uses('the name is not open; this nobodyish port is no longer open; a stowaway outside')).toEqual([]);
  });
});
