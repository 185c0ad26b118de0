import type { Canary } from '../../api/canary.ts';
import { keptPrimaryOn } from '../../api/kept-primary.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { acceptAnnotation, deletedWithAnnotation, keptAnnotation, names } from '../../api/names.ts';
import type { SelectedSides } from '../../api/selector-label.ts';
import { workloadFor } from '../../workloads/index.ts';
import { countOf } from '../../workloads/pods/sides.ts';
import type { Workload } from '../../workloads/workload.ts';
import { isFirst } from '../adoption/anchor-owner.ts';
import type { Anchors } from '../adoption/anchors.ts';
import type { SecretSalts } from '../adoption/secret-salts.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { readTargetConfigs } from '../facts/target-configs.ts';
import { type DeletedWith, isPushed, noTarget, readDeletedWith, type SeenAtDeletion, writeDeletedWith } from './hand-over.ts';
import { type DeletionDeps, selectorsOf } from './move-traffic.ts';
import { isUp } from './restore-application.ts';

interface HandOverDeps extends DeletionDeps {
  anchors: Anchors;
  salts: Pick<SecretSalts, 'of'>;
  hasHeir(): boolean;
}

export interface HandOverFacts extends SeenAtDeletion {
  primary: KubeObject | undefined;
  /** Users are to stay on the primary until the target is ready. */
  isOnPrimary: boolean;
}

/** Reads what decides who gets the application, and records on the anchor which template the deletion found. */
export async function readHandOverFacts(
  canary: Canary,
  target: KubeObject,
  anchor: KubeObject,
  deps: HandOverDeps,
): Promise<HandOverFacts> {
  const { cluster, signal } = deps;
  const workload = workloadFor(canary.spec.targetRef);
  const primary = 'unsupported' in workload ? undefined : await cluster.get(primaryRefOf(canary), { signal });
  const base = { isPushed: false, isKept: isKeptBy(anchor), isReached: false, isOnPrimary: false, hasHeir: deps.hasHeir(), primary };
  if ('unsupported' in workload || primary === undefined) return { ...base, template: '', revision: '', promoted: [] };
  const template = workload.revision(target);
  const { rollout, uncounted } = countOf(workload, target);
  const now: DeletedWith = { uid: target.metadata.uid ?? '', template, ...(uncounted ? {} : { rollout }) };
  const before = await recordDeletedWith(canary, now, anchor, deps);
  const read = await readTargetConfigs(canary, target, workload, deps);
  const leadsToTarget = await doesLeadToTarget(canary, { target, primary }, workload, deps);
  // Its apex Service led to the primary: another writer has led it to the target since, or Serin has, which is up then.
  const isBootstrapped = !isFirst(canary);
  const promoted = await promotedOf(canary, primary, workload, deps);
  // With unreadable configs its pods could not start either. A template promoted before checksums had a salt is known by the plain ones.
  const revision = 'problem' in read ? template : promoted.includes(read.unsalted) ? read.unsalted : read.revision;
  return {
    ...base,
    ...{ template, revision, promoted },
    // Its controller has yet to say whether that is another template.
    isPushed: !uncounted && isPushed(before, now),
    isReached: leadsToTarget && !isBootstrapped,
    isOnPrimary: (base.isKept || isBootstrapped) && !(leadsToTarget && isUp(canary, target)),
    accepted: target.metadata.annotations?.[acceptAnnotation],
  };
}

export function isKeptBy(anchor: KubeObject): boolean {
  return keptPrimaryOn(anchor) !== undefined;
}

/** The revisions that a primary can hold by a promotion: by its mark and the status, else by the newest record. */
export async function promotedOf(
  canary: Canary,
  primary: KubeObject,
  workload: Pick<Workload, 'carries'>,
  { anchors, signal }: { anchors: { templates: Pick<Anchors['templates'], 'promoted'> }; signal: AbortSignal },
): Promise<string[]> {
  const known = [workload.carries(primary), canary.status?.release?.promotedRevision].flatMap((one) => one ?? []);
  if (known.length > 0) return known;
  const newest = await anchors.templates.promoted(canary, signal);
  return newest ? [newest.revision] : [];
}

async function doesLeadToTarget(
  canary: Canary,
  sides: SelectedSides,
  workload: Workload,
  { cluster, config, signal }: HandOverDeps,
): Promise<boolean> {
  if (!workload.hasPods) return false;
  const own = selectorsOf(workload, sides, config);
  if ('problem' in own) return false;
  const ref = { apiVersion: 'v1', kind: 'Service', name: names(canary).apexService, namespace: canary.metadata.namespace };
  const apex = await cluster.get(ref, { signal });
  return apex !== undefined && specOf<ServiceSpec>(apex).selector?.[own.key] === own.target;
}

/** The record of this deletion. A missing one is made. An orphan has only the uid that its anchor was made with. */
export async function recordDeletedWith(
  canary: Canary,
  now: DeletedWith,
  anchor: KubeObject,
  { cluster, signal }: Pick<DeletionDeps, 'cluster' | 'signal'>,
): Promise<DeletedWith> {
  const { uid, generation } = canary.metadata;
  const [recordedUid, ...rest] = (anchor.metadata.annotations?.[deletedWithAnnotation] ?? '').split(' ');
  if (rest.length > 0 && (recordedUid === uid || generation === 0)) return readDeletedWith(rest.join(' '));
  const annotations = { [deletedWithAnnotation]: `${uid} ${writeDeletedWith(now)}` };
  await cluster.patch(refOf(anchor), { metadata: { annotations } }, { signal });
  return now;
}

/** Records that no primary is kept any more: the current target counts as a push. */
export async function recordHandOver(
  canary: Canary,
  anchor: KubeObject,
  { cluster, signal }: Pick<DeletionDeps, 'cluster' | 'signal'>,
): Promise<void> {
  const annotations = { [keptAnnotation]: null, [deletedWithAnnotation]: `${canary.metadata.uid} ${writeDeletedWith(noTarget)}` };
  await cluster.patch(refOf(anchor), { metadata: { annotations } }, { signal });
}
