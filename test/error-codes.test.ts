import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Codes of the error classes: constants in the body of a class, one a class. */
function codesInSource(): string[] {
  const src = join(root, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/^ {2}readonly code = '([A-Z_]+)';$/gm)].map(([, code]) => code ?? ''),
  );
}

function codesInReadme(): string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const section = readme.split('\n## Error codes\n')[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code ?? '');
}

it('the README lists the code of every error class, in order, and no other', () => {
  expect(codesInSource().length).toBeGreaterThan(4);
  expect(codesInReadme()).toEqual(codesInSource().toSorted());
});
