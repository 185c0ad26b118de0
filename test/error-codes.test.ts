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

function codesInDocs(): string[] {
  const page = readFileSync(join(root, 'docs', 'error-codes.md'), 'utf8');
  return [...page.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code ?? '');
}

it('docs/error-codes.md lists the code of every error class, in order, and no other', () => {
  expect(codesInSource().length).toBeGreaterThan(4);
  expect(codesInDocs()).toEqual(codesInSource().toSorted());
});
