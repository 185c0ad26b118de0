import { createHash } from 'node:crypto';
import { isRecord, type JsonRecord } from '../api/json.ts';

/** JSON text that does not depend on key order; `undefined` members are left out, as on the wire. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner)) ?? 'null';
}

/** Hexadecimal SHA-256 of the canonical JSON. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

function sorted(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
