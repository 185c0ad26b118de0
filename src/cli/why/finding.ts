import type { KubeObject } from '../../api/kube-object.ts';
import type { Diagnosis } from '../output/documents.ts';
import type { Cause } from './causes.ts';

/** One thing that holds a release, and what proves it. */
export interface Trouble extends Omit<Diagnosis, 'sentence'> {
  cause: Cause;
}

type Proof = Diagnosis['proof'][number];

/** A field of an object as it stands; lists in the path may name an entry, as in `status.conditions[Ready]`. */
export function proofIn(
  { kind, metadata: { name, namespace } }: Pick<KubeObject, 'kind' | 'metadata'>,
  field: string,
  value: unknown,
): Proof {
  return { kind, ...(namespace === undefined ? {} : { namespace }), name, field, value: shown(value) };
}

export function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value at a path like `spec.analysis.metrics[0].interval`. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const step of path.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
