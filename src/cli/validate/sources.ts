import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A text with the name that findings have for it. */
export interface Source {
  name: string;
  /** Its path without links. */
  file: string;
  text: { content: string } | { unreadable: string };
}

/** The texts of files, of folders (their .yaml and .yml), and of `-`, the standard input. */
export function readSources(files: readonly string[], stdin: Buffer | undefined): Source[] {
  const found = files.flatMap((file) => sourcesOf(file, stdin));
  // A file that is given by its name and by its folder is read once.
  return [...new Map(found.map((source) => [source.name, source])).values()];
}

function sourcesOf(file: string, stdin: Buffer | undefined): Source[] {
  if (file === '-') return [{ name: 'stdin', file, text: textOf(stdin ?? Buffer.alloc(0)) }];
  try {
    if (!statSync(file).isDirectory()) return [{ name: file, file: realpathSync(file), text: textOf(readFileSync(file)) }];
    return manifestsIn(file).flatMap((each) => sourcesOf(each, stdin));
  } catch (error) {
    return [{ name: file || "''", file, text: { unreadable: reasonOf(error) } }];
  }
}

/** A link to a folder is not followed: it may lead back to where it is. */
function manifestsIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return manifestsIn(path);
    const isManifest = /\.ya?ml$/.test(entry.name) && (entry.isFile() || (entry.isSymbolicLink() && !isFolder(path)));
    return isManifest ? [path] : [];
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Bytes that are not text would otherwise be read as a file without any of our objects. */
function textOf(bytes: Buffer): Source['text'] {
  if (bytes.includes(0)) return { unreadable: 'is not UTF-8 text: save it as UTF-8, or leave it out' };
  return { content: bytes.toString('utf8') };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'does not exist: correct the path';
  if (code === 'EACCES' || code === 'EPERM') return 'is not readable: change its permissions';
  return error instanceof Error ? error.message : String(error);
}
