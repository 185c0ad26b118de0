import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesOf, generatedPatterns, hasHeader } from './generated-files.ts';

const root = join(import.meta.dirname, '..');

/**
 * Writes a generated file, or with `--check` on the command line fails the process when the committed one differs. A file without a line that
 * says who wrote it, as JSON has to be, must be listed in .gitattributes.
 */
export function writeOrCheck(path: string, text: string, source: string): void {
  writePartOrCheck(path, text, source);
  if (hasHeader(text) || listed().has(path)) return;
  console.error(
    `${relative(root, path)} is generated and does not say so: add a header, or its path to .gitattributes as linguist-generated`,
  );
  process.exitCode = 1;
}

/** The same of a file of which a few fields are generated, and the rest is written by hand. */
export function writePartOrCheck(path: string, text: string, source: string): void {
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else if (committed(path) !== text) {
    console.error(`${relative(root, path)} differs from ${source}: run npm run generate`);
    process.exitCode = 1;
  }
}

const listed = (): Set<string> => new Set(generatedPatterns(root).flatMap((pattern) => filesOf(pattern, root)));

function committed(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
