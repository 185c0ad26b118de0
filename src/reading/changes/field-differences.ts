import { defined } from '../../base/defined.ts';
import { isRecord } from '../../base/json.ts';
import type { Difference } from '../documents/canary-documents.ts';

/** One field that differs between the promoted object and the target. */
export type FieldDifference = Difference['changes'][number];

/** Where two objects differ, field by field. Entries of lists that have names are compared by name, since their place says little. */
export function fieldDifferences(promoted: unknown, target: unknown, path = ''): FieldDifference[] {
  if (promoted === undefined && target === undefined) return [];
  if (isRecord(promoted) && isRecord(target)) {
    const keys = [...new Set([...Object.keys(promoted), ...Object.keys(target)])].sort();
    return keys.flatMap((key) => fieldDifferences(promoted[key], target[key], path === '' ? key : `${path}${member(key)}`));
  }
  const [ours, theirs] = [entriesOf(promoted), entriesOf(target)];
  if (ours && theirs) {
    const keys = [...new Set([...ours.keys(), ...theirs.keys()])];
    return keys.flatMap((key) => fieldDifferences(ours.get(key), theirs.get(key), `${path}[${key}]`));
  }
  if (JSON.stringify(promoted) === JSON.stringify(target)) return [];
  return [defined({ field: path, promoted: jsonOf(promoted), target: jsonOf(target) })];
}

const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
const member = (key: string): string => (/^[A-Za-z][\w-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);

function entriesOf(list: unknown): Map<string, unknown> | undefined {
  if (!Array.isArray(list)) return undefined;
  const names = list.map((one) => (isRecord(one) && typeof one.name === 'string' ? one.name : undefined));
  const areNamed = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return new Map(list.map((one, index) => [areNamed ? (names[index] ?? '') : String(index), one]));
}
