import { closeSync, type Dirent, opendirSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { MOST, megabytes, Spent } from './limits.ts';

/** A text with the name that findings have for it. */
export interface ManifestSource {
  name: string;
  /** Its path without links. */
  file: string;
  text: { content: string } | { unreadable: string };
}

/** The texts of files, of folders (their .yaml and .yml), and of `-`, the standard input. */
export function readSources(files: readonly string[], stdin: Buffer | undefined, spent: Spent = new Spent()): ManifestSource[] {
  // A file that is given by its name and by its folder is read once.
  const found = new Map<string, ManifestSource>();
  for (const file of files)
    for (const { name, read } of placesIn(file, stdin)) if (!found.has(name)) found.set(name, { name, ...sourceOf(name, read, spent) });
  return [...found.values()];
}

/** The bytes of a file or device, never more than a byte beyond the limit. */
export function readBounded(file: string | number, mostBytes: number = MOST.fileBytes): Buffer {
  const opened = typeof file === 'number' ? file : openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    let left = mostBytes + 1;
    while (left > 0) {
      const chunk = Buffer.allocUnsafe(Math.min(left, 65_536));
      const length = readSync(opened, chunk);
      if (length === 0) break;
      chunks.push(chunk.subarray(0, length));
      left -= length;
    }
    return Buffer.concat(chunks);
  } finally {
    if (typeof file !== 'number') closeSync(opened);
  }
}

/** The standard input, up to the size limit of a file. */
export async function readStdin(stream: AsyncIterable<Buffer> = process.stdin): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST.fileBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Where a text is found; `read` throws where it cannot be. */
interface Place {
  name: string;
  read: () => { file: string; bytes: Buffer } | { unreadable: string };
}

function* placesIn(file: string, stdin: Buffer | undefined): Generator<Place> {
  if (file === '-') return yield { name: 'stdin', read: () => ({ file, bytes: stdin ?? Buffer.alloc(0) }) };
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return yield* new Folder(file).places();
  yield { name: file || "''", read: () => ({ file: realpathSync(file), bytes: readBounded(file) }) };
}

/** A folder with its path as given: only regular files below it are read. */
class Folder {
  readonly #path: string;
  readonly #root: string;
  #files = 0;
  #entries = 0;

  constructor(path: string) {
    this.#path = path;
    this.#root = realpathSync(path);
  }

  *places(folder = this.#path): Generator<Place> {
    const entries = this.#entriesOf(folder);
    if ('unreadable' in entries) return yield { name: folder, read: () => entries };
    for (const entry of entries.found) {
      if (this.#files > MOST.files || this.#entries > MOST.entries) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* this.places(path);
      // A link to a folder is not followed: it may lead back to where it is.
      else if (/\.ya?ml$/.test(entry.name) && !isFolder(path)) yield this.#placeOf(path, entry);
    }
  }

  /** Sorted; one entry at a time, since a folder can hold any number of them. */
  #entriesOf(folder: string): { found: Dirent[] } | { unreadable: string } {
    const found: Dirent[] = [];
    try {
      const opened = opendirSync(folder);
      try {
        for (let entry = opened.readSync(); entry; entry = opened.readSync()) {
          this.#entries += 1;
          if (this.#entries > MOST.entries)
            return { unreadable: `${this.#path} has more than ${MOST.entries} entries; the rest is not read: name fewer folders` };
          found.push(entry);
        }
      } finally {
        opened.closeSync();
      }
    } catch (error) {
      return { unreadable: reasonOf(error) };
    }
    return { found: found.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  #placeOf(path: string, entry: Dirent): Place {
    this.#files += 1;
    if (this.#files > MOST.files) {
      const unreadable = `${this.#path} has more than ${MOST.files} manifests; the rest is not read: check fewer at a time`;
      return { name: path, read: () => ({ unreadable }) };
    }
    return {
      name: path,
      read: () => {
        const file = realpathSync(path);
        if (entry.isSymbolicLink() && !file.startsWith(this.#root.endsWith(sep) ? this.#root : this.#root + sep))
          return { unreadable: `is a link out of ${this.#path}: name the file itself, or a folder that has both` };
        if (!statSync(file).isFile()) return { unreadable: 'is not a regular file: remove it, or name the files without it' };
        return { file, bytes: readBounded(file) };
      },
    };
  }
}

function sourceOf(name: string, read: Place['read'], spent: Spent): Omit<ManifestSource, 'name'> {
  try {
    const found = read();
    return 'unreadable' in found ? { file: name, text: found } : { file: found.file, text: textOf(found.bytes, spent) };
  } catch (error) {
    return { file: name, text: { unreadable: reasonOf(error) } };
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // A link to itself: reading it says so.
    return false;
  }
};

/** Bytes that are not text would otherwise be read as a file without any of our objects. */
function textOf(bytes: Buffer, spent: Spent): ManifestSource['text'] {
  if (bytes.length > MOST.fileBytes) return { unreadable: `is larger than ${megabytes(MOST.fileBytes)}: split it, or leave it out` };
  spent.bytes += bytes.length;
  if (spent.bytes > MOST.bytes)
    return { unreadable: `is not read: the files of this run have more than ${megabytes(MOST.bytes)} together: check fewer at a time` };
  if (bytes.includes(0)) return { unreadable: 'is not UTF-8 text: save it as UTF-8, or leave it out' };
  return { content: bytes.toString('utf8') };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'does not exist: correct the path';
  if (code === 'EACCES' || code === 'EPERM') return 'is not readable: change its permissions';
  if (code === 'ELOOP') return 'is a link that leads to itself: remove it';
  return error instanceof Error ? error.message : String(error);
}
