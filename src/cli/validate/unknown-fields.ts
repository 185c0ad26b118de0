import type { StructuralSchema } from '../../api/crds.ts';
import { fieldPath, type Step } from '../../api/field-path.ts';
import { type Finding, warning } from '../../api/finding.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** Fields outside the schema, which the API server drops without a word; with the name that was probably meant. */
export function unknownFields(object: KubeObject, schema: StructuralSchema): Finding[] {
  return walk(object, schema, []);
}

function walk(value: unknown, schema: StructuralSchema, path: readonly Step[]): Finding[] {
  if (schema.items && Array.isArray(value)) {
    const { items } = schema;
    return value.flatMap((each, index) => walk(each, items, [...path, index]));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { properties, additionalProperties } = schema;
  if (additionalProperties) return Object.entries(value).flatMap(([key, each]) => walk(each, additionalProperties, [...path, key]));
  if (!properties) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const child = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return child ? walk(each, child, [...path, key]) : [unknown([...path, key], key, Object.keys(properties))];
  });
}

function unknown(path: readonly Step[], key: string, known: readonly string[]): Finding {
  const likely = key === 'canaryAnalysis' ? 'analysis' : nearest(key, known);
  return warning(fieldPath(path), `is no field here and is dropped: ${likely === undefined ? 'remove it' : `did you mean ${likely}?`}`);
}

function nearest(key: string, known: readonly string[]): string | undefined {
  if (key.length > 60) return undefined;
  const most = Math.max(1, Math.floor(key.length / 3));
  const ranked = known
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

/** Letters to insert, delete or replace to get from `a` to `b` (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
