import type { StructuralSchema } from '../../api/crds.ts';
import type { Finding } from '../../api/finding.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Problem } from '../../api/problem.ts';
import { fieldPath, type PathStep } from '../../base/field-path.ts';
import { nearest } from './nearest.ts';

/**
 * Fields outside the schema, with the name that was probably meant. `kubectl apply` refuses them by default (strict field validation); other
 * clients, such as Helm and Flux, drop them with a warning.
 */
export function unknownFields(object: KubeObject, schema: StructuralSchema, severity: Finding['severity']): Finding[] {
  return walk(object, schema, []).map((finding) => ({ severity, ...finding }));
}

function walk(value: unknown, schema: StructuralSchema, path: readonly PathStep[]): Problem[] {
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

function unknown(path: readonly PathStep[], key: string, known: readonly string[]): Problem {
  const likely = key === 'canaryAnalysis' ? 'analysis' : nearest(key, known);
  const remedy = likely === undefined ? 'remove it' : `did you mean ${likely}?`;
  return { path: fieldPath(path), message: `is not a field: kubectl apply refuses the object for it, other clients drop it: ${remedy}` };
}
