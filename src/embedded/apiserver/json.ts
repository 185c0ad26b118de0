import type { KubeObject } from '../../api/kube-object.ts';

/** Raw JSON of unknown shape. Everything that reads it checks first. */
// biome-ignore lint/suspicious/noExplicitAny: an API server reads and writes fields of any kind, which its schemas have checked
export type Json = any;
export type JsonObject = Record<string, Json>;

/** An object of any kind, whose fields are raw JSON. */
export interface RawObject extends KubeObject {
  [field: string]: Json;
}

export const isRecord = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares JSON; an undefined field differs from an absent field. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

/** A copy that shares nothing. Stored objects are never changed in place, so only writers copy. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isRecord(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) put(copy, key, clone(value[key]));
  return copy as T;
}

/** Sets a key; a key that names the prototype becomes an ordinary key. */
export function put(record: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(record, key, { value, configurable: true, enumerable: true, writable: true });
  else record[key] = value;
}

/** The value of a key that is the object's own. */
export const ownValue = (record: JsonObject, key: string): Json => (Object.hasOwn(record, key) ? record[key] : undefined);

/** The value at a dotted path (`.spec.replicas`). */
export function valueAtPath(value: unknown, path: string): Json {
  let at: Json = value;
  for (const key of path.split('.').filter((part) => part !== '')) at = isRecord(at) ? at[key] : undefined;
  return at;
}

/** Sets a dotted path in place, making the records on the way; undefined removes. */
export function setAt(target: JsonObject, path: string, value: unknown): void {
  const keys = path.split('.').filter((part) => part !== '');
  const last = keys.pop();
  if (last === undefined) return;
  let at = target;
  for (const key of keys) {
    if (!isRecord(at[key])) at[key] = {};
    at = at[key];
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
}
