import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';

/** Corrects one field of an object, named as findings name it: `spec.template.spec.containers[web].image`. Undefined takes it out. */
export async function setField(cluster: KubeCluster, ref: ObjectRef, field: string, value: unknown): Promise<void> {
  const now = await cluster.get(ref);
  if (now === undefined) throw new Error(`${ref.kind} ${ref.name} does not exist, so that no field of it can be set`);
  const path = pointer(now, field).at(-1) ?? '';
  const isThere = valueAt(now, path) !== undefined;
  // `add` would insert a new entry into a list, before the existing one.
  const put = isThere ? [{ op: 'replace', path, value }] : [...made(now, field), { op: 'add', path, value }];
  await cluster.patch(ref, value === undefined ? [{ op: 'remove', path }] : put);
}

/** Creates the missing parent objects of a field. */
function made(now: KubeObject, field: string): object[] {
  return pointer(now, field)
    .slice(0, -1)
    .filter((path) => valueAt(now, path) === undefined)
    .map((path) => ({ op: 'add', path, value: {} }));
}

/** JSON pointers of the field, and before it of all that it lies in. */
function pointer(now: KubeObject, field: string): string[] {
  const steps = field.match(/\[[^\]]*\]|[^.[\]]+/g) ?? [];
  let place: unknown = now;
  let path = '';
  return steps.map((step) => {
    const key = step.replace(/^\[(.*)\]$/, '$1');
    const at = Array.isArray(place) && !/^\d+$/.test(key) ? place.findIndex(({ name }) => name === key) : key;
    if (at === -1) throw new Error(`${field}: ${key} not found`);
    place = typeof place === 'object' && place !== null ? Reflect.get(place, at) : undefined;
    path += `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return path;
  });
}

function valueAt(now: unknown, path: string): unknown {
  let value = now;
  for (const step of path.slice(1).split('/')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}
