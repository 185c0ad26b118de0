import { relative } from 'node:path';
import type { Generate, GeneratedFile } from './generated-file.ts';
import { type Settled, settle } from './settle.ts';

export interface GenerateOptions {
  readonly root: string;
  readonly check: boolean;
  /** Faults to look for when all have run. */
  readonly faultsOf?: (files: ReadonlyMap<string, readonly GeneratedFile[]>) => readonly string[];
}

/** Runs the generators one after the other, and then writes all files or, after any failure, none; with `check` it only compares. */
export async function generateAll(
  generators: ReadonlyMap<string, () => Promise<Generate>>,
  { root, check, faultsOf = () => [] }: GenerateOptions,
): Promise<Settled> {
  const files = new Map<string, readonly GeneratedFile[]>();
  const faults: string[] = [];
  for (const [name, load] of generators) {
    try {
      const generate = await load();
      files.set(name, await generate());
    } catch (error) {
      faults.push(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  faults.push(...writtenTwice(files, root));
  // The inputs of a generator that failed are not known.
  if (faults.length === 0) faults.push(...faultsOf(files));
  if (faults.length > 0 && !check) return { written: [], faults };
  const settled = settle([...files.values()].flat(), { check, root });
  return { ...settled, faults: [...faults, ...settled.faults] };
}

function writtenTwice(files: ReadonlyMap<string, readonly GeneratedFile[]>, root: string): string[] {
  const writers = Map.groupBy(
    [...files].flatMap(([name, own]) => own.map(({ path }) => ({ name, path }))),
    ({ path }) => path,
  );
  return [...writers].flatMap(([path, by]) =>
    by.length > 1 ? [`${relative(root, path)} is written by ${by.map(({ name }) => name).join(' and ')}: one would undo the other`] : [],
  );
}
