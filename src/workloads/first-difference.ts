import { isRecord } from './canonical-json.ts';

/** What API servers fill in where an object is silent, by field name. */
export type ServerDefaults = Readonly<Record<string, readonly unknown[]>>;

/** Path of the first field in which what a server holds is not what was rendered, its defaults aside; undefined: none. */
export function firstDifference(held: unknown, rendered: unknown, path: string, defaults: ServerDefaults): string | undefined {
  if (Array.isArray(held) && Array.isArray(rendered)) {
    if (held.length !== rendered.length) return `${path}[${Math.min(held.length, rendered.length)}]`;
    return firstOf(rendered.keys(), (index) => firstDifference(held[index], rendered[index], `${path}[${index}]`, defaults));
  }
  if (isRecord(held) && isRecord(rendered)) {
    const keys = new Set([...Object.keys(rendered), ...Object.keys(held)]);
    return firstOf(keys, (key) => memberDifference(held, rendered, key, `${path}.${key}`, defaults));
  }
  return held === rendered ? undefined : path;
}

type Fields = Record<string, unknown>;

function memberDifference(held: Fields, rendered: Fields, key: string, path: string, defaults: ServerDefaults): string | undefined {
  const isHeld = isSaid(held[key]);
  // An explicit 0, false or '' is lost when the server holds something else, be it a default.
  const isExplicit = isSaid(rendered[key]) || (rendered[key] != null && typeof rendered[key] !== 'object');
  if (isHeld && isExplicit) return firstDifference(held[key], rendered[key], path, defaults);
  if (isHeld) return isDefault(key, held[key], rendered, defaults) ? undefined : path;
  return isSaid(rendered[key]) ? path : undefined;
}

/** Servers leave out what is empty, or fill it in: `{}`, `[]`, `''`, 0, false and null all mean that nothing was said. */
function isSaid(value: unknown): boolean {
  if (!value) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function isDefault(key: string, value: unknown, rendered: Fields, defaults: ServerDefaults): boolean {
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
