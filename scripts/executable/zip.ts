import { crc32, deflateRawSync } from 'node:zlib';

export interface ZippedFile {
  name: string;
  bytes: Buffer;
  /** Mode in the form of chmod. */
  mode: number;
}

/** 1980-01-01, the first possible day: the same files give the same archive. */
const DAY = 0x21;
const DEFLATED = 8;
const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;

/** A zip archive of plain files with ASCII names. Source: PKWARE's APPNOTE.TXT, 4.3.7, 4.3.12 and 4.3.16. */
export function zipOf(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, mode } of files) {
    const packed = deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(VERSION, 0);
    shared.writeUInt16LE(DEFLATED, 4);
    shared.writeUInt16LE(DAY, 8);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.from(name, 'latin1')]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 6);
    place.writeUInt32LE(at, 10);
    const head = Buffer.from('PK\x01\x02\0\0', 'latin1');
    head.writeUInt16LE(MADE_ON_UNIX, 4);
    directory.push(head, shared, place, Buffer.from(name, 'latin1'));
    parts.push(local, packed);
    at += local.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}
