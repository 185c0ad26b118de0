import { apiVersion, type Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { refKey } from '../../api/kube-object.ts';
import { fieldManager, flaggerManager, names, ownerAnnotation } from '../../api/names.ts';
import { fieldsTakenOver } from '../../kube/taken-over-fields.ts';
import type { Router } from '../../routers/router.ts';
import { anchorReference } from '../../workloads/anchor.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { DepsOf } from '../controller-deps.ts';
import { scalerRefs } from '../facts/scaling.ts';
import { isCollected } from '../objects/ownership.ts';

type TakeOverDeps = DepsOf<'cluster' | 'view' | 'anchors' | 'config'>;

/** Objects that are made or written for a Canary, by Serin or by Flagger, the target aside. */
export function generatedRefs(canary: Canary, workload: Workload, router: Router): ObjectRef[] {
  const { namespace } = canary.metadata;
  const { apexService, primaryService, canaryService } = names(canary);
  const services = [apexService, primaryService, canaryService].map((name) => ({ apiVersion: 'v1', kind: 'Service', name, namespace }));
  const target = refKey(workload.targetRef(canary));
  const scalers = scalerRefs(canary).filter(({ name }) => name.endsWith('-primary'));
  return [workload.primaryRef(canary), ...services, ...scalers, ...router.watches(canary)].filter(
    (ref) => ref.name !== '' && refKey(ref) !== target,
  );
}

/**
 * Takes over the objects that Flagger left, without a change that its users would notice: the anchor becomes the owner, so that it
 * does not vanish with the Canary, and the fields that it set become fields that we applied, so that what a later version leaves out is
 * removed. True when something was written; nothing is read where nothing is left to take over.
 */
export async function takeOver(canary: Canary, workload: Workload, router: Router, deps: TakeOverDeps): Promise<boolean> {
  let wrote = false;
  for (const ref of generatedRefs(canary, workload, router)) {
    const seen = deps.view.find(ref);
    if (!seen?.isEstablished || isAnothers(canary, seen.object)) continue;
    // A promotion of Flagger takes the owner from the primary of a Service target.
    const lostOwner = !workload.hasPods && refKey(ref) === refKey(workload.primaryRef(canary));
    wrote = (await takeOverOne(canary, ref, lostOwner, deps)) || wrote;
  }
  return wrote;
}

async function takeOverOne(
  canary: Canary,
  ref: ObjectRef,
  lostOwner: boolean,
  { cluster, view, anchors, config, signal }: TakeOverDeps,
): Promise<boolean> {
  // The projection keeps no managedFields.
  const found = await cluster.get(ref, { signal });
  if (!found || isAnothers(canary, found)) return false;
  const { resourceVersion, ownerReferences = [] } = found.metadata;
  const managedFields = fieldsTakenOver(found, flaggerManager, fieldManager);
  const isOwned = lostOwner || ownerReferences.some(isCanary);
  if (!isOwned && managedFields === undefined) return false;
  const own = anchorReference(await anchors.reference(canary, signal));
  const anchor = isCollected(ref, config) ? [own] : [];
  const owners = {
    ownerReferences: [...ownerReferences.filter((owner) => !isCanary(owner)), ...anchor],
    annotations: { [ownerAnnotation]: canary.metadata.uid },
  };
  const metadata = { resourceVersion, ...(isOwned ? owners : {}), ...(managedFields ? { managedFields } : {}) };
  view.learn(await cluster.patch(ref, { metadata }, { signal }));
  return true;
}

const isCanary = (owner: { kind: string; apiVersion: string }): boolean => owner.kind === 'Canary' && owner.apiVersion === apiVersion;

function isAnothers(canary: Canary, { metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => isCanary(owner) && owner.name !== canary.metadata.name);
}
