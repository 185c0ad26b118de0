import type { KubeObject } from '../../api/kube-object.ts';
import { oncePerObject } from '../../base/once.ts';
import { compareFields, type FieldSet, fieldsOf, fromFieldsV1, readablePath, toFieldsV1 } from './field-set.ts';
import { clone, isEqual, isRecord, type JsonObject } from './json.ts';
import { mergeApplied, removeDropped } from './merge-applied.ts';
import type { Schema } from './schema.ts';
import { type StatusCause, StatusError } from './status.ts';

interface Writer {
  manager: string;
  apiVersion: string;
  subresource: string;
  /** RFC 3339, whole seconds. */
  time: string;
}

interface OwnedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource: string;
  time: string;
  fields: FieldSet;
  /** In its stored form, with the fields that it represents. */
  stored?: { fieldsV1: JsonObject; fields: FieldSet };
}

/** Cached by stored object, which is never changed in place. */
const fieldsIn = oncePerObject(fromFieldsV1);

const isSameSet = (a: FieldSet, b: FieldSet): boolean => a === b || (a.size === b.size && a.isSubsetOf(b));

function readEntries(object: KubeObject | undefined): OwnedFields[] {
  const raw = object?.metadata.managedFields;
  if (!Array.isArray(raw)) return [];
  return raw.filter(isRecord).map(({ manager, operation, apiVersion, subresource, time, fieldsV1 }) => {
    const fields: FieldSet = isRecord(fieldsV1) ? fieldsIn(fieldsV1) : new Set();
    return {
      manager: String(manager ?? ''),
      operation: operation === 'Apply' ? 'Apply' : 'Update',
      apiVersion: String(apiVersion ?? ''),
      subresource: String(subresource ?? ''),
      time: String(time ?? ''),
      fields,
      ...(isRecord(fieldsV1) && { stored: { fieldsV1, fields } }),
    };
  });
}

/** Order of entries in the API server: NUL is before every character of a name. */
const orderOf = ({ operation, time, manager }: OwnedFields): string => [operation, time, manager].join('\0');

function writeEntries(object: KubeObject, entries: readonly OwnedFields[]): void {
  const kept = entries.filter(({ fields }) => fields.size > 0).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  if (kept.length === 0) {
    delete object.metadata.managedFields;
    return;
  }
  object.metadata.managedFields = kept.map((entry) => ({
    apiVersion: entry.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: entry.stored && isSameSet(entry.fields, entry.stored.fields) ? entry.stored.fieldsV1 : toFieldsV1(entry.fields),
    manager: entry.manager,
    operation: entry.operation,
    ...(entry.subresource !== '' && { subresource: entry.subresource }),
    time: entry.time,
  }));
}

const isWriter = (entry: OwnedFields, writer: Writer, operation: OwnedFields['operation']): boolean =>
  entry.manager === writer.manager && entry.operation === operation && entry.subresource === writer.subresource;

/** Records, in place, the changes of a create, update or patch. */
export function recordUpdate(before: KubeObject | undefined, after: KubeObject, schema: Schema, writer: Writer): void {
  const given = after.metadata.managedFields;
  // The documented way to drop all ownership; an empty list does not, on purpose.
  if (before !== undefined && isEqual(given, [{}])) {
    delete after.metadata.managedFields;
    return;
  }
  const base = before === undefined ? [] : readEntries(Array.isArray(given) && given.length > 0 ? after : before);
  const { changed, removed } = compareFields(before ?? {}, after, schema);
  const mine = base.find((entry) => isWriter(entry, writer, 'Update')) ?? {
    ...writer,
    operation: 'Update' as const,
    fields: new Set<string>(),
  };
  const fields = mine.fields.union(changed).difference(removed);
  const others = base
    .filter((entry) => entry !== mine)
    .map((entry) => ({ ...entry, fields: entry.fields.difference(changed).difference(removed) }));
  // A value that changes counts, also where whose it is does not.
  const time = changed.size > 0 || !isSameSet(fields, mine.fields) ? writer.time : mine.time;
  writeEntries(after, [...others, { ...mine, apiVersion: writer.apiVersion, time, fields }]);
}

/** The object after a server-side apply, with its managedFields. Refuses with 409 when others own a field that changes. */
export function applyConfiguration(
  live: KubeObject | undefined,
  applied: KubeObject,
  schema: Schema,
  writer: Writer,
  force: boolean,
): KubeObject {
  const entries = readEntries(live);
  const previous = entries.find((entry) => isWriter(entry, writer, 'Apply'));
  const fields = fieldsOf(applied, schema);
  const others = entries.filter((entry) => entry !== previous);
  const merged = clone(mergeApplied(live ?? {}, applied, schema)) as KubeObject;
  const ownedByOthers = others.reduce<FieldSet>((all, entry) => all.union(entry.fields), new Set());
  if (previous !== undefined) removeDropped(merged, schema, previous.fields, fields, ownedByOthers);
  const { changed, removed } = compareFields(live ?? {}, merged, schema);
  const conflicts = others
    .map((entry) => ({ entry, fields: [...entry.fields.intersection(changed)] }))
    .filter((found) => found.fields.length > 0);
  if (conflicts.length > 0 && !force) throw conflictError(conflicts);
  const kept = others.map((entry) => ({ ...entry, fields: entry.fields.difference(changed).difference(removed) }));
  const time = previous !== undefined && isSameSet(previous.fields, fields) ? previous.time : writer.time;
  writeEntries(merged, [...kept, { ...previous, ...writer, operation: 'Apply', time, fields }]);
  return merged;
}

function conflictError(conflicts: readonly { entry: OwnedFields; fields: string[] }[]): StatusError {
  const causes: StatusCause[] = conflicts.flatMap(({ entry, fields }) =>
    fields.toSorted().map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${JSON.stringify(entry.manager)}${entry.subresource === '' ? '' : ` with subresource ${JSON.stringify(entry.subresource)}`}${entry.operation === 'Update' ? ` using ${entry.apiVersion} at ${entry.time}` : ''}`,
      field: readablePath(path),
    })),
  );
  const first = causes[0];
  const summary =
    causes.length === 1 && first !== undefined
      ? `${first.message}: ${first.field}`
      : `conflicts${[...Map.groupBy(causes, (cause) => cause.message)]
          .map(([message, of]) => ` ${message.replace('conflict ', '')}:\n${of.map(({ field }) => `- ${field}`).join('\n')}`)
          .join('\n')}`;
  return new StatusError(409, 'Conflict', `Apply failed with ${causes.length} conflict${causes.length === 1 ? '' : 's'}: ${summary}`, {
    causes,
  });
}

/** The same object without the times and entries that even a write without changes would change. */
export function withoutServerFields(object: KubeObject): JsonObject {
  const { managedFields, resourceVersion, generation, ...metadata } = object.metadata;
  const entries = Array.isArray(managedFields) ? managedFields.map((entry) => ({ ...entry, time: '' })) : [];
  return { ...object, metadata: { ...metadata, managedFields: entries } };
}
