import { type KubeObject, type ObjectRef, refOf } from '../../../src/api/kube-object.ts';
import { ownerAnnotation } from '../../../src/api/names.ts';
import { missingField, withoutBookkeeping } from '../../../src/controller/objects/drift.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import type { Router } from '../../../src/routers/router.ts';
import { raw } from '../../fakes/raw.ts';
import type { Shape } from './shapes.ts';

export interface Acceptance {
  /** Errors of the server, or of the comparison with its answer. */
  rejections: string[];
  /** Routes that the router reads from the objects that the server returned. */
  read: unknown;
}

/**
 * Sends one shape through the API server as the controller does, twice: rendered from the existing objects, applied, and rendered again from the objects that
 * the server returned, which must already contain all of it. Everything is removed again.
 */
export async function applyShape(cluster: Cluster, router: Router, { canary, apex, routes, current }: Shape): Promise<Acceptance> {
  const rejections: string[] = [];
  const watched = router.watches(canary);
  const found = async (): Promise<KubeObject[]> =>
    (await Promise.all(watched.map((ref) => cluster.get(ref)))).flatMap((object) => (object ? [withoutBookkeeping(object)] : []));
  const made: ObjectRef[] = [];
  try {
    for (const object of current) {
      await cluster.create(asManifest(object));
      made.push(refOf(object));
      if (object.status) await cluster.patch(refOf(object), { status: object.status }, { subresource: 'status' }).catch(hasNoStatus);
    }
    const before = await found();
    const { write, remove } = router.render(canary, apex, routes, before);
    for (const object of write) {
      const live = before.find((one) => isOne(one, object));
      if (!live) made.push(refOf(object));
      const rejection = await send(cluster, canary.metadata.uid, object, live);
      if (rejection !== undefined) rejections.push(rejection);
    }
    for (const ref of remove) await cluster.delete(ref);
    const after = await found();
    const again = router.render(canary, apex, routes, after);
    for (const object of again.write) {
      const live = after.find((one) => isOne(one, object));
      const missing = live ? missingField(object, live) : 'all of it';
      if (missing !== undefined)
        rejections.push(`${object.kind} ${object.metadata.name}: rendered again, ${missing} differs: ${at(live, missing)}`);
    }
    for (const ref of again.remove) rejections.push(`${ref.kind} ${ref.name} is removed a second time`);
    return { rejections, read: router.readRoutes(canary, after) };
  } finally {
    for (const ref of made) await cluster.delete(ref);
    for (const ref of watched) await isAbsent(cluster, ref, current);
  }
}

/** Writes like the reconciler: applies over the version that it was computed from, and sets a list whole if others have added to it. */
async function send(cluster: Cluster, owner: string, object: KubeObject, live: KubeObject | undefined): Promise<string | undefined> {
  const { metadata } = object;
  const resourceVersion = live?.metadata.resourceVersion;
  const marked = live ? {} : { annotations: { ...metadata.annotations, [ownerAnnotation]: owner } };
  try {
    const toApply = { ...object, metadata: { ...metadata, ...marked, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
    const applied = await cluster.apply(toApply);
    const missing = missingField(object, applied);
    const [section, field = ''] = missing?.split(/[.[]/) ?? [];
    const list: unknown = section === 'spec' ? raw(object).spec[field] : undefined;
    if (live && Array.isArray(list)) await cluster.patch(refOf(object), { spec: { [field]: list } });
    else if (missing !== undefined) return `${object.kind} ${metadata.name}: the server keeps another ${missing}: ${at(applied, missing)}`;
    return undefined;
  } catch (error) {
    return `${object.kind} ${metadata.name} is refused: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** An object as a user applies it, without fields that only a server writes. */
function asManifest({ apiVersion, kind, metadata, status: _status, ...rest }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }), ...(annotations && { annotations }) },
    ...rest,
  };
}

function hasNoStatus(error: unknown): void {
  // A kind without the subresource: its status was dropped with the manifest's, and no router needs it then.
  if (!(error instanceof Error && 'status' in error && error.status === 404)) throw error;
}

async function isAbsent(cluster: Cluster, ref: ObjectRef, current: readonly KubeObject[]): Promise<void> {
  const left = await cluster.get(ref);
  if (left) throw new Error(`${ref.kind} ${ref.name} is still there, of ${current.length} that stood before`);
}

const isOne = (a: KubeObject, b: KubeObject): boolean =>
  a.kind === b.kind && a.metadata.name === b.metadata.name && a.apiVersion.split('/')[0] === b.apiVersion.split('/')[0];

function at(object: KubeObject | undefined, path: string): string {
  const value = path
    .split(/[.[\]]+/)
    .reduce<unknown>((inner, key) => (key === '' ? inner : (inner as Record<string, unknown>)?.[key]), object);
  return JSON.stringify(value) ?? 'nothing';
}
