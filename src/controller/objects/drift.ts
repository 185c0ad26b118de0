import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../api/kube-object.ts';
import { compareText } from '../../base/compare-text.ts';
import { defined } from '../../base/defined.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { ManagedFieldsEntry } from '../../kube/taken-over-fields.ts';
import { allDefinitions } from '../../routers/index.ts';

/** Maps that Kubernetes treats as one value: a foreign key in them changes what is selected. */
const ATOMIC_MAPS = new Set(['selector', 'matchLabels']);
/** Lists that a router owns whole. */
const OWNED_WHOLE = new Set(allDefinitions.flatMap(({ ownedWhole = [] }) => ownedWhole));

/**
 * The path of the first field of `wanted` that `live` does not hold, `undefined` if nothing is missing. Fields that `wanted` does not name belong to other
 * writers or to server defaults, and are not looked at, except in selectors and in lists of ours, which count whole.
 * `answered`: the object in the server's answer to the last such write. Additions of the server to a list of ours, such as the defaults of a
 * newer CRD, do not count as drift.
 */
export function missingField(wanted: unknown, live: unknown, path = '', answered?: unknown): string | undefined {
  return missingFields(wanted, live, path, answered).next().value ?? undefined;
}

/** All of them, each by its own path. */
export function* missingFields(wanted: unknown, live: unknown, path = '', answered?: unknown): Generator<string, undefined> {
  if (Array.isArray(wanted)) yield* missingItems(wanted, live, path, answered);
  else if (isRecord(wanted)) yield* missingEntries(wanted, live, path, answered);
  else if (wanted !== live) yield path;
  return undefined;
}

function* missingItems(wanted: readonly unknown[], live: unknown, path: string, answered: unknown): Generator<string> {
  if (!Array.isArray(live) || live.length !== wanted.length) yield path;
  else if (OWNED_WHOLE.has(path.split('.').at(-1) ?? '')) {
    const isAsAnswered = isDeepStrictEqual(answered, live) && hasAllOf(answered, wanted);
    if (!isAsAnswered && !isDeepStrictEqual(wanted, live)) yield path;
  } else
    for (const [index, item] of wanted.entries())
      yield* missingFields(item, live[index], `${path}[${index}]`, Array.isArray(answered) ? answered[index] : undefined);
}

function* missingEntries(wanted: JsonRecord, live: unknown, path: string, answered: unknown): Generator<string> {
  if (!isRecord(live)) {
    if (Object.keys(wanted).length > 0 || live !== undefined) yield path;
    return;
  }
  for (const [key, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    yield* missingFields(value, live[key], path === '' ? key : `${path}.${key}`, isRecord(answered) ? answered[key] : undefined);
  }
  if (!ATOMIC_MAPS.has(path.split('.').at(-1) ?? '')) return;
  const foreign = Object.keys(live).find((key) => !(key in wanted));
  if (foreign !== undefined) yield `${path}.${foreign}`;
}

/** True if `whole` holds every field and entry of `part`. */
export function hasAllOf(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && whole.length === part.length && part.every((item, index) => hasAllOf(whole[index], item));
  if (isRecord(part))
    return isRecord(whole) && Object.entries(part).every(([key, value]) => value === undefined || hasAllOf(whole[key], value));
  return whole === part;
}

/** The projection of an object whose fields are compared: all but the bookkeeping, plus the last writer. */
export function withoutBookkeeping(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The field managers that last wrote an object after our own write: what they wrote is known apart, so that none is accused of a field of the other part. */
export interface ForeignManagers {
  /** Wrote the spec, or another part outside of the metadata. */
  manager?: string;
  /** Wrote labels or annotations. */
  marksManager?: string;
}

/**
 * Managers that report the status of the object do not count: controllers write its status, and annotations that count its revisions, after every change of
 * others. Absent if the manager left no entry, as a manager that has only removed fields does.
 */
export function lastForeignManagers(object: KubeObject, ours: string): ForeignManagers {
  const entries = (object.metadata.managedFields ?? []) as ManagedFieldsEntry[];
  const isOurs = ({ manager, subresource }: ManagedFieldsEntry) => manager === ours && (subresource ?? '') === '';
  const oursAt = entries.reduce((last, entry) => (isOurs(entry) && (entry.time ?? '') > last ? (entry.time ?? '') : last), '');
  const foreign = entries
    .filter(({ manager, subresource }) => manager !== undefined && manager !== ours && subresource !== 'status')
    // Entries have whole seconds.
    .filter(({ time }) => time === undefined || time >= oursAt)
    .toSorted((a, b) => compareText(b.time ?? '', a.time ?? ''));
  const wrote = (isPart: (field: string) => boolean) =>
    foreign.find(({ fieldsV1 }) => fieldsV1 === undefined || Object.keys(fieldsV1).some(isPart))?.manager;
  const isMark = (field: string) => field === 'f:metadata';
  return defined({ manager: wrote((field) => !isMark(field)), marksManager: wrote(isMark) });
}

/** The writer of a field of the object, if its managers name one. */
export function writerOf({ manager, marksManager }: ForeignManagers = {}, field: string): { who?: string } {
  return defined({ who: (field.startsWith('metadata') ? marksManager : manager) || undefined });
}
