import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject, type ObjectRef, type OwnerReference, refKey, refOf } from '../../api/kube-object.ts';
import { madeForAnnotation, names, ownerAnnotation } from '../../api/names.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { readAll } from '../../kube/cluster.ts';
import { isConflict } from '../../kube/errors.ts';
import { deleteFound, over } from '../../kube/what-was-found.ts';
import { routerFor } from '../../routers/index.ts';
import { INTRODUCED_FOR_MS, INTRODUCTION_STEPS, introduces, MOST_ANNOUNCEMENTS } from '../../routers/introduction.ts';
import type { Router } from '../../routers/router.ts';
import { anchorReference } from '../../workloads/anchor.ts';
import type { DepsOf } from '../controller-deps.ts';
import { apexKey, isCollected, isOurRoute } from '../objects/ownership.ts';
import { mergeIntoTarget } from '../reconcile/ensure-object.ts';
import { introduceServices } from './introduce-services.ts';

const MOST_TRIES = 5;

type RestoreRoutesDeps = DepsOf<'cluster' | 'config'>;

/** The receiver of routes that we made for an edge. Without a target they lead nowhere, and go with the anchor. */
export type Parting = { to: 'target' } | { to: 'anchor'; anchor?: KubeObject };

/**
 * Puts routes found in place back, leaves routes that serve an edge and removes the others that we made. Proxies learn of it before the Services that it names
 * are collected.
 */
export async function finalizeRoutes(
  canary: Canary,
  { delayMs, parting }: { delayMs: number; parting: Parting },
  { clock, ...deps }: RestoreRoutesDeps & { clock: Clock },
): Promise<void> {
  const { config, signal } = deps;
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in router) return;
  const refs = router.watches(canary);
  if (delayMs > 0) await announceFinalized(canary, router, { clock, ...deps });
  const wrote = await restoreRoutes(canary, { router, refs, parting }, deps);
  if (wrote) await sleep(clock, delayMs, signal);
}

/** Lets proxies learn of the Services that finalized routes lead to (DF650), again where a tool puts a route back meanwhile. */
async function announceFinalized(canary: Canary, router: Router, { clock, ...deps }: RestoreRoutesDeps & { clock: Clock }): Promise<void> {
  const { cluster, signal } = deps;
  for (let step = 0; step < INTRODUCTION_STEPS + MOST_ANNOUNCEMENTS; step += 1) {
    const current = await readAll(router.watches(canary), cluster, signal);
    const { write } = router.finalize(canary, current);
    // A pass before the deletion announced some, an unknown time ago.
    const isAnnounced = step === 0 && current.some((route) => introduces(canary, route));
    if (!isAnnounced && (await introduceServices(canary, write, { router, current }, deps)).length === 0) return;
    await sleep(clock, INTRODUCED_FOR_MS, signal);
  }
}

/** Removes the routes outside of a deleted namespace, whose other objects are deleted with it: they would lead to Services that are gone. */
export async function removeRoutesElsewhere(canary: Canary, deps: RestoreRoutesDeps): Promise<void> {
  const { config } = deps;
  const router = routerFor(canary.spec.provider ?? config.meshProvider);
  if ('unsupported' in router) return;
  const afar = router.watches(canary).filter((ref) => !isCollected(ref, config));
  if (afar.length > 0) await restoreRoutes(canary, { router, refs: afar, parting: { to: 'anchor' } }, deps);
}

