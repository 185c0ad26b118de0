import { isRecord } from '../base/json.ts';
import { oncePerObject } from '../base/once.ts';

/** Defaults that API servers fill in, by field name. */
export type ServerDefaults = Readonly<Record<string, readonly unknown[]>>;

/**
 * Path of the first field whose value on a server differs from the rendered one, except for defaults; undefined if none does. With `before`, the stored value
 * before the write, a new field that was not rendered also counts as equal: only the server can have added it.
 */
export function firstDifference(
  held: unknown,
  rendered: unknown,
  path: string,
  defaults: ServerDefaults,
  before?: Before,
): string | undefined {
  if (Array.isArray(held) && Array.isArray(rendered)) {
    if (held.length !== rendered.length) return longerDifference(held, rendered, path, defaults, before);
    return firstOf(rendered.keys(), (index) =>
      firstDifference(held[index], rendered[index], `${path}[${index}]`, defaults, entryOf(before, rendered[index], index)),
    );
  }
  if (isRecord(held) && isRecord(rendered)) {
    const keys = new Set([...Object.keys(rendered), ...Object.keys(held)]);
    return firstOf(keys, (key) => memberDifference(held, rendered, key, `${path}.${key}`, defaults, before));
  }
  return held === rendered ? undefined : path;
}

type ComparedFields = Record<string, unknown>;
interface Before {
  held: unknown;
}

function memberDifference(
  held: ComparedFields,
  rendered: ComparedFields,
  key: string,
  path: string,
  defaults: ServerDefaults,
  before: Before | undefined,
): string | undefined {
  const isHeld = isSaid(held[key]);
  // An explicit 0, false or '' is lost if the server has another value, even a default.
  const isExplicit = isSaid(rendered[key]) || (rendered[key] != null && typeof rendered[key] !== 'object');
  if (isHeld && isExplicit) return firstDifference(held[key], rendered[key], path, defaults, inner(before, key));
  if (isHeld) return isDefault(key, held[key], rendered, defaults) || isNew(held[key], inner(before, key), defaults) ? undefined : path;
  return isSaid(rendered[key]) ? path : undefined;
}

/** Lists of different lengths: the stored list must contain the rendered entries, and its other entries must be new. */
function longerDifference(
  held: readonly unknown[],
  rendered: readonly unknown[],
  path: string,
  defaults: ServerDefaults,
  before: Before | undefined,
): string | undefined {
  const alike = likely(rendered);
  if (alike === undefined) return path;
  const more = held.filter(
    (one) => !alike(one).some((other) => firstDifference(one, other, path, defaults, { held: undefined }) === undefined),
  );
  const isOnlyMore = before !== undefined && held.length - more.length === rendered.length;
  return isOnlyMore && isNew(more, before, defaults) ? undefined : `${path}[${Math.min(held.length, rendered.length)}]`;
}

/** The field had no value before the write. */
function isNew(held: unknown, before: Before | undefined, defaults: ServerDefaults): boolean {
  if (before === undefined) return false;
  const { held: old } = before;
  const isSame = (one: unknown, other: unknown) => firstDifference(other, one, '', defaults) === undefined;
  if (Array.isArray(held) && Array.isArray(old)) {
    const alike = likely(old);
    return alike !== undefined && !held.some((one) => alike(one).some((other) => isSame(one, other)));
  }
  if (isRecord(held) && isRecord(old)) return Object.keys(held).every((key) => isNew(held[key], { held: old[key] }, defaults));
  return !isSame(held, old);
}

function inner(before: Before | undefined, key: string): Before | undefined {
  return before && { held: isRecord(before.held) ? before.held[key] : undefined };
}

/** The stored entry of a list: found by its name, since its place can have changed. */
function entryOf(before: Before | undefined, entry: unknown, index: number): Before | undefined {
  if (before === undefined || !Array.isArray(before.held)) return before && { held: undefined };
  const entries: unknown[] = before.held;
  const name = isRecord(entry) ? entry.name : undefined;
  return { held: name === undefined ? entries[index] : entriesByName(entries).get(name) };
}

/** The first entry of each name; made once for a list, which a search for each entry would otherwise scan each time. */
const entriesByName = oncePerObject((entries: readonly unknown[]): ReadonlyMap<unknown, unknown> => {
  const index = new Map<unknown, unknown>();
  for (const one of entries) if (isRecord(one) && !index.has(one.name)) index.set(one.name, one);
  return index;
});

/** Maximum number of entries that only a full comparison distinguishes: with more of them, lists of different lengths count as different. */
const MOST_ALIKE = 100;

/**
 * The entries that can equal another one: those with its name, or all without a name; for a text or number, itself. Undefined if too many have to be compared.
 */
function likely(entries: readonly unknown[]): ((one: unknown) => readonly unknown[]) | undefined {
  const unnamed = {};
  const keyOf = (one: unknown) => (typeof one !== 'object' || one === null ? one : ((isRecord(one) ? one.name : undefined) ?? unnamed));
  const groups = Map.groupBy(entries, keyOf);
  const alike = (key: unknown) => groups.get(key) ?? [];
  for (const group of groups.values()) if (group.length > MOST_ALIKE && typeof group[0] === 'object') return undefined;
  return (one) =>
    typeof one === 'object' && keyOf(one) !== unnamed ? [...alike(keyOf(one)), ...alike(unnamed)] : alike(keyOf(one)).slice(0, MOST_ALIKE);
}

/** Servers omit empty values, or fill them in: `{}`, `[]`, `''`, 0, false and null all mean that no value was given. */
function isSaid(value: unknown): boolean {
  if (!value) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function isDefault(key: string, value: unknown, rendered: ComparedFields, defaults: ServerDefaults): boolean {
  if (key === 'serviceAccount') return value === rendered.serviceAccountName;
  if (isRecord(value))
    return Object.entries(value).every(([inner, innerValue]) => !isSaid(innerValue) || isDefault(inner, innerValue, {}, defaults));
  return defaults[key]?.includes(value) ?? false;
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
