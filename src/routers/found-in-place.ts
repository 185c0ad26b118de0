import { findObject, type KubeObject, type ObjectRef, refOf } from '../api/kube-object.ts';
import { isTaken, type NamesOurSides, originalConfig, originalSpec, rememberedSpec } from './original-spec.ts';
import type { RouteChange } from './router.ts';

/** The object, with the spec of the foreign object that it replaces, if any. */
export function keeping(object: KubeObject, current: readonly KubeObject[], namesOurSides: NamesOurSides): KubeObject {
  const original = rememberedSpec(findObject(current, refOf(object)), namesOurSides);
  if (original === undefined) return object;
  const annotations = { ...object.metadata.annotations, [originalConfig]: original };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/**
 * Spec that deletion writes into an object that routes of the user's go on naming: its spec from before Serin, or `toApex`, which leads to the apex Service.
 * Empty if nothing of ours is in it: it is restored already, or was never ours.
 */
export function leftBehind(
  ref: ObjectRef,
  current: readonly KubeObject[],
  namesOurSides: NamesOurSides,
  toApex: (found: KubeObject) => object,
): KubeObject[] {
  const found = findObject(current, ref);
  if (!found || !isTaken(found, namesOurSides)) return [];
  const { apiVersion, kind, name, namespace = '' } = ref;
  return [{ apiVersion, kind, metadata: { name, namespace }, spec: originalSpec(found, namesOurSides) ?? toApex(found) }];
}

/** Restores adopted objects, removes ours, and leaves foreign ones unmodified. */
export function givenBack(
  refs: readonly ObjectRef[],
  current: readonly KubeObject[],
  namesOurSidesIn: (ref: ObjectRef) => NamesOurSides,
): RouteChange {
  const change: { write: KubeObject[]; remove: ObjectRef[] } = { write: [], remove: [] };
  for (const ref of refs) {
    const namesOurSides = namesOurSidesIn(ref);
    const found = findObject(current, ref);
    if (!found || !isTaken(found, namesOurSides)) continue;
    const spec = originalSpec(found, namesOurSides);
    const { apiVersion, kind, name, namespace } = ref;
    if (spec) change.write.push({ apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, spec });
    else change.remove.push(ref);
  }
  return change;
}
