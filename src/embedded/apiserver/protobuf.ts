import { isRecord, type Json, type JsonObject } from './json.ts';
import table from './protobuf.json' with { type: 'json' };

/**
 * A field of a message: its JSON name ('' is embedded: its fields belong to the message around it), its type, whether it is a
 * pointer, a list or a map, and 1 when JSON shows its zero.
 */
export type ProtobufField = [name: string, type: string, form: '' | '*' | '[]' | '{}', keepsZero: 0 | 1];

const { roots, messages } = table as unknown as { roots: Record<string, string>; messages: Record<string, Record<string, ProtobufField>> };

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** A part of a protobuf body that cannot be understood. */
class ProtobufError extends Error {}

/**
 * The object in a `application/vnd.kubernetes.protobuf` body, as JSON would have it. Generated Go clients, kubectl's `create` among them, send built-in kinds
 * in this form without checking first. Format: the four bytes `k8s\0`, then a runtime.Unknown.
 */
export function fromProtobuf(body: Buffer): JsonObject {
  if (body.subarray(0, 4).toString('latin1') !== 'k8s\0') throw new ProtobufError('it does not begin with k8s and a zero byte');
  const { typeMeta, raw } = readEnvelope(body.subarray(4));
  const { apiVersion = '', kind = '' } = typeMeta;
  const message = roots[kind === 'DeleteOptions' ? kind : `${apiVersion}/${kind}`];
  if (message === undefined)
    throw new ProtobufError(`no kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)} is known in protobuf`);
  return { apiVersion, kind, ...decode(raw, message) };
}

function readEnvelope(bytes: Buffer): { typeMeta: { apiVersion?: string; kind?: string }; raw: Buffer } {
  const typeMeta: { apiVersion?: string; kind?: string } = {};
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 2) raw = asBytes(value);
    if (number !== 1) continue;
    for (const part of fieldsOf(asBytes(value))) {
      if (part.number === 1) typeMeta.apiVersion = asBytes(part.value).toString();
      if (part.number === 2) typeMeta.kind = asBytes(part.value).toString();
    }
  }
  return { typeMeta, raw };
}

type Wire = bigint | Buffer;

/** A message's fields in the order of its bytes: varints and fixed numbers as bigint, all else as bytes. */
function* fieldsOf(bytes: Buffer): Generator<{ number: number; value: Wire }> {
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
    throw new ProtobufError('it ends inside a number');
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new ProtobufError('it ends inside a field');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    const wireType = tag & 7;
    if (wireType === 0) yield { number, value: varint() };
    else if (wireType === 1) yield { number, value: take(8).readBigInt64LE() };
    else if (wireType === 2) yield { number, value: take(Number(varint())) };
    else if (wireType === 5) yield { number, value: BigInt(take(4).readInt32LE()) };
    else throw new ProtobufError(`it has a field of wire type ${wireType}`);
  }
}

function decode(bytes: Buffer, message: string): JsonObject {
  const fields = messages[message] ?? {};
  const record: JsonObject = {};
  for (const { number, value } of fieldsOf(bytes)) {
    const field = fields[number];
    if (field === undefined) continue;
    const [name, type, form, keepsZero] = field;
    if (form === '{}') {
      const entry = mapEntry(asBytes(value), type);
      record[name] = { ...record[name], [entry.key]: entry.value };
      continue;
    }
    const read = readValue(value, type);
    if (form === '[]') record[name] = [...(record[name] ?? []), read];
    else if (name === '') Object.assign(record, isRecord(read) ? read : {});
    // Go writes what is not a pointer even when it is zero, where JSON leaves it out.
    else if (read !== undefined && (form === '*' || keepsZero === 1 || !isZero(read))) record[name] = read;
  }
  return record;
}

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false;

function mapEntry(bytes: Buffer, type: string): { key: string; value: Json } {
  let key = '';
  let value: Json = type === 'string' || type === 'bytes' ? '' : {};
  for (const part of fieldsOf(bytes)) {
    if (part.number === 1) key = asBytes(part.value).toString();
    if (part.number === 2) value = readValue(part.value, type);
  }
  return { key, value };
}

function readValue(value: Wire, type: string): Json {
  if (type === 'bool') return asInteger(value) !== 0n;
  if (type === 'int') return Number(asInteger(value));
  if (type === 'double') return asDouble(value);
  const bytes = asBytes(value);
  if (type === 'string') return bytes.toString();
  if (type === 'bytes') return bytes.toString('base64');
  const special = readers[type];
  return special === undefined ? decode(bytes, type) : special(new Map([...fieldsOf(bytes)].map((field) => [field.number, field.value])));
}

const textAt = (parts: ReadonlyMap<number, Wire>, number: number): string => asBytes(parts.get(number) ?? Buffer.alloc(0)).toString();
const numberAt = (parts: ReadonlyMap<number, Wire>, number: number): number => Number(asInteger(parts.get(number) ?? 0n));

/** Types that are one value in JSON. */
const readers: Record<string, (parts: ReadonlyMap<number, Wire>) => Json> = {
  time: (parts) => (parts.has(1) ? new Date(numberAt(parts, 1) * 1000).toISOString().replace('.000Z', 'Z') : undefined),
  microTime: (parts) => {
    const micros = String(Math.floor(numberAt(parts, 2) / 1000)).padStart(6, '0');
    return parts.has(1) ? new Date(numberAt(parts, 1) * 1000).toISOString().replace('000Z', `${micros}Z`) : undefined;
  },
  quantity: (parts) => textAt(parts, 1),
  intOrString: (parts) => (numberAt(parts, 1) === 1 ? textAt(parts, 3) : numberAt(parts, 2)),
  json: (parts) => (parts.has(1) ? JSON.parse(textAt(parts, 1)) : undefined),
};

function asBytes(value: Wire): Buffer {
  if (typeof value === 'bigint') throw new ProtobufError('it has a number where bytes are expected');
  return value;
}

function asInteger(value: Wire): bigint {
  if (typeof value !== 'bigint') throw new ProtobufError('it has bytes where a number is expected');
  return value;
}

function asDouble(value: Wire): number {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(asInteger(value));
  return bytes.readDoubleLE();
}
