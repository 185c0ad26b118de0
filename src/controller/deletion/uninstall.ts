import { apiVersion, type Canary } from '../../api/canary.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { anchorRef, type Originals } from '../../workloads/anchor.ts';
import { workloadFor } from '../../workloads/index.ts';
import { type Anchors, isPrimaryKept } from '../adoption/anchors.ts';
import { recordedApex } from '../adoption/apex-original.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { currentAndFormerSpecs } from '../reconcile/former-specs.ts';
import { type DeletionDeps, restoreApex } from './move-traffic.ts';
import { findTarget, removeAnchor } from './restore-application.ts';
import { restorePorts } from './restore-ports.ts';
import { finalizeRoutes, removeRoutesElsewhere } from './restore-routes.ts';
import { resumeScalers } from './restore-scalers.ts';
import { recordSince } from './uninstall-since.ts';

/** A timer counts up to 2^31 ms: a longer grace is looked at again after this. */
const LONGEST_TIMER_MS = 86_400_000;
/** A process that has just started can find the target in the middle of being replaced, or a grace recorded by another clock. */
const SHORTEST_LOOK_MS = 30_000;

export interface UninstallDeps extends DeletionDeps {
  anchors: Anchors;
  /** A Canary on this target that lives: the primary is its. */
  awaitedBy(): ObjectRef | undefined;
  /** The grace ends at this moment, `undefined` if the cause of the wait has no end of its own. */
  endsAt(atMs: number | undefined): void;
}

/**
 * The target is gone, and its Canary (I7): when both are for the whole grace, the application is uninstalled, and all that was generated for
 * it goes. The grace is recorded on the anchor, so that it outlives a restart; watch events end it sooner. `targetBack`: the
 * application is to be restored on it. `over`: nothing is left.
 */
export async function awaitUninstall(canary: Canary, deps: UninstallDeps): Promise<'targetBack' | 'over'> {
  const { cluster, view, config, clock, signal, log } = deps;
  const { namespace, name } = canary.metadata;
  const canaryRef: ObjectRef = { apiVersion, kind: 'Canary', name, namespace };
  const beganMs = clock.nowMs();
  for (;;) {
    const awaitedBy = deps.awaitedBy();
    const watched = [targetRefOf(canary), primaryRefOf(canary), canaryRef, ...(awaitedBy ? [awaitedBy] : [])];
    const seen = () => watched.map((ref) => view.find(ref)?.object.metadata.uid ?? '').join('/');
    const before = seen();
    const home = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, { signal });
    if (!home || home.metadata.deletionTimestamp !== undefined) {
      await removeRoutesElsewhere(canary, deps);
      return 'over';
    }
    const anchor = await cluster.get(anchorRef(canary), { signal });
    const originals = anchor && deps.anchors.read(anchor);
    if (!anchor || !originals) return 'over';
    const isBack = (await findTarget(canary, deps)) !== undefined;
    const isRunning = !isBack && awaitedBy === undefined && !isPrimaryKept(anchor);
    const sinceMs = await recordSince(anchor, isRunning, deps);
    if (isBack) return 'targetBack';
    const shortestMs = Math.min(SHORTEST_LOOK_MS, config.uninstallGraceMs);
    const endMs = sinceMs === undefined ? undefined : Math.max(sinceMs + config.uninstallGraceMs, beganMs + shortestMs);
    deps.endsAt(endMs);
    const leftMs = endMs === undefined ? undefined : endMs - clock.nowMs();
    if (leftMs !== undefined && leftMs <= 0) {
      // The watch can be late, or no longer allowed.
      const found = await cluster.get(canaryRef, { signal });
      if (found && found.metadata.deletionTimestamp === undefined) view.learn(found);
      if (deps.awaitedBy()) continue;
      await uninstall(canary, anchor, originals, deps);
      log.info({ canary: `${namespace}/${name}` }, 'uninstalled: target and Canary are gone');
      return 'over';
    }
    const bound = leftMs === undefined ? {} : { boundMs: Math.min(leftMs, LONGEST_TIMER_MS) };
    await view
      .untilAll(watched, () => seen() !== before, { clock, signal, late: 'the grace is over', ...bound })
      .catch((error: unknown) => {
        if (signal.aborted) throw error;
      });
  }
}

/** Leaves what the user had to the user, and removes the rest with the anchor. */
async function uninstall(canary: Canary, anchor: KubeObject, originals: Originals, deps: DeletionDeps): Promise<void> {
  await resumeScalers(canary, deps);
  const target = await formerTarget(canary, originals, deps);
  for (const spec of await currentAndFormerSpecs(canary, target, originals, deps)) {
    await finalizeRoutes(spec, { delayMs: 0, parting: { to: 'anchor', anchor } }, deps);
    await restoreApex(spec, target, originals, deps);
    await restorePorts(spec, recordedApex(spec, originals), deps);
  }
  await removeAnchor(canary, anchor, deps);
}

/** Finds the target by the labels of its pods: those of its primary, or of the Service that led to them. */
async function formerTarget(canary: Canary, { apexService }: Originals, { cluster, config, signal }: DeletionDeps): Promise<KubeObject> {
  const ref = targetRefOf(canary);
  const workload = workloadFor(canary.spec.targetRef);
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  const own = primary && !('unsupported' in workload) ? workload.selectors({ primary }, config.selectorLabels) : undefined;
  const labels =
    own && !('problem' in own)
      ? { ...specOf<PodWorkloadSpec>(primary).template?.metadata?.labels, [own.key]: own.target }
      : (apexService?.selector ?? {});
  const { name, namespace = '' } = ref;
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels } } };
  return { apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name, namespace }, spec };
}
