import type { NewBlocker } from '../../api/blocker.ts';
import { type BlockerMeaning, blockers } from '../../api/blockers.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import type { ChangeOf, Diagnosis } from '../output/documents.ts';
import type { Cause } from './causes.ts';

/** One cause that holds a release, with its proof. */
export interface Trouble extends Omit<Diagnosis, 'sentence'> {
  cause: Cause;
}

type Proof = Diagnosis['proof'][number];

/** A field of an object as it stands; lists in the path may name an entry, as in `status.conditions[Ready]`. */
export function proofIn({ kind, metadata: { name, namespace } }: NamedObject, field: string, value: unknown): Proof {
  return { kind, ...(namespace === undefined ? {} : { namespace }), name, field, value: shown(value) };
}

/** A value as text, JSON unless it is a text. */
export function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type NamedObject = Pick<KubeObject, 'kind' | 'metadata'>;

/** The field of an object to correct; the value is for the user to decide. */
export function toSet({ kind, metadata: { name, namespace } }: NamedObject, field: string): ChangeOf {
  return { verb: 'set', kind, ...(namespace === undefined ? {} : { namespace }), name, field };
}

/** The change: create this object. */
export function toCreate(kind: string, name: string, namespace: string | undefined): ChangeOf {
  return { verb: 'create', kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** The change: remove this object. */
export function toRemove(kind: string, name: string, namespace: string | undefined): ChangeOf {
  return { ...toCreate(kind, name, namespace), verb: 'remove' };
}

/** The pod template of what the user owns, or a part of it: every version comes from it, so that only it is edited. */
export function toCorrect({ raw, canary }: Pick<CanarySnapshot, 'raw' | 'canary'>, part = ''): { change?: ChangeOf } {
  if (canary === undefined) return {};
  const { apiVersion, kind, name } = canary.spec.targetRef;
  const { namespace } = raw.metadata;
  const hasTemplate = kind !== 'Service' || apiVersion !== 'v1';
  return { change: toSet({ kind, metadata: { name, ...(namespace && { namespace }) } }, hasTemplate ? `spec.template${part}` : 'spec') };
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

/** The commands of a code, for this Canary and the object concerned. */
export function commandsOf(
  { metadata }: KubeObject,
  { code, object }: Pick<NewBlocker, 'code' | 'object'>,
): { command?: string; look?: string } {
  const { command, look }: BlockerMeaning = blockers[code];
  const words: Readonly<Record<string, string>> = {
    CANARY: metadata.name,
    NAMESPACE: object?.namespace ?? metadata.namespace ?? '',
    // Any value that the annotation has not had yet.
    VERSION: `v${metadata.resourceVersion}`,
    ...(object && { KIND: object.kind.toLowerCase(), OBJECT: object.name }),
  };
  const filled = (line: string) => line.replace(/\b(CANARY|NAMESPACE|VERSION|KIND|OBJECT)\b/g, (word) => words[word] ?? word);
  return { ...(command === undefined ? {} : { command: filled(command) }), ...(look === undefined ? {} : { look: filled(look) }) };
}
