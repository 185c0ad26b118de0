import { apiVersion, type Canary } from '../../api/canary.ts';
import type { KubeObject, Slim } from '../../api/kube-object.ts';
import { madeForAnnotation, ownerAnnotation } from '../../api/names.ts';
import type { Router } from '../../routers/router.ts';
import { anchorReference } from '../../workloads/anchor.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { DepsOf } from '../controller-deps.ts';
import { apexKey, isCollected } from '../objects/ownership.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import { generatedRefs } from './take-over.ts';

type AdoptRestoredDeps = DepsOf<'cluster' | 'view' | 'anchors' | 'config'>;

/**
 * Adopts the objects of this Canary that a restored backup has: they and their Canary have other uids than before, and no owner. They are marked for a
 * Canary that does not exist, and would otherwise block this one as another owner's. True when something was written.
 */
export async function adoptRestored(canary: Canary, workload: Workload, router: Router, deps: AdoptRestoredDeps): Promise<boolean> {
  const { cluster, view, anchors, config, signal } = deps;
  let wrote = false;
  for (const ref of generatedRefs(canary, workload, router)) {
    const found = view.find(ref)?.object;
    if (!found || !isCollected(ref, config) || !isLeft(canary, found, view)) continue;
    const { resourceVersion } = found.metadata;
    const ownerReferences = [anchorReference(await anchors.reference(canary, signal))];
    const metadata = { resourceVersion, annotations: { [ownerAnnotation]: canary.metadata.uid }, ownerReferences };
    view.learn(await cluster.patch(ref, { metadata }, { signal }));
    wrote = true;
  }
  return wrote;
}

/** A copy of an object for another apex is not left over. */
function isLeft(canary: Canary, object: KubeObject | Slim, view: Pick<ClusterView, 'allIn'>): boolean {
  const madeFor = object.metadata.annotations?.[madeForAnnotation];
  return (madeFor === undefined || madeFor === apexKey(canary)) && isLeftOver(object, view);
}

/** True for an object that is marked for a Canary that does not exist, and has no owner. */
export function isLeftOver({ metadata }: KubeObject | Slim, view: Pick<ClusterView, 'allIn'>): boolean {
  const mark = metadata.annotations?.[ownerAnnotation];
  if (mark === undefined || (metadata.ownerReferences ?? []).length > 0) return false;
  return !view.allIn({ apiVersion, kind: 'Canary' }, metadata.namespace ?? '').some(({ object }) => object.metadata.uid === mark);
}
