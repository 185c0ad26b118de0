import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A module of the repository reads or lists a path of the repository, or looks whether it exists. */
export interface Read {
  readonly module: string;
  readonly path: string;
  readonly isListing: boolean;
}

/** A module of the repository imports another one. */
export interface Load {
  readonly module: string;
  readonly imported: string;
}

export interface Observed {
  readonly reads: readonly Read[];
  readonly loads: readonly Load[];
}

/** The module of a read that no module of the repository has on the stack: a package reads it later. */
export const UNKNOWN = 'a package';

const READING = ['readFile', 'stat', 'lstat', 'access', 'open', 'realpath', 'createReadStream', 'exists'] as const;
const LISTING = ['readdir', 'opendir', 'glob'] as const;

let note: ((path: unknown, isListing: boolean) => void) | undefined;

/** Reports files that another process has read, which cannot be observed. */
export function noteReads(paths: readonly string[]): void {
  for (const path of paths) note?.(path, false);
}

/**
 * Observes what the modules below `root` read and import, until the function that it returns is called. It replaces the functions of node:fs, so that no reader has to report
 * anything. A read belongs to the innermost module of the repository on the stack.
 */
export function observe(root: string): () => Observed {
  const reads = new Map<string, Read>();
  const loads = new Map<string, Load>();
  const base = `${pathToFileURL(root).href}/`;
  const own = import.meta.url;

  /** Undefined outside of the repository, and for packages. */
  const within = (url: string): string | undefined => {
    if (!url.startsWith(base) || url.includes('/node_modules/')) return undefined;
    const path = relative(root, fileURLToPath(url));
    return path === '' ? '.' : path;
  };
  const caller = (): string | undefined => {
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = 60;
    const { stack = '' } = new Error();
    Error.stackTraceLimit = before;
    const frames = stack.split('\n').filter((line) => line.trim().startsWith('at ') && !line.includes(own));
    // It reads modules, which the hook below sees.
    if (frames[0]?.includes('node:internal/modules/')) return undefined;
    for (const frame of frames) {
      const [url] = /file:\/\/[^\s)]+?(?=:\d+:\d+)/.exec(frame) ?? [];
      const module = url === undefined ? undefined : within(url);
      if (module !== undefined) return module;
    }
    return UNKNOWN;
  };

  note = (path, isListing) => {
    const target = within(path instanceof URL ? path.href : pathToFileURL(String(path)).href);
    const module = target === undefined ? undefined : caller();
    if (target !== undefined && module !== undefined) reads.set(`${module} ${target} ${isListing}`, { module, path: target, isListing });
  };
  const restore = replaceReaders();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const module = context.parentURL === undefined ? undefined : within(context.parentURL);
      const imported = within(resolved.url);
      if (module !== undefined && imported !== undefined) loads.set(`${module} ${imported}`, { module, imported });
      return resolved;
    },
  });
  return () => {
    note = undefined;
    restore();
    hooks.deregister();
    return { reads: [...reads.values()], loads: [...loads.values()] };
  };
}

/** Has each function of node:fs that reads, with callback, promise or neither, tell `note` its path. */
function replaceReaders(): () => void {
  const undo: (() => void)[] = [];
  const replace = (functions: object, name: string, isListing: boolean): void => {
    const original: unknown = Reflect.get(functions, name);
    if (typeof original !== 'function') return;
    Reflect.set(functions, name, (...args: unknown[]) => {
      // A descriptor of a file was opened before, and the folder of a glob is an option.
      const [path] = args;
      if (name.startsWith('glob')) note?.(globFolder(args), true);
      else if (typeof path !== 'number') note?.(path, isListing);
      return Reflect.apply(original, functions, args);
    });
    undo.push(() => Reflect.set(functions, name, original));
  };
  for (const name of READING) for (const each of [name, `${name}Sync`]) replace(fs, each, false);
  for (const name of LISTING) for (const each of [name, `${name}Sync`]) replace(fs, each, true);
  for (const name of READING) replace(fs.promises, name, false);
  for (const name of LISTING) replace(fs.promises, name, true);
  syncBuiltinESMExports();
  return () => {
    for (const step of undo) step();
    syncBuiltinESMExports();
  };
}

function globFolder([, options]: readonly unknown[]): unknown {
  const folder: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, 'cwd') : undefined;
  return folder ?? process.cwd();
}
