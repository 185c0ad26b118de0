/** One file of a tar archive. */
export interface TarFile {
  /** With `/` between its parts, of at most 100 characters each. */
  path: string;
  bytes: Buffer;
}

const BLOCK = 512;
const NAME = 100;
const PREFIX = 155;
/** Readable and writable only by its owner. */
const MODE = 0o600;

/** A tar archive of plain files. Source of the fields and their places: POSIX.1-1988, ustar interchange format. */
export function tarOf(files: readonly TarFile[], modifiedMs: number): Buffer {
  const entries = files.flatMap(({ path, bytes }) => [header(path, bytes.length, modifiedMs), bytes, Buffer.alloc(padding(bytes.length))]);
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

function header(path: string, size: number, modifiedMs: number): Buffer {
  const { name, prefix } = split(path);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) => block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  block.write(name, 0, 'utf8');
  octal(MODE, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.floor(modifiedMs / 1000), 136, 11);
  block.write('0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(prefix, 345, 'utf8');
  // The sum is taken with blanks in its own place.
  block.write(' '.repeat(8), 148, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Splits a long path into two fields, at a `/`. */
function split(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= NAME) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= NAME && Buffer.byteLength(prefix) <= PREFIX) return { name, prefix };
  }
  throw new RangeError(`the path ${path} is too long for a tar archive`);
}
