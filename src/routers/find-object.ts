import { groupOf, type KubeObject, type ObjectRef } from '../api/kube-object.ts';

/** The object that a reference names, in whichever version of its group it was read. */
export function findObject(current: readonly KubeObject[], ref: ObjectRef): KubeObject | undefined {
  return current.find(
    (object) =>
      object.kind === ref.kind &&
      object.metadata.name === ref.name &&
      (object.metadata.namespace ?? ref.namespace) === ref.namespace &&
      groupOf(object.apiVersion) === groupOf(ref.apiVersion),
  );
}
