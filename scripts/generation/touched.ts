import { join, matchesGlob } from 'node:path';
import { type ImportGraph, importGraph, steps } from '../import-graph.ts';
import { tables as ours, type Tables } from './tables.ts';

const root = join(import.meta.dirname, '..', '..');

/** Inputs of all generators: packages, the rule on headers, and the machinery itself. */
const ALL_USE = ['package-lock.json', '.gitattributes', 'scripts/generate.ts', 'scripts/generation/*.ts', 'scripts/generated-files.ts'];

export const matches = (file: string, patterns: readonly string[]): boolean => patterns.some((pattern) => matchesGlob(file, pattern));

export const moduleOf = (generator: string): string => `scripts/${generator}.ts`;

/** Modules that a module imports or bundles, in one or more steps, and itself. Late imports count where the table has them: most are of commands that no generator runs. */
export function loadedWith(module: string, graph: ImportGraph, { inputs }: Tables): ReadonlySet<string> {
  const next = (file: string) => {
    const loads = inputs[file]?.loads;
    return [...graph.importsOf(file, ['load']), ...(loads ? graph.files.filter((one) => matches(one, loads)) : [])];
  };
  return new Set(steps([module], next).keys());
}

/** Generators with a changed input or output, by the name of their file. `changed` has paths from the root; deleted and new files count. */
export function generatorsTouchedBy(changed: readonly string[], graph: ImportGraph = importGraph(root), tables: Tables = ours): string[] {
  if (changed.some((file) => matches(file, ALL_USE))) return Object.keys(tables.writes);
  return Object.entries(tables.writes).flatMap(([generator, writes]) => {
    const loaded = loadedWith(moduleOf(generator), graph, tables);
    const patterns = [
      ...writes,
      ...[...loaded].flatMap((module) => [...(tables.inputs[module]?.reads ?? []), ...(tables.inputs[module]?.loads ?? [])]),
    ];
    return changed.some((file) => loaded.has(file) || matches(file, patterns)) ? [generator] : [];
  });
}
