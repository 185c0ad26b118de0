import { isEqual, isRecord, type Json, type JsonObject } from './json.ts';
import { anything, deref, fieldSchema, isAtomic, itemKey, type Schema } from './schema.ts';

/**
 * A set of field paths, as managedFields hold it: each path is its elements (`f:name`, `k:{...}`, `v:...`) joined by NUL.
 * Source: the path elements of structured-merge-diff, which FieldsV1 writes.
 */
export type FieldSet = Set<string>;

const separator = '\0';
export const elementsOf = (path: string): string[] => path.split(separator);
const join = (parent: string, element: string): string => (parent === '' ? element : parent + separator + element);

/** `f:` fields that no manager owns: the server writes them. */
const unowned = new Set(
  ['f:apiVersion', 'f:kind', 'f:metadata'].concat(
    ['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'generation', 'managedFields', 'resourceVersion'].map(
      (field) => `f:metadata${separator}f:${field}`,
    ),
  ),
);

/** Every field that the object has. */
export function fieldsOf(object: JsonObject, schema: Schema): FieldSet {
  const set: FieldSet = new Set();
  collect(object, schema, '', set, false);
  return owned(set);
}

const owned = (set: FieldSet): FieldSet => new Set([...set].filter((path) => !unowned.has(path)));

/** The path element of a list item: `k:` with its keys, or `v:` with a value of a set. */
export const keyElement = (schema: Schema, item: unknown): string =>
  isRecord(item)
    ? `k:${JSON.stringify(Object.fromEntries(Object.entries(itemKey(schema, item)).toSorted(([a], [b]) => (a < b ? -1 : 1))))}`
    : `v:${JSON.stringify(item)}`;

function collect(value: Json, schema: Schema, path: string, set: FieldSet, withContainers: boolean) {
  if (Array.isArray(value) && !isAtomic(schema, value)) {
    if (withContainers && path !== '') set.add(path);
    for (const item of value) {
      const at = join(path, keyElement(schema, item));
      set.add(at);
      if (isRecord(item)) collect(item, deref(schema.items), at, set, withContainers);
    }
    return;
  }
  if (!isRecord(value) || isAtomic(schema, value)) return void set.add(path);
  const keys = Object.keys(value);
  if ((keys.length === 0 || withContainers) && path !== '') set.add(path);
  for (const key of keys) {
    const at = join(path, `f:${key}`);
    // Entries of a map are owned themselves; fields of a struct only through what is in them.
    if (schema.properties?.[key] === undefined) set.add(at);
    collect(value[key], fieldSchema(schema, key) ?? anything, at, set, withContainers);
  }
}

/** Fields that differ between two objects: `changed` are new or have another value, `removed` are gone. */
export function compareFields(before: JsonObject, after: JsonObject, schema: Schema): { changed: FieldSet; removed: FieldSet } {
  const changed: FieldSet = new Set();
  const removed: FieldSet = new Set();
  compare(before, after, schema, '', changed, removed);
  return { changed: owned(changed), removed: owned(removed) };
}

function compare(before: Json, after: Json, schema: Schema, path: string, changed: FieldSet, removed: FieldSet) {
  if (before === undefined) return collect(after, schema, path, changed, true);
  if (after === undefined) return collect(before, schema, path, removed, true);
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after) && !isAtomic(schema, after)) {
    const byKey = (list: Json[]): Map<string, Json> => new Map(list.map((item) => [keyElement(schema, item), item]));
    return compareEntries(byKey(before), byKey(after), () => deref(schema.items), path, changed, removed);
  }
  if (isRecord(before) && isRecord(after) && !isAtomic(schema, after)) {
    const byField = (record: JsonObject): Map<string, Json> =>
      new Map(
        Object.entries(record)
          .filter(([, value]) => value !== undefined)
          .map(([key, value]) => [`f:${key}`, value]),
      );
    return compareEntries(byField(before), byField(after), (key) => fieldSchema(schema, key.slice(2)) ?? anything, path, changed, removed);
  }
  if (!isEqual(before, after)) changed.add(path);
}

function compareEntries(
  before: Map<string, Json>,
  after: Map<string, Json>,
  schemaOf: (key: string) => Schema,
  path: string,
  changed: FieldSet,
  removed: FieldSet,
): void {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const at = join(path, key);
    if (!before.has(key)) changed.add(at);
    if (!after.has(key)) removed.add(at);
    compare(before.get(key), after.get(key), schemaOf(key), at, changed, removed);
  }
}

/** The paths and all that lead to them. */
export function withPrefixes(paths: Iterable<string>): FieldSet {
  const all: FieldSet = new Set();
  for (const path of paths) {
    let at = path;
    while (at !== '' && !all.has(at)) {
      all.add(at);
      at = parentOf(at);
    }
  }
  return all;
}

/** Empty for a path of one element. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(separator)));

/** FieldsV1 in the form of managedFields. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const root: JsonObject = {};
  const ends: JsonObject[] = [];
  for (const path of set) {
    let at = root;
    for (const element of elementsOf(path)) {
      at[element] ??= {};
      at = at[element];
    }
    ends.push(at);
  }
  for (const end of ends) if (!isEmpty(end)) end['.'] = {};
  return sorted(root);
}

function isEmpty(tree: JsonObject): boolean {
  for (const _ in tree) return false;
  return true;
}

const sorted = (tree: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.keys(tree)
      .toSorted()
      .map((key) => [key, sorted(tree[key])]),
  );

/** The reverse of `toFieldsV1`. `path` and `set` are for its own recursion. */
export function fromFieldsV1(tree: JsonObject, path = '', set: FieldSet = new Set()): FieldSet {
  const keys = Object.keys(tree);
  if (path !== '' && (keys.length === 0 || keys.includes('.'))) set.add(path);
  for (const key of keys) if (key !== '.' && isRecord(tree[key])) fromFieldsV1(tree[key], join(path, key), set);
  return set;
}

/** `.spec.template.spec.containers[name="app"].image`, as conflicts name a field. */
export function readablePath(path: string): string {
  return elementsOf(path)
    .map((element) => {
      if (element.startsWith('f:')) return `.${element.slice(2)}`;
      if (element.startsWith('v:')) return `[=${element.slice(2)}]`;
      const key = JSON.parse(element.slice(2)) as JsonObject;
      const terms = Object.entries(key).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return `[${terms.join(',')}]`;
    })
    .join('');
}
