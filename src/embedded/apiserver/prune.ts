import { isRecord, type JsonRecord } from './json.ts';
import { definition, deref, fieldSchema, objectMetaName, type Schema } from './schema.ts';

/** Fields that every embedded object has, whatever its schema says. */
const objectFields: Schema = {
  properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: definition(objectMetaName) },
};

/** Removes, in place, what the schema does not know; gives the paths of what it removed. */
export function prune(value: unknown, schema: Schema, path = ''): string[] {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return [];
    const items = deref(schema.items);
    return value.flatMap((item, index) => prune(item, items, `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((key) => pruneField(value, key, schema, path === '' ? key : `${path}.${key}`));
}

function pruneField(record: JsonRecord, key: string, schema: Schema, path: string): string[] {
  const own = schema['x-kubernetes-embedded-resource'] === true ? fieldSchema(objectFields, key) : undefined;
  const known = own ?? fieldSchema(schema, key);
  if (known !== undefined) return prune(record[key], known, path);
  delete record[key];
  return [path];
}

interface Fields {
  all: ReadonlyMap<string, Schema>;
  withDefault: readonly (readonly [key: string, field: Schema])[];
}

const fieldsOfSchema = new WeakMap<Schema, Fields>();

/** Most fields have no default, and most objects lack most fields. */
function fieldsOf(schema: Schema): Fields {
  const known = fieldsOfSchema.get(schema);
  if (known !== undefined) return known;
  const entries = Object.entries(schema.properties ?? {}).map(([key, raw]) => [key, deref(raw)] as const);
  const fields = { all: new Map(entries), withDefault: entries.filter(([, field]) => field.default !== undefined) };
  fieldsOfSchema.set(schema, fields);
  return fields;
}

/** Fills in, in place, what the schema gives a default for. Null counts as absent where null is not allowed. */
export function applyDefaults(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) applyDefaults(item, deref(schema.items));
    return;
  }
  if (!isRecord(value)) return;
  const { all, withDefault } = fieldsOf(schema);
  for (const [key, field] of withDefault) {
    if (value[key] === null && field.nullable !== true) delete value[key];
    if (value[key] === undefined) value[key] = structuredClone(field.default);
  }
  for (const key of Object.keys(value)) {
    const field = all.get(key);
    if (field !== undefined) applyDefaults(value[key], field);
  }
  if (typeof schema.additionalProperties !== 'object') return;
  const rest = deref(schema.additionalProperties);
  for (const key of Object.keys(value)) if (schema.properties?.[key] === undefined) applyDefaults(value[key], rest);
}
