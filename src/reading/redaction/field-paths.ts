import { isRecord } from '../../base/json.ts';

/**
 * The fields that a manager owns, as `spec.template.containers[web].image`: of `fieldsV1` only the names. The entry of a list of plain values is
 * the value itself, and is shown as `[]`.
 */
export function fieldPaths(fields: unknown, path = ''): string[] {
  if (!isRecord(fields)) return [];
  const inner = Object.entries(fields).filter(([key]) => key !== '.');
  if (inner.length === 0) return path === '' ? [] : [path];
  return [...new Set(inner.flatMap(([key, below]) => fieldPaths(below, `${path}${stepOf(key, path === '')}`)))];
}

function stepOf(key: string, isFirst: boolean): string {
  if (key.startsWith('f:')) return `${isFirst ? '' : '.'}${key.slice(2)}`;
  return key.startsWith('k:') ? `[${nameIn(key.slice(2))}]` : '[]';
}

/** Shows only the name in a list entry's key fields; other keys can be an address. */
function nameIn(text: string): string {
  try {
    const keys: unknown = JSON.parse(text);
    const name = isRecord(keys) ? (keys.name ?? keys.type ?? keys.containerPort ?? keys.port) : undefined;
    return name === undefined ? '' : String(name);
  } catch {
    // A form that is not known says nothing.
    return '';
  }
}
