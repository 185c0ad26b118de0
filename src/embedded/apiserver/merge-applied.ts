import { elementsOf, type FieldSet, keyElement, parentOf, withPrefixes } from './field-set.ts';
import { clone, isRecord, type Json, type JsonObject, ownValue, put } from './json.ts';
import { anything, deref, fieldSchema, isAtomic, type Schema } from './schema.ts';

/** Lays an applied configuration over the live object. Nothing is removed by it. */
export function mergeApplied(live: Json, applied: Json, schema: Schema): Json {
  if (isRecord(live) && isRecord(applied) && !isAtomic(schema, applied)) {
    const merged: JsonObject = { ...live };
    for (const [key, value] of Object.entries(applied))
      put(merged, key, mergeApplied(ownValue(live, key), value, fieldSchema(schema, key) ?? anything));
    return merged;
  }
  if (Array.isArray(live) && Array.isArray(applied) && !isAtomic(schema, applied)) return mergeLists(live, applied, schema);
  return clone(applied);
}

/** The order of the applied list wins; items that only the live list has keep their place before what followed them. */
function mergeLists(live: readonly Json[], applied: readonly Json[], schema: Schema): Json[] {
  const liveByKey = new Map(live.map((item) => [keyElement(schema, item), item]));
  const appliedKeys = new Set(applied.map((item) => keyElement(schema, item)));
  const rest = [...liveByKey];
  const merged: Json[] = [];
  const takeLiveOnly = (): void => {
    while (rest[0] !== undefined && !appliedKeys.has(rest[0][0])) merged.push(rest.shift()?.[1]);
  };
  for (const item of applied) {
    takeLiveOnly();
    const key = keyElement(schema, item);
    merged.push(mergeApplied(liveByKey.get(key), item, deref(schema.items)));
    const at = rest.findIndex(([candidate]) => candidate === key);
    if (at >= 0) rest.splice(at, 1);
  }
  takeLiveOnly();
  return [...merged, ...rest.filter(([key]) => !appliedKeys.has(key)).map(([, item]) => item)];
}

/** Removes, in place, fields that the manager applied last time, leaves out now, and owns without others. */
export function removeDropped(object: JsonObject, schema: Schema, last: FieldSet, next: FieldSet, others: FieldSet): void {
  const wanted = withPrefixes([...next, ...others]);
  const dropped = new Set<string>();
  for (const path of last) {
    if (wanted.has(path)) continue;
    // A struct goes with the last of its fields, server-filled defaults included; top-level fields stay.
    let top = path;
    while (elementsOf(top).length > 2 && !wanted.has(parentOf(top)) && parentOf(top).includes('\0')) top = parentOf(top);
    dropped.add(top);
  }
  for (const path of dropped) removeAt(object, schema, elementsOf(path));
}

function removeAt(value: Json, schema: Schema, path: string[]): void {
  const [element = '', ...rest] = path;
  if (element.startsWith('f:')) {
    const key = element.slice(2);
    if (!isRecord(value)) return;
    if (rest.length === 0) delete value[key];
    else removeAt(value[key], fieldSchema(schema, key) ?? anything, rest);
    return;
  }
  if (!Array.isArray(value)) return;
  const index = value.findIndex((item) => keyElement(schema, item) === element);
  if (index < 0) return;
  if (rest.length === 0) value.splice(index, 1);
  else removeAt(value[index], deref(schema.items), rest);
}
