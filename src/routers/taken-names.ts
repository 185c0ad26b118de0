import type { Canary } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { findObject, groupOf, type KubeObject, type ObjectRef } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import type { Unkept } from './router.ts';
import { isUsersRoute } from './split/users-route.ts';

/** The user's object at a reference, neither made by Serin or Flagger nor handed over. `objects`: of any namespace. */
function usersObject(objects: readonly KubeObject[], ref: ObjectRef): KubeObject | undefined {
  const found = objects.find(
    ({ apiVersion, kind, metadata: { name, namespace } }) =>
      kind === ref.kind && name === ref.name && namespace === ref.namespace && groupOf(apiVersion) === groupOf(ref.apiVersion),
  );
  return found && isUsersRoute(found) ? found : undefined;
}

/** Text and tests for an object of the user's that Serin would write whole. */
interface Replaced {
  /** It leads to the application as Serin's does, and nothing of it is lost meanwhile. */
  keeps?(spec: Partial<Record<string, unknown>>): boolean;
  /** Description of Serin's object. */
  made: string;
  /** Deletion puts it back. */
  isRestored?: true;
  /** Default: another name. */
  remedy?: string;
}

/** Objects of the user's that have the name of an object that Serin makes: their content would be lost. */
export function takenNames(
  objects: readonly KubeObject[],
  refs: readonly ObjectRef[],
  { keeps, made, isRestored, remedy = 'give it another name' }: Replaced,
): Unkept[] {
  return refs.flatMap((ref): Unkept[] => {
    const on = usersObject(objects, ref);
    if (!on || keeps?.(specOf(on))) return [];
    const end = isRestored
      ? 'its content would be gone for as long as the Canary exists'
      : 'it would be overwritten, and removed with the Canary';
    return [{ on, field: 'metadata.name', isRefused: true, detail: `is that of ${made}: ${end}`, remedy }];
  });
}

/** Those of these objects that are Serin's to remove: not the user's, unless one leads to the sides, and so has lost its marks. */
export function ownAmong(canary: Canary, refs: readonly ObjectRef[], current: readonly KubeObject[]): ObjectRef[] {
  const { primaryService, canaryService } = names(canary);
  return refs.filter((ref) => {
    const found = findObject(current, ref);
    if (!found) return false;
    const text = JSON.stringify(specOf(found));
    return !isUsersRoute(found) || [primaryService, canaryService].some((side) => text.includes(`"${side}"`) || text.includes(`"${side}.`));
  });
}
