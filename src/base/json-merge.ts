import { isRecord, type JsonRecord } from './json.ts';

/** Keys that would reach the prototype. A stored text can hold them. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** RFC 7386, on a copy. Lists are replaced whole. */
export function mergeJson(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: JsonRecord = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (UNSAFE.has(key)) continue;
    if (value === null) delete merged[key];
    else merged[key] = mergeJson(merged[key], value);
  }
  return merged;
}

/** The patch that turns `before` into `after`, `undefined` if they are equal. Both must be without null. */
export function mergePatchOf(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const patch: JsonRecord = {};
  for (const key of Object.keys({ ...before, ...after })) {
    const [was, is] = [before[key], after[key]];
    if (is === undefined) {
      if (was !== undefined) patch[key] = null;
      continue;
    }
    const changed = was === undefined ? is : mergePatchOf(was, is);
    if (changed !== undefined) patch[key] = changed;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
