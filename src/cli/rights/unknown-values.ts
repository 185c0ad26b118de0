import type { Problem } from '../../api/problem.ts';
import { isRecord } from '../../base/json.ts';
import chartKeys from './chart-keys.json' with { type: 'json' };

/** Keys of charts/serin: below each key its own keys, for a list the keys of each entry; `null` accepts any value. */
type Keys = { readonly [key: string]: Keys } | readonly Keys[] | null;

/** A file can be wrong in many places: no more than these are listed. */
const MOST_PROBLEMS = 50;

/** Values that the schema of the chart refuses by their key, so that Helm would also refuse them. */
export function unknownValues(values: unknown): Problem[] {
  return unknownIn(values, chartKeys, '').slice(0, MOST_PROBLEMS);
}

function unknownIn(value: unknown, keys: Keys, path: string): Problem[] {
  if (keys === null) return [];
  if (isList(keys)) {
    const [each = null] = keys;
    return Array.isArray(value) ? value.flatMap((one, index) => unknownIn(one, each, `${path}[${index}]`)) : [];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, below]): Problem[] => {
    const at = path === '' ? key : `${path}.${key}`;
    if (Object.hasOwn(keys, key)) return unknownIn(below, keys[key] ?? null, at);
    return [{ path: at, message: 'is not a value of the chart: correct its name or remove it' }];
  });
}

const isList = (keys: Keys): keys is readonly Keys[] => Array.isArray(keys);
