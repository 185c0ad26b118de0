import { gunzipSync } from 'node:zlib';
import { MAX_BODY_BYTES } from '../../../outgoing/read-body.ts';
import { UnansweredError } from '../../http/within-timeout.ts';

const HEADER_BYTES = 20;
const TUPLE_BYTES = 17;
const COMPRESSED = 1;
const JSON_INSIDE = 2;
const DATA_MESSAGE = 5;

/** Values of one moment by the identity of their series; `null` for a series without a value then. */
export type DataFrame = ReadonlyMap<string, number | null>;

/** Either a message in JSON, possibly compressed, or the values of one moment; undefined for a kind that is not needed. */
export type Frame = { text: string } | { values: DataFrame } | undefined;

/** Gets the unpacked size of a compressed frame before it is unpacked. */
type CountBytes = (bytes: number) => void;

/**
 * A binary frame of SignalFlow: version, kind, flags, a reserved byte, 16 bytes with the channel's name; then the time in
 * milliseconds (64 bits), a count (32 bits), and as many tuples of kind (8 bits), series (64 bits) and value (64 bits). All big-endian.
 */
export function readFrame(frame: Buffer, count: CountBytes = () => undefined): Frame {
  if (frame.length < HEADER_BYTES) throw new UnansweredError('Splunk answered with a frame that is cut off');
  const version = frame.readUInt8(0);
  const flags = frame.readUInt8(2);
  if (version !== 1) throw new UnansweredError(`Splunk answered with frames of version ${version}, and 1 is known`);
  const body = flags & COMPRESSED ? unzipped(frame.subarray(HEADER_BYTES)) : frame.subarray(HEADER_BYTES);
  if (flags & COMPRESSED) count(body.length);
  if (flags & JSON_INSIDE) return { text: body.toString() };
  return frame.readUInt8(1) === DATA_MESSAGE ? { values: readTuples(body) } : undefined;
}

function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BODY_BYTES });
  } catch {
    throw new UnansweredError('Splunk answered with a compressed frame that is broken, or longer than 1 MiB');
  }
}

function readTuples(body: Buffer): DataFrame {
  if (body.length < 12) throw new UnansweredError('Splunk answered with a frame that is cut off');
  const count = body.readUInt32BE(8);
  if (body.length < 12 + count * TUPLE_BYTES) throw new UnansweredError('Splunk answered with a frame that is cut off');
  const values = new Map<string, number | null>();
  for (let at = 12; at < 12 + count * TUPLE_BYTES; at += TUPLE_BYTES)
    values.set(body.subarray(at + 1, at + 9).toString('hex'), readValue(body, body.readUInt8(at), at + 9));
  return values;
}

/** A 32-bit integer is in the first four of its eight bytes. Any other kind is a point without a value. */
function readValue(body: Buffer, kind: number, at: number): number | null {
  if (kind === 1) return Number(body.readBigInt64BE(at));
  if (kind === 2) return body.readDoubleBE(at);
  return kind === 3 ? body.readInt32BE(at) : null;
}
