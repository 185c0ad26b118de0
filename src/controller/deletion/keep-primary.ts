import type { Canary } from '../../api/canary.ts';
import { handingOver, type KeptPrimary, keptPrimaryOn, keptText, waysOn, writeKeptPrimary } from '../../api/kept-primary.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { keptAnnotation } from '../../api/names.ts';
import { sleep } from '../../base/clock.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Originals } from '../../workloads/anchor.ts';
import { workloadFor } from '../../workloads/index.ts';
import { primaryRevision } from '../../workloads/knative/revisions.ts';
import { scalerFor } from '../../workloads/scalers/index.ts';
import { scaleDownDelayMs } from '../config.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { intervalMs, primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { currentAndFormerSpecs } from '../reconcile/former-specs.ts';
import { announceKept, refuseAcceptance } from './announce-kept.ts';
import type { SeenAtDeletion } from './hand-over.ts';
import { markTarget } from './kept-marks.ts';
import { type DeletionDeps, moveTraffic } from './move-traffic.ts';
import type { PrimaryTraffic } from './primary-guard.ts';
import { restoreMinimums } from './restore-scalers.ts';

/** Time that traffic waits for a primary that does not serve, as a rollback does, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;

export type KeepDeps = DeletionDeps & Pick<ControllerDeps, 'announceOn'>;

/** Objects that a deletion finds. */
export interface Held {
  target: KubeObject;
  anchor: KubeObject;
  originals: Originals;
}

/** `isHandingOver`: the target gets the traffic once it is ready. */
type Seen = Pick<SeenAtDeletion, 'revision' | 'promoted'> & { primary: KubeObject; isHandingOver?: boolean };
type SeenToKeep = Seen & Pick<SeenAtDeletion, 'accepted'>;

/**
 * The primary keeps serving (I19), which is recorded on the anchor before anything is written, so that it outlives a restart. All traffic goes to
 * the primary, and the target has no pods; its template is never written. Each step looks before it writes.
 */
export async function keepPrimary(
  canary: Canary,
  { target, anchor, originals }: Held,
  seen: SeenToKeep,
  deps: KeepDeps,
): Promise<PrimaryTraffic> {
  const { clock, config, signal } = deps;
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return { canary, why: 'kept', specs: [], anchor };
  const kept = await recordKept(canary, target, anchor, seen, deps);
  refuseAcceptance(canary, target, seen, kept, deps);
  const specs = await currentAndFormerSpecs(canary, target, originals, deps);
  const traffic: PrimaryTraffic = { canary, why: 'kept', specs: sameProvider(specs, canary, config), anchor };
  // All this was done before: what others have changed since is put back by the guard.
  const marked = keptPrimaryOn(target);
  if (marked?.unpromoted === kept.unpromoted && marked.next === kept.next) return traffic;
  await keepTraffic(canary, { target, anchor, originals }, seen.primary, deps);
  if (workload.hasPods && workload.replicas(target) > 0) {
    await sleep(clock, scaleDownDelayMs(config, intervalMs(canary, config)), signal);
    await scaleToZero(canary, deps);
  }
  // The minimum that a release has raised is the user's again.
  await restoreMinimums(canary, deps);
  await markTarget(canary, kept, deps);
  return traffic;
}

/** Specs of the Canary's last provider. */
export function sameProvider(specs: readonly Canary[], canary: Canary, config: KeepDeps['config']): readonly Canary[] {
  const providerOf = ({ spec }: Canary) => spec.provider ?? config.meshProvider;
  return specs.filter((spec) => providerOf(spec) === providerOf(canary));
}

/** All traffic to the primary as soon as it serves, or after the time that a rollback waits for it. */
export async function keepTraffic(
  canary: Canary,
  { target, anchor, originals }: Held,
  primary: KubeObject,
  deps: DeletionDeps,
): Promise<void> {
  const { view, clock, signal } = deps;
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return;
  const primaryRef = primaryRefOf(canary);
  if (workload.hasPods) {
    const serves = (now: KubeObject | undefined) => now === undefined || workload.isServing(now);
    const late = `${primaryRef.name} does not serve`;
    await view.until(primaryRef, serves, { clock, boundMs: LONGEST_WAIT_MS, signal, late }).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
  }
  for (const spec of await currentAndFormerSpecs(canary, target, originals, deps))
    await moveTraffic(spec, primary, { side: 'primary', anchor }, deps);
}

/** Records the kept primary in the anchor, and announces it once. */
export async function recordKept(
  canary: Canary,
  target: KubeObject,
  anchor: KubeObject,
  { revision, promoted, primary, isHandingOver = false }: Seen,
  { cluster, clock, announceOn, log, signal }: KeepDeps,
): Promise<KeptPrimary> {
  const { namespace, name } = canary.metadata;
  const before = keptPrimaryOn(anchor);
  const primaryRef = primaryRefOf(canary);
  const isRevision = primaryRef.name === target.metadata.name;
  const targetName = `${target.kind}/${target.metadata.name}`;
  const next = isHandingOver ? handingOver(targetName) : waysOn({ namespace, name }, targetName);
  if (before?.unpromoted === revision && before.next === next) return before;
  const kept: KeptPrimary = {
    primary: isRevision ? `Revision/${primaryRevision(primary) ?? ''}` : `${primaryRef.kind}/${primaryRef.name}`,
    target: targetName,
    promoted: promoted[0] ?? '',
    unpromoted: revision,
    since: before?.since ?? timestamp(clock.nowMs()),
    next,
  };
  await cluster.patch(refOf(anchor), { metadata: { annotations: { [keptAnnotation]: writeKeptPrimary(kept) } } }, { signal });
  if (before !== undefined) return kept;
  log.warn({ canary: `${namespace}/${name}` }, 'the target holds what was not promoted: its primary keeps serving');
  await announceKept(canary, keptText(kept), { cluster, announceOn, signal });
  return kept;
}

/** Its scaler is paused first: it would raise it again. */
async function scaleToZero(canary: Canary, { cluster, signal }: KeepDeps): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return;
  const { autoscalerRef } = canary.spec;
  const scaler = autoscalerRef && scalerFor(autoscalerRef);
  if (scaler) {
    const { apiVersion, kind } = scaler;
    const own = await cluster.get({ apiVersion, kind, name: autoscalerRef.name, namespace: canary.metadata.namespace }, { signal });
    const pause = own && scaler.pausePatch({ ...own, apiVersion, kind });
    if (own && pause) await cluster.patch(refOf({ ...own, apiVersion, kind }), { ...pause }, { signal });
  }
  const now = await cluster.get(targetRefOf(canary), { signal });
  const scale = now && workload.scalePatch(now, 0);
  if (scale)
    await cluster.patch(targetRefOf(canary), scale.patch, { ...(scale.subresource && { subresource: scale.subresource }), signal });
}