/** Finalizes the routes among these refs. Deletes our routes that no garbage collector takes. True when it wrote. */
async function restoreRoutes(
  canary: Canary,
  { router, refs, parting }: { router: Router; refs: readonly ObjectRef[]; parting: Parting },
  { cluster, config, signal }: RestoreRoutesDeps,
): Promise<boolean> {
  const current = await readAll(refs, cluster, signal);
  const { write, remove } = router.finalize(canary, current);
  const isForEdge = (object: KubeObject) => isOurRoute(canary, object, config) && router.afterDeletion(canary, object) === 'stays';
  const stays = (object: KubeObject) => parting.to === 'target' && isForEdge(object);
  // Marked for this Canary, or for a Canary of its name that it has taken over from. Elsewhere it is another Canary's, for any names in the spec.
  const isMade = ({ metadata }: KubeObject) =>
    metadata.annotations?.[ownerAnnotation] !== undefined && metadata.namespace === canary.metadata.namespace;
  const stranded = current.filter((object) => !isCollected(refOf(object), config) && isMade(object) && !stays(object)).map(refOf);
  const gone = [...remove, ...stranded].map(refKey);
  for (const object of write) {
    if (gone.includes(refKey(refOf(object)))) continue;
    await applyOver(object, findObject(current, refOf(object)), { cluster, router, signal });
  }
  for (const ref of current.map(refOf)) {
    if (gone.includes(refKey(ref))) continue;
    await part(ref, (route) => (isForEdge(route) ? partingPatch(canary, route, parting) : undefined), { cluster, signal });
  }
  for (const ref of [...remove, ...stranded]) {
    const found = findObject(current, ref);
    if (found) await deleteFound(found, cluster, { signal });
  }
  return write.length + gone.length > 0;
}

/** Patches the metadata of a route, under the version that the patch was computed from. A proxy that has just seen a write can report on it meanwhile. */
async function part(
  ref: ObjectRef,
  patchOf: (route: KubeObject) => object | undefined,
  { cluster, signal }: DepsOf<'cluster'>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const route = await cluster.get(ref, { signal });
    const patch = route && patchOf(route);
    if (!patch) return;
    const { resourceVersion } = route.metadata;
    try {
      await cluster.patch(ref, { metadata: { ...patch, resourceVersion } }, { signal });
      return;
    } catch (error) {
      if (!isConflict(error) || tries >= MOST_TRIES) throw error;
    }
  }
}

/** Takes our owner from a route that stays, and marks it as of this apex. Gives an owner to a route that was left before its target went. */
function partingPatch(canary: Canary, route: KubeObject, parting: Parting): object | undefined {
  const isOurs = ({ kind, name }: OwnerReference) =>
    (kind === 'ControllerRevision' && name === names(canary).anchor) || (kind === 'Canary' && name === canary.metadata.name);
  const { annotations, ownerReferences: found = [] } = route.metadata;
  const others = found.filter((owner) => !isOurs(owner));
  const isParted = others.length === found.length;
  const isMarked = annotations?.[madeForAnnotation] === apexKey(canary);
  const leave = { annotations: { [madeForAnnotation]: apexKey(canary) }, ownerReferences: others.length > 0 ? others : null };
  const { name, uid = '' } = parting.to === 'anchor' ? (parting.anchor?.metadata ?? {}) : {};
  const take = name !== undefined && isParted ? { ownerReferences: [...others, anchorReference({ name, uid })] } : undefined;
  return parting.to === 'target' ? (isParted && isMarked ? undefined : leave) : take;
}

/** Writes over the version that it was computed from: a late write undoes nothing of a successor (I9). Our objects stay ours. */
export async function applyOver(
  object: KubeObject,
  live: KubeObject | undefined,
  { cluster, router, signal }: DepsOf<'cluster'> & { router: Pick<Router, 'isUsers'> },
): Promise<KubeObject> {
  const { annotations, ownerReferences } = live?.metadata ?? {};
  if (live && router.isUsers?.(live)) return mergeIntoTarget({ cluster, signal }, object, live);
  const mark = annotations?.[ownerAnnotation];
  const metadata = {
    ...object.metadata,
    ...(mark === undefined ? {} : { annotations: { ...object.metadata.annotations, [ownerAnnotation]: mark } }),
    ...(mark === undefined || ownerReferences === undefined ? {} : { ownerReferences }),
  };
  return cluster.apply(over(live, { ...object, metadata }), { signal });
}
