import { readFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';
import { generatedPatterns, hasHeader } from '../generated-files.ts';
import type { Generate, GeneratedFile } from './generated-file.ts';
import { writeAll } from './write-all.ts';

const repository = join(import.meta.dirname, '..', '..');

export interface Settled {
  /** Files that were written: those whose text has changed. */
  readonly written: readonly string[];
  /** Sentences. With one of them nothing is written. */
  readonly faults: readonly string[];
}

/** Writes the files that have changed, or with `check` says which committed ones differ. */
export function settle(files: readonly GeneratedFile[], { check, root = repository }: { check: boolean; root?: string }): Settled {
  const changed = files.filter(({ path, text }) => committed(path) !== text);
  const faults = [
    ...unlabelled(files, root),
    ...(check ? changed.map(({ path, source }) => `${relative(root, path)} differs from ${source}: run npm run generate`) : []),
  ];
  if (check || faults.length > 0) return { written: [], faults };
  writeAll(changed);
  return { written: changed.map(({ path }) => relative(root, path)), faults };
}

/** A file without a line that says who wrote it, as JSON has to be, must be listed in .gitattributes. */
function unlabelled(files: readonly GeneratedFile[], root: string): string[] {
  const bare = files.flatMap(({ path, text, isPart }) => (isPart || hasHeader(text) ? [] : [relative(root, path)]));
  const patterns = bare.length > 0 ? generatedPatterns(root) : [];
  return bare
    .filter((path) => !patterns.some((pattern) => matchesGlob(path, pattern)))
    .map((path) => `${path} is generated and does not say so: add a header, or its path to .gitattributes as linguist-generated`);
}

function committed(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A generator run by itself: `node scripts/generate-crds.ts`, with `--check` or without. */
export async function runAlone(generate: Generate): Promise<void> {
  const { written, faults } = settle(await generate(), { check: process.argv.includes('--check') });
  for (const path of written) console.log(`wrote ${path}`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
