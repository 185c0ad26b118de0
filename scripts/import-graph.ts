import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/**
 * `load`: a module that is loaded together with the file. `lazy`: a module that it can load later, by `import()`, `require()` or a mock. `path`: a file that it
 * names by its place, to read or to run it. `type`: erased before anything runs.
 */
export type ImportKind = 'load' | 'lazy' | 'path' | 'type';

/** Everything that can change the effect of a file; only tsc checks types. */
const ALL_BUT_TYPES: readonly ImportKind[] = ['load', 'lazy', 'path'];

/** Files and their relative imports. All paths are those from the root, with `/`. A file that was deleted is known as long as another one imports it. */
export interface ImportGraph {
  /** Every source file. */
  readonly files: readonly string[];
  importsOf(file: string, kinds?: readonly ImportKind[]): readonly string[];
  /** These files, and all that they import in one or more steps, with the fewest steps to each. */
  reachedFrom(files: Iterable<string>, kinds?: readonly ImportKind[]): ReadonlyMap<string, number>;
  /** These files, and all that import them in one or more steps, with the fewest steps to each. */
  importersOf(files: Iterable<string>, kinds?: readonly ImportKind[]): ReadonlyMap<string, number>;
}

interface Import {
  readonly kind: ImportKind;
  readonly file: string;
}

const FOLDERS = ['src', 'test', 'scripts'];
const SOURCE = /\.tsx?$/;

/** Reads the imports of src, test, scripts and the files beside them, by their text: it takes less than a second, and nothing is run. */
export function importGraph(root: string, folders: readonly string[] = FOLDERS): ImportGraph {
  const files = [
    ...readdirSync(root),
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
    ),
  ].filter((file) => SOURCE.test(file));
  const imports = new Map(files.map((file) => [file, importsIn(readFileSync(join(root, file), 'utf8'), file)]));
  const importers = new Map<string, Import[]>();
  for (const [file, own] of imports)
    for (const { kind, file: target } of own) {
      const known = importers.get(target);
      if (known) known.push({ kind, file });
      else importers.set(target, [{ kind, file }]);
    }
  const next = (edges: ReadonlyMap<string, readonly Import[]>, kinds: readonly ImportKind[]) => (file: string) => [
    ...new Set((edges.get(file) ?? []).flatMap((one) => (kinds.includes(one.kind) ? [one.file] : []))),
  ];
  return {
    files,
    importsOf: (file, kinds = ALL_BUT_TYPES) => next(imports, kinds)(file),
    reachedFrom: (from, kinds = ALL_BUT_TYPES) => steps(from, next(imports, kinds)),
    importersOf: (from, kinds = ALL_BUT_TYPES) => steps(from, next(importers, kinds)),
  };
}

/** All that can be reached, and in how many steps. */
export function steps(from: Iterable<string>, next: (file: string) => readonly string[]): Map<string, number> {
  const distances = new Map([...from].map((file) => [file, 0]));
  // A Map shows what is added while it is walked.
  for (const [file, distance] of distances) for (const other of next(file)) if (!distances.has(other)) distances.set(other, distance + 1);
  return distances;
}

const QUOTED = `(['"\`])(\\.[^'"\`\\n]*)\\1`;
const FROM = new RegExp(`\\bfrom\\s*${QUOTED}`, 'g');
const FOR_EFFECT = new RegExp(`^import\\s*${QUOTED}`, 'gm');
const LAZY = new RegExp(
  `\\b(?:import|require|vi\\.(?:mock|doMock|importActual|importMock))(?:<[^(]*>)?\\(\\s*(?:/\\*.*?\\*/\\s*)?${QUOTED}`,
  'g',
);
const URL_OF = new RegExp(`\\bnew URL\\(\\s*${QUOTED}`, 'g');
const BESIDE = /\bjoin\(\s*import\.meta\.dirname,((?:\s*(['"])[^'"\n]*\2,?)+)\s*\)/g;
const HAS_EXTENSION = /\.\w+$/;

/** Relative imports in the text of a file. An import in a comment or a string also counts: one superfluous look at a file does no harm. */
export function importsIn(text: string, file: string): readonly Import[] {
  const found: Import[] = [];
  const add = (kind: ImportKind, specifier: string) => {
    if (!specifier.includes('${')) found.push({ kind, file: normalize(join(dirname(file), specifier)).replaceAll('\\', '/') });
  };
  for (const { index, 2: specifier = '' } of text.matchAll(FROM)) add(isOfTypes(text, index) ? 'type' : 'load', specifier);
  for (const [, , specifier = ''] of text.matchAll(FOR_EFFECT)) add('load', specifier);
  for (const [, , specifier = ''] of text.matchAll(LAZY)) add('lazy', specifier);
  const places = [
    ...[...text.matchAll(URL_OF)].map(([, , place = '']) => place),
    ...[...text.matchAll(BESIDE)].map(([, parts = '']) => [...parts.matchAll(/(['"])(.*?)\1/g)].map(([, , part]) => part).join('/')),
  ];
  for (const place of places) if (HAS_EXTENSION.test(place)) add('path', place);
  return found;
}

/** Tests if the `from` at this place ends an `import type` or `export type`. */
function isOfTypes(text: string, from: number): boolean {
  const start = Math.max(text.lastIndexOf('\nimport ', from), text.lastIndexOf('\nexport ', from)) + 1;
  return /^(?:import|export) type\b/.test(text.slice(start, start + 12));
}
