import type { NewBlocker } from '../../api/blocker.ts';
import { defined } from '../../api/defined.ts';
import { valueAt as valueAtSteps } from '../../api/json.ts';
import type { ChangeOf, Diagnosis } from '../output/documents.ts';
import type { Cause } from './causes.ts';

/** One cause that holds a release, with its proof, as the objects give it: `diagnosisOf` fills in what the Canary decides. */
export interface Trouble extends Omit<Diagnosis, 'sentence' | 'change'> {
  cause: Cause;
  change?: ChangeOf | TemplateChange | undefined;
  /** Its code has commands in `api/blockers.ts`. */
  blocker?: Pick<NewBlocker, 'code' | 'object'>;
}

/** The part of a pod template to correct; every version comes from the target's, so that only that is edited. */
export interface TemplateChange {
  template: string;
  /** The name of the primary, which alone is broken; absent: the target. */
  name?: string;
}

/** What names an object: a whole one fits, too. */
interface NamedObject {
  kind: string;
  metadata: { name: string; namespace?: string | undefined };
}

const nameOf = ({ kind, metadata: { name, namespace } }: NamedObject) => defined({ kind, namespace, name });

/** A field of an object as it stands, by default its value; lists in the path may name an entry, as in `status.conditions[Ready]`. */
export function proofIn(object: NamedObject, field: string, value: unknown = valueAt(object, field)): Diagnosis['proof'][number] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...nameOf(object), field, value: value === undefined ? 'not set' : text };
}

/** The value at a path like `spec.analysis.metrics[0].interval`. */
export const valueAt = (object: unknown, path: string): unknown => valueAtSteps(object, path.split(/[.[\]]+/).filter(Boolean));

/** The field of an object to correct; the value is for the user to decide. */
export const toSet = (object: NamedObject, field: string): ChangeOf => ({ verb: 'set', ...nameOf(object), field });

/** The change: create or remove this object. */
export const changeOf = (verb: 'create' | 'remove', object: NamedObject): ChangeOf => ({ verb, ...nameOf(object) });
