import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import type { ReportContents } from '../output/documents.ts';
import { tarOf } from './tar.ts';

/** Largest file, in characters: a log or a Canary with thousands of Events does not crowd out the rest. */
const LARGEST_FILE = 1_000_000;
/** Largest sum of all files, in characters. */
export const LARGEST_ARCHIVE = 20_000_000;
/** The folder that an archive unpacks into. */
const FOLDER = 'serin-report';

type Listed = ReportContents['files'][number];

/** The files of one report, up to a size that can be sent by mail. */
export class Archive {
  readonly #files = new Map<string, Omit<Listed, 'path'> & { text: string }>();
  readonly #largest: number;
  #size = 0;

  constructor(largest = LARGEST_ARCHIVE) {
    this.#largest = largest;
  }

  /** Its files, by path. */
  get listed(): Listed[] {
    return this.#sorted().map(([path, { text: _, ...rest }]) => ({ path, ...rest }));
  }

  /** Returns false if the archive is full, and leaves the file out. */
  add(path: string, says: string, whole: string): boolean {
    const cut = whole.length > LARGEST_FILE;
    const text = cut ? `${whole.slice(0, whole.lastIndexOf('\n', LARGEST_FILE))}\n` : whole;
    if (this.#size + text.length > this.#largest) return false;
    this.#size += text.length;
    this.#files.set(path, { bytes: Buffer.byteLength(text), says, text, ...(cut ? { cut } : {}) });
    return true;
  }

  /** A gzipped tar; `head` comes first. */
  bytes(head: ReadonlyMap<string, string>, modifiedMs: number): Buffer {
    const all: [string, string][] = [...head, ...this.#sorted().map(([path, { text }]): [string, string] => [path, text])];
    const files = all.map(([path, text]) => ({ path: `${FOLDER}/${path}`, bytes: Buffer.from(text) }));
    return gzipSync(tarOf(files, modifiedMs));
  }

  #sorted() {
    return [...this.#files].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Objects as YAML, one document each, and all else as JSON. Lines are not folded: a searched value must not be parted. */
export function fileText(path: string, content: string | object): string {
  if (typeof content === 'string') return content;
  if (!path.endsWith('.yaml')) return `${JSON.stringify(content, undefined, 2)}\n`;
  const objects: unknown[] = Array.isArray(content) ? content : [content];
  return objects.map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
}
