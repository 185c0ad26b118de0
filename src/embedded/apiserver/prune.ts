import { oncePerObject } from '../../base/once.ts';
import { isRecord, type JsonObject } from './json.ts';
import { deref, fieldSchema, objectFields, type Schema } from './schema.ts';

/** Removes, in place, fields that the schema does not know; returns their paths. */
export function prune(value: unknown, schema: Schema): string[] {
  const removed: string[] = [];
  pruneInto(value, schema, '', removed);
  return removed;
}

function pruneInto(value: unknown, schema: Schema, path: string, removed: string[]): void {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    const items = deref(schema.items);
    for (const [index, item] of value.entries()) pruneInto(item, items, `${path}[${index}]`, removed);
  } else if (isRecord(value))
    for (const key of Object.keys(value)) pruneField(value, key, schema, path === '' ? key : `${path}.${key}`, removed);
}

function pruneField(record: JsonObject, key: string, schema: Schema, path: string, removed: string[]): void {
  const own = schema['x-kubernetes-embedded-resource'] === true ? fieldSchema({ properties: objectFields }, key) : undefined;
  const known = own ?? fieldSchema(schema, key);
  if (known !== undefined) {
    pruneInto(record[key], known, path, removed);
    return;
  }
  delete record[key];
  removed.push(path);
}

/** Fills in, in place, the defaults of the schema. Null counts as absent where null is not allowed. */
export function applyDefaults(value: unknown, schema: Schema): void {
  if (!holdsDefaults(schema)) return;
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) applyDefaults(item, deref(schema.items));
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, field] of fieldsWithDefaults(schema)) {
    if (value[key] === null && field.nullable !== true && field.default !== undefined) delete value[key];
    if (value[key] === undefined && field.default !== undefined) value[key] = structuredClone(field.default);
    if (value[key] !== undefined) applyDefaults(value[key], field);
  }
  if (typeof schema.additionalProperties !== 'object') return;
  const rest = deref(schema.additionalProperties);
  if (!holdsDefaults(rest)) return;
  for (const key of Object.keys(value)) if (schema.properties?.[key] === undefined) applyDefaults(value[key], rest);
}

/** Fields that have a default, or hold one: few of the many that a schema has. */
const fieldsWithDefaults = oncePerObject((schema: Schema) =>
  Object.entries(schema.properties ?? {})
    .map(([key, raw]) => [key, deref(raw)] as const)
    .filter(([, field]) => field.default !== undefined || holdsDefaults(field)),
);

/** Tests if the schema contains a default anywhere. */
const holdsDefaults = oncePerObject((schema: Schema): boolean => {
  const seen = new Set([schema]);
  // A set that grows while it is walked: schemas can contain themselves.
  for (const each of seen) {
    if (each !== schema && each.default !== undefined) break;
    const { properties = {}, items, additionalProperties: rest } = each;
    for (const child of [...Object.values(properties), items, typeof rest === 'object' ? rest : undefined])
      if (child !== undefined) seen.add(deref(child));
  }
  return [...seen].some((each) => each !== schema && each.default !== undefined);
});
