import { canonicalJson } from '../base/json.ts';
import type { JsonPatchOperation } from './workload.ts';

/** The JSON patch operation that turns the value at a path into another; none where they are equal. `path` is escaped already. */
export function changeOf(path: string, from: unknown, to: unknown): JsonPatchOperation[] {
  if (canonicalJson(from) === canonicalJson(to)) return [];
  if (to === undefined) return [{ op: 'remove', path }];
  return [{ op: from === undefined ? 'add' : 'replace', path, value: to }];
}
