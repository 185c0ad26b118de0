import type { About } from '../../api/codes/code.ts';
import { type BlockerCode, type Cause, type CodeName, needsNoOne, remedyOf } from '../../api/codes/codes.ts';
import { defined } from '../../base/defined.ts';
import { valueAt } from '../../base/json.ts';
import type { ChangeOf, Diagnosis } from '../documents/canary-documents.ts';

/** One cause that holds a release, with its proof, as the objects give it: `diagnosisOf` fills in what the Canary decides. */
export interface Trouble extends Omit<Diagnosis, 'sentence' | 'change' | 'action'> {
  cause: Cause;
  /** Code of the remedy and the commands, by default the cause. */
  code?: CodeName | undefined;
  /** Names for the remedy and the commands of the code. */
  about?: About | undefined;
  /** By default the remedy of the code. */
  action?: string;
  change?: ChangeOf | TemplateChange | undefined;
}

/** Action for the user: the remedy of the code, or a remedy for this case. */
export const actionOf = ({ cause, code = cause, about, action }: Trouble): string => action ?? remedyOf(code, about);

/** The same trouble under the name of the cause that it is part of; the remedy stays. */
export const asCause = (cause: Cause, trouble: Trouble): Trouble => ({ ...trouble, cause, code: trouble.code ?? trouble.cause });

/** The cause that is named for a blocker: some have a more exact one, or are part of another. */
export function causeOf(code: BlockerCode): Cause {
  return code === 'SecretNotFound' || code === 'SecretRejected' ? 'Unmeasured' : code;
}

/** Nothing more is known of a side than that it is not ready. */
export const isVague = ({ cause }: Trouble): boolean => needsNoOne(cause) || cause === 'PodsNotReady' || cause === 'PrimaryUnavailable';

/** The part of a pod template to correct; every version comes from the target's, so that only that is edited. */
export interface TemplateChange {
  template: string;
  /** Name of the primary, if only that is broken; by default the target. */
  name?: string;
}

/** The object, for a remedy. */
export const aboutIt = ({ kind, metadata: { name, namespace } }: NamedObject): About => ({ object: { kind, name, namespace } });

/** Kind and name of an object; a whole object also fits. */
interface NamedObject {
  kind: string;
  metadata: { name: string; namespace?: string | undefined };
}

const nameOf = ({ kind, metadata: { name, namespace } }: NamedObject) => defined({ kind, namespace, name });

/** A field of an object with its value, by default the stored value; lists in the path can name an entry, as in `status.conditions[Ready]`. */
export function fieldProof(object: NamedObject, field: string, value: unknown = storedValue(object, field)): Diagnosis['proof'][number] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...nameOf(object), field, value: value === undefined ? 'not set' : text };
}

/** The value at a path like `spec.analysis.metrics[0].interval`. */
export const storedValue = (object: unknown, path: string): unknown => valueAt(object, path.split(/[.[\]]+/).filter(Boolean));

/** The field of an object to correct; the value is for the user to decide. */
export const toSet = (object: NamedObject, field: string): ChangeOf => ({ verb: 'set', ...nameOf(object), field });

/** The change: create or remove this object. */
export const objectChange = (verb: 'create' | 'remove', object: NamedObject): ChangeOf => ({ verb, ...nameOf(object) });
