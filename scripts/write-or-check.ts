import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Writes a generated file, or with `--check` on the command line fails the process when the committed one differs. */
export function writeOrCheck(path: string, text: string, source: string): void {
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else if (committed(path) !== text) {
    console.error(`${relative(root, path)} differs from ${source}: run npm run generate`);
    process.exitCode = 1;
  }
}

function committed(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
