import type { KubeObject } from '../api/kube-object.ts';

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  subresource?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
}

/** True if fields of the object itself (not of its status) belong to this manager by updates, as a client that sends whole objects leaves it. */
export function isUpdatedBy(object: KubeObject, manager: string): boolean {
  return entriesOf(object).some((entry) => isUpdateOf(entry, manager));
}

/**
 * `managedFields` with the fields that one manager owns by updates moved to the fields that another applies: a later apply that leaves such a field out removes
 * it, instead of leaving it to an owner that is gone. `undefined` if no field has to move. As client-go's csaupgrade.
 */
export function fieldsTakenOver(object: KubeObject, from: string, to: string): ManagedFieldsEntry[] | undefined {
  const entries = entriesOf(object);
  const moved = entries.filter((entry) => isUpdateOf(entry, from));
  if (moved.length === 0) return undefined;
  const isApplied = ({ manager, operation, subresource }: ManagedFieldsEntry) =>
    manager === to && operation === 'Apply' && (subresource ?? '') === '';
  const applied = entries.find(isApplied);
  const last = applied ?? moved[0];
  const entry: ManagedFieldsEntry = {
    ...last,
    manager: to,
    operation: 'Apply',
    fieldsType: 'FieldsV1',
    fieldsV1: [...moved, ...(applied ? [applied] : [])].reduce<Record<string, unknown>>((all, one) => union(all, one.fieldsV1 ?? {}), {}),
  };
  return [...entries.filter((one) => !moved.includes(one) && one !== applied), entry];
}

/**
 * JSON patch after which a manager owns no field of an object except its status. The fields stay. `undefined` if it owns none. It is valid for this version of
 * the object.
 *
 * Source: an empty list does not reset them, and `[{}]` does (Server-Side Apply, "Clearing managedFields").
 */
export function givingUpFields(object: KubeObject, manager: string): object[] | undefined {
  const path = '/metadata/managedFields';
  const entries = entriesOf(object);
  const own = entries.flatMap((entry, index) => (entry.manager === manager && entry.subresource !== 'status' ? [index] : []));
  if (own.length === 0) return undefined;
  const test = { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion };
  if (own.length === entries.length) return [test, { op: 'replace', path, value: [{}] }];
  return [test, ...own.toReversed().map((index) => ({ op: 'remove', path: `${path}/${index}` }))];
}

export function entriesOf(object: KubeObject): ManagedFieldsEntry[] {
  return (object.metadata.managedFields ?? []) as ManagedFieldsEntry[];
}

function isUpdateOf({ manager, operation, subresource }: ManagedFieldsEntry, name: string): boolean {
  return manager === name && operation === 'Update' && (subresource ?? '') === '';
}

/** Field sets are trees of keys. */
function union(one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  const all = { ...one };
  for (const [key, value] of Object.entries(other))
    all[key] = union((all[key] ?? {}) as Record<string, unknown>, (value ?? {}) as Record<string, unknown>);
  return all;
}
