import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

/** The files of a gzipped tar, by path; a header that is not as POSIX has it is an error. */
export function untar(archive: Buffer): Map<string, string> {
  const tar = gunzipSync(archive);
  const files = new Map<string, string>();
  for (let at = 0; at < tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    const text = (from: number, length: number) => header.toString('utf8', from, from + length).replace(/\0.*$/s, '');
    const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
    if (Number.parseInt(text(148, 8), 8) !== sum || text(257, 6) !== 'ustar') throw new Error(`no header of a tar at ${at}`);
    const size = Number.parseInt(text(124, 12), 8);
    const path = [text(345, 155), text(0, 100)].filter(Boolean).join('/');
    files.set(path, tar.toString('utf8', at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error('the archive has no end');
}
