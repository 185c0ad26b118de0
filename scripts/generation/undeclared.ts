import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ImportGraph } from '../import-graph.ts';
import type { GeneratedFile } from './generated-file.ts';
import { type Observed, type Read, UNKNOWN } from './observe.ts';
import type { Tables } from './tables.ts';
import { loadedWith, matches, moduleOf } from './touched.ts';

const TABLE = 'scripts/generation/tables.ts';

export interface Ran {
  readonly root: string;
  /** By generator. */
  readonly files: ReadonlyMap<string, readonly GeneratedFile[]>;
  readonly observed: Observed;
}

/** Files that the generators have read, imported or written and that the tables do not list, so that a change would go unseen. */
export function undeclared({ root, files, observed }: Ran, graph: ImportGraph, tables: Tables): string[] {
  const loadedBy = new Map([...files.keys()].map((generator) => [generator, loadedWith(moduleOf(generator), graph, tables)]));
  const usersOf = (module: string): string =>
    [...loadedBy].flatMap(([generator, loaded]) => (loaded.has(module) ? [generator] : [])).join(', ') || 'a generator';
  // Modules that no generator loads are those of the run itself. Node also reads modules, some of them later.
  const isOfGenerator = ({ module }: { module: string }) => [...loadedBy.values()].some((loaded) => loaded.has(module));
  const modules = new Set(observed.loads.map(({ imported }) => imported));
  const reads = observed.reads
    .filter(isOfGenerator)
    .filter((read) => !isDeclared(read, graph, tables))
    .map(
      ({ module, path, isListing }) =>
        `${usersOf(module)}: ${module} ${isListing ? 'lists' : 'reads'} ${path}: add it to reads of '${module}' in ${TABLE}`,
    );
  const readsOfPackages = observed.reads
    .filter(({ module, path }) => module === UNKNOWN && !modules.has(path))
    .map(({ path }) => `${path} is read by a package, out of sight of ${TABLE}: read it in a module of the generator`);
  const loads = observed.loads
    .filter(isOfGenerator)
    .filter(({ module, imported }) => !graph.importsOf(module, ['load']).includes(imported))
    .filter(({ module, imported }) => !matches(imported, tables.inputs[module]?.loads ?? []))
    .map(({ module, imported }) => `${usersOf(module)}: ${module} imports ${imported} late: add it to loads of '${module}' in ${TABLE}`);
  const writes = [...files].flatMap(([generator, own]) =>
    own
      .map(({ path }) => relative(root, path))
      .filter((path) => !matches(path, tables.writes[generator] ?? []))
      .map((path) => `${generator} writes ${path}: add it to writes of '${generator}' in ${TABLE}`),
  );
  return [...reads, ...readsOfPackages, ...loads, ...writes, ...crossings({ root, files, observed }, loadedBy, tables)];
}

/** A folder can be listed where a pattern begins with it: only some files in it count. */
function isDeclared({ module, path, isListing }: Read, graph: ImportGraph, tables: Tables): boolean {
  const { reads = [], loads = [] } = tables.inputs[module] ?? {};
  const patterns = [...reads, ...loads];
  if (isListing) return patterns.some((pattern) => mayList(path, pattern));
  return matches(path, patterns) || loadedWith(module, graph, tables).has(path);
}

function mayList(folder: string, pattern: string): boolean {
  const fixed = pattern.split('/').slice(0, -1);
  const glob = fixed.findIndex((part) => /[*{]/.test(part));
  const base = (glob < 0 ? fixed : fixed.slice(0, glob)).join('/');
  return folder === base || (pattern.includes('**') && folder.startsWith(`${base}/`));
}

/**
 * No generator may use what another one writes: it would see the text of before. It has to import the function that makes it. Of a file that is
 * generated in part, the others read the other part.
 */
function crossings(
  { root, files, observed }: Ran,
  loadedBy: ReadonlyMap<string, ReadonlySet<string>>,
  { carried, before = [] }: Tables,
): string[] {
  const written = [...files].flatMap(([writer, own]) =>
    own.flatMap((file) => (file.isPart ? [] : [[writer, relative(root, file.path)] as const])).filter(([, path]) => !matches(path, before)),
  );
  return written.flatMap(([writer, path]) =>
    [...loadedBy].flatMap(([reader, loaded]) => {
      const isRead = observed.reads.some((read) => read.path === path && loaded.has(read.module));
      return reader !== writer && (isRead || (loaded.has(path) && !matches(path, carried)))
        ? [`${reader} uses ${path}, which ${writer} writes: it sees the text of before`]
        : [];
    }),
  );
}

/** Patterns that match no file any more. Only a run of all generators shows them. */
export function unused({ root, files, observed }: Ran, tables: Tables): string[] {
  const writes = Object.entries(tables.writes).flatMap(([generator, patterns]) => {
    const written = (files.get(generator) ?? []).map(({ path }) => relative(root, path));
    return patterns
      .filter((pattern) => !written.some((path) => matches(path, [pattern])))
      .map((pattern) => `writes of '${generator}': ${pattern}`);
  });
  const inputs = Object.entries(tables.inputs).flatMap(([module, { reads = [], loads = [] }]) => {
    const used = [
      ...observed.reads.flatMap((read) => (read.module === module ? [read.path] : [])),
      ...observed.loads.flatMap((load) => (load.module === module ? [load.imported] : [])),
    ];
    return [...reads, ...loads]
      .filter((pattern) => !used.some((path) => matches(path, [pattern])))
      .map((pattern) => `inputs of '${module}': ${pattern}`);
  });
  return [...writes, ...inputs].map((what) => `${TABLE}: remove what nothing uses: ${what}`);
}

/** Generators that the tables do not have, so that they never run. */
export function unlisted(root: string, { writes }: Tables): string[] {
  const generators = readdirSync(join(root, 'scripts')).flatMap((file) => /^(generate-.*)\.ts$/.exec(file)?.slice(1) ?? []);
  return generators
    .filter((generator) => !Object.hasOwn(writes, generator))
    .map((generator) => `scripts/${generator}.ts never runs: add it to writes in ${TABLE}`);
}
