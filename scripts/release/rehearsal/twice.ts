import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recorded } from './recorded.ts';

/** Which files of a release, and its image, have the same bytes in two folders that it was made in. */
export function comparedBuilds(one: string, other: string): Recorded['twice'] {
  const files = [...new Set([...readdirSync(one), ...readdirSync(other)])].toSorted();
  const isSame = (file: string): boolean => bytesOf(one, file).equals(bytesOf(other, file));
  const image = join('..', 'image.json');
  const parts = [...files.map((file) => ({ name: file, isSame: isSame(file) })), { name: 'the image', isSame: isSame(image) }];
  return {
    same: parts.filter((part) => part.isSame).map(({ name }) => name),
    different: parts.filter((part) => !part.isSame).map(({ name }) => name),
  };
}

function bytesOf(folder: string, file: string): Buffer {
  try {
    return readFileSync(join(folder, file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  }
}
