import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ImportGraph, importGraph } from '../../scripts/import-graph.ts';
import { type Mutant, root } from './candidates.ts';
import type { Counted } from './counting-run.ts';
import { isBesideTheCode } from './unit-tests.ts';

/** Share of the time of all unit tests for a mutant's tests beyond the nearest. A share does not depend on how busy the machine is. */
const MOST_SHARE = 0.2;
/** Files that every mutant gets, however long they are. */
const FEWEST_FILES = 10;
/** Simulations of whole controllers and other long files come last. */
const LONG_SHARE = 0.005;
/** Files that only load the module of a mutant which runs while modules are loaded; those in its folder first. */
const MOST_LOADING = 40;

export interface Related {
  files: string[];
  /** All unit tests that come by the mutant; more than `files` where they would take too long. */
  all: number;
}

/** The unit tests that execute a mutant: its own test and tests that import it first, then by distance, the long ones last. */
export function relatedTests({ id, file: source }: Mutant, counted: readonly Counted[]): Related {
  const distances = testsAround(source);
  const isStatic = counted.some(({ loaded }) => loaded.includes(id));
  const byFile = new Map(counted.map((one) => [one.file, one]));
  // A test file that the counting run has not seen is new.
  const near = [...distances].filter(([file, distance]) => distance <= 1 || !byFile.has(file)).map(([file]) => file);
  const ran = counted.filter((one) => one.ran.includes(id) || one.loaded.includes(id)).map(({ file }) => file);
  const total = counted.reduce((sum, { seconds }) => sum + seconds, 0);
  const secondsOf = (file: string): number => byFile.get(file)?.seconds ?? 0;
  const stageOf = (file: string): number => {
    if ((distances.get(file) ?? 9) === 0) return 0;
    if (secondsOf(file) > total * LONG_SHARE) return 3;
    return (distances.get(file) ?? 9) <= 1 ? 1 : 2;
  };
  const inOrder = (files: Iterable<string>): string[] =>
    [...new Set(files)]
      .filter((file) => isBesideTheCode(file) && byFile.get(file)?.failed !== true && existsSync(join(root, file)))
      .sort((a, b) => stageOf(a) - stageOf(b) || (distances.get(a) ?? 9) - (distances.get(b) ?? 9) || secondsOf(a) - secondsOf(b));
  const isElsewhere = (file: string): number => Number(dirname(file) !== dirname(source));
  const loading = isStatic
    ? inOrder(distances.keys())
        .toSorted((a, b) => isElsewhere(a) - isElsewhere(b))
        .slice(0, MOST_LOADING)
    : [];
  const all = inOrder([...near, ...ran, ...loading]);
  let seconds = 0;
  const files = all.filter((file, place) => {
    if (stageOf(file) < 2 || place < FEWEST_FILES) return true;
    seconds += secondsOf(file);
    return seconds <= total * MOST_SHARE;
  });
  return { files, all: all.length };
}

let graph: ImportGraph | undefined;

/** Number of imports between a source and each test file that loads it; the test beside it, of any tier, is at 0. */
export function testsAround(source: string): Map<string, number> {
  graph ??= importGraph(root);
  const tests = [...graph.importersOf([source], ['load', 'lazy'])].filter(([file]) => file.endsWith('.test.ts'));
  return new Map(tests.map(([file, distance]) => [file, isOwnTest(file, source) ? 0 : distance]));
}

const isOwnTest = (file: string, source: string): boolean => file.replace(/(?:\.simulated|\.integration)?\.test\.ts$/, '.ts') === source;
