import type { ObjectRef } from '../../api/kube-object.ts';
import type { WithoutCompanion } from './companion.ts';
import { MOST_SOURCES } from './index.ts';

/** A clause: the reason for which an object of the target does not hold for the primary, and the remedy; undefined if nothing is lost. */
export function missingText({ source: { kind, name }, code }: WithoutCompanion): string | undefined {
  const what = `${kind} ${name}`;
  switch (code) {
    case 'selectsBoth':
    case 'hasOwn':
      return undefined;
    case 'nameTaken':
      return `${what} does not hold for the primary, since objects have the names of its companion: write one for the primary`;
    case 'anotherNamespace':
      return `${what} admits the target from another namespace, and not the primary: also admit the primary there`;
    case 'anotherTarget':
      return `${what} is for what made the target, and does not hold for the primary: write one for the primary`;
    case 'namespaceUnknown':
      return `${what} was not checked, since the labels of the namespace cannot be read: grant the service account of Serin get on namespaces`;
    case 'addsRules':
      return `${what} begins to apply to the primary, and opens what is closed at the pods of the target: also leave the primary out by its label`;
    case 'tooMany':
      return `${what} was not checked, since the namespace has more than ${MOST_SOURCES} of its kind`;
    default:
      return code satisfies never;
  }
}

/** A clause: a kind that Serin may not read is not checked, which does not mean that no object exists. */
export function listRemedy({ kind }: Pick<ObjectRef, 'kind'>, why: string): string {
  return `objects of kind ${kind} were not checked (${why}): grant the service account of Serin list and watch on them, or switch them off by --companions`;
}
