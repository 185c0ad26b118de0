import { clone, isEqual, isRecord, type Json, type JsonObject, ownValue, put } from './json.ts';
import { deref, fieldSchema, type Schema } from './schema.ts';
import { badRequest, StatusError } from './status.ts';

/** RFC 7386. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isRecord(patch)) return clone(patch);
  const result: JsonObject = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else put(result, key, mergePatch(ownValue(result, key), value));
  }
  return result;
}

/** RFC 6902, on a copy. A failed test or a path that does not exist is a 422, as the API server answers. */
export function jsonPatch(target: Json, operations: Json): Json {
  if (!Array.isArray(operations)) throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  const root: JsonObject = { '': clone(target) };
  for (const operation of operations) runOperation(root, operation);
  return root[''];
}

/** A real server says no more than this. */
const refused = (): StatusError => new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

function runOperation(root: JsonObject, operation: Json) {
  if (!isRecord(operation) || typeof operation.path !== 'string') throw badRequest('a JSON patch operation needs op and path');
  const { op, path, value } = operation;
  const at = locate(root, path);
  if (op === 'add') return at.add(clone(value));
  if (op === 'remove') return void at.remove();
  if (op === 'replace') return at.set(clone(value));
  if (op === 'test') {
    if (!isEqual(at.get() ?? null, value ?? null)) throw refused();
    return;
  }
  if (op === 'copy') return at.add(clone(locate(root, String(operation.from)).get()));
  if (op === 'move') return at.add(locate(root, String(operation.from)).remove());
  throw badRequest(`Unexpected kind: ${JSON.stringify(op)}`);
}

interface TargetLocation {
  get(): Json;
  set(value: Json): void;
  add(value: Json): void;
  remove(): Json;
}

function locate(root: JsonObject, pointer: string): TargetLocation {
  const keys = pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  let parent: Json = keys.length === 0 ? root : root[''];
  for (const key of keys.slice(1)) parent = isRecord(parent) || Array.isArray(parent) ? (parent as JsonObject)[key] : undefined;
  if (Array.isArray(parent)) return listLocation(parent, last);
  if (!isRecord(parent)) throw refused();
  const record = parent;
  const present = (): void => {
    if (!Object.hasOwn(record, last)) throw refused();
  };
  return {
    get: () => record[last],
    add: (value) => {
      record[last] = value;
    },
    set: (value) => {
      present();
      record[last] = value;
    },
    remove: () => {
      present();
      const value = record[last];
      delete record[last];
      return value;
    },
  };
}

function listLocation(list: Json[], key: string): TargetLocation {
  const index = key === '-' ? list.length : /^\d+$/.test(key) ? Number(key) : -1;
  const inside = (limit: number): void => {
    if (index < 0 || index >= limit) throw refused();
  };
  return {
    get: () => list[index],
    add: (value) => {
      inside(list.length + 1);
      list.splice(index, 0, value);
    },
    set: (value) => {
      inside(list.length);
      list[index] = value;
    },
    remove: () => {
      inside(list.length);
      return list.splice(index, 1)[0];
    },
  };
}

/** A strategic merge patch: lists with a merge key are merged by it, with the `$patch`, `$setElementOrder` and `$retainKeys` directives. */
export function strategicMerge(target: Json, patch: Json, schema: Schema): Json {
  if (!isRecord(patch)) return clone(patch);
  if (patch.$patch === 'delete') return {};
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  const result: JsonObject = isRecord(target) ? { ...target } : {};
  if (Array.isArray(patch.$retainKeys)) for (const key of Object.keys(result)) if (!patch.$retainKeys.includes(key)) delete result[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const field = key.slice(key.indexOf('/') + 1);
      if (Array.isArray(result[field]) && Array.isArray(value))
        result[field] = result[field].filter((item: unknown) => !value.includes(item));
    }
    if (key.startsWith('$')) continue;
    const field = fieldSchema(schema, key) ?? {};
    if (value === null) delete result[key];
    else if (Array.isArray(value)) put(result, key, patchList(ownValue(result, key), value, field));
    else put(result, key, strategicMerge(ownValue(result, key), value, field));
  }
  for (const [key, order] of Object.entries(patch)) {
    const field = key.slice(key.indexOf('/') + 1);
    if (key.startsWith('$setElementOrder/') && Array.isArray(result[field]))
      result[field] = inOrder(result[field], order, fieldSchema(schema, field) ?? {});
  }
  return result;
}

const withoutDirectives = (patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));

function patchList(target: Json, patch: Json[], schema: Schema): Json {
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const merges = schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true;
  if (!merges || patch.some((item) => isRecord(item) && item.$patch === 'replace' && Object.keys(item).length === 1))
    return clone(patch.filter((item) => !(isRecord(item) && item.$patch === 'replace')));
  const result: Json[] = Array.isArray(target) ? [...target] : [];
  if (mergeKey === undefined) return [...result, ...patch.filter((item) => !result.some((present) => isEqual(present, item)))];
  for (const item of patch) {
    if (!isRecord(item)) continue;
    if (item[mergeKey] === undefined) throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
    const index = result.findIndex((present) => isRecord(present) && present[mergeKey] === item[mergeKey]);
    if (item.$patch === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) result[index] = strategicMerge(result[index], item, deref(schema.items));
    else result.push(strategicMerge({}, item, deref(schema.items)));
  }
  return result;
}

function inOrder(list: Json[], order: Json, schema: Schema): Json[] {
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const wanted: Json[] = Array.isArray(order) ? order : [];
  const placeOf = (item: Json): number =>
    wanted.findIndex((entry) =>
      mergeKey !== undefined && isRecord(entry) && isRecord(item) ? entry[mergeKey] === item[mergeKey] : isEqual(entry, item),
    );
  const listed = list.filter((item) => placeOf(item) >= 0).toSorted((a, b) => placeOf(a) - placeOf(b));
  return list.map((item) => (placeOf(item) >= 0 ? listed.shift() : item));
}
