import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { sleep } from '../../base/clock.ts';
import { readAll } from '../../kube/cluster.ts';
import { deleteFound } from '../../kube/what-was-found.ts';
import { routerFor } from '../../routers/index.ts';
import { anchorRef, type Originals } from '../../workloads/anchor.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ReplicaLimits } from '../../workloads/scalers/index.ts';
import type { Anchors } from '../adoption/anchors.ts';
import { recordedApex } from '../adoption/apex-original.ts';
import { generatedRefs, takeOver } from '../adoption/take-over.ts';
import { scaleDownDelayMs } from '../config.ts';
import { intervalMs, primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { scalerRefs } from '../facts/scaling.ts';
import { giveUpFields } from '../objects/give-up-fields.ts';
import { isOurRoute } from '../objects/ownership.ts';
import { currentAndFormerSpecs } from '../reconcile/former-specs.ts';
import { unmark } from './kept-marks.ts';
import { type DeletionDeps, moveTraffic, selectTarget } from './move-traffic.ts';
import { letPoliciesOutlast } from './outlasting-policies.ts';
import { restorePorts } from './restore-ports.ts';
import { finalizeRoutes, removeRoutesElsewhere } from './restore-routes.ts';
import { restoreMinimums, resumeScalers } from './restore-scalers.ts';
import { recordSince } from './uninstall-since.ts';
import { isServing, whileServing } from './while-serving.ts';

const LONGEST_WAIT_MS = 600_000;
/** Times that a target can fall again before all of it is started again. */
const MOST_ROUNDS = 5;

export interface RestoreDeps extends DeletionDeps {
  anchors: Anchors;
  /** The Canary itself still exists, held by its finalizer. */
  isHeld: boolean;
  /** A Canary of the same name and target runs on its objects: the work under way ends. */
  isInherited(): boolean;
  /** The target is still the one to hand over to (I19). */
  isDue(target: KubeObject): Promise<boolean>;
  /** It has to be decided again: a Canary was made over the target, or its template was changed. */
  isInterrupted(): boolean;
  /** Resolves when `isInterrupted` might have changed. */
  woken(): Promise<void>;
}

/** `targetGone`: the primary serves on, and the grace of an uninstall begins. `changed`: it is decided again who gets the application. */
export type RestoreOutcome = 'over' | 'targetGone' | 'changed';

/**
 * Restores the application on its own Deployment when its Canary is deleted (I7): the target is raised and ready before traffic leaves the
 * primary, proxies have time to learn of it, and only then the anchor goes, with which the garbage collector removes what we made.
 * Every step looks before it writes, so that it can be run again from the start after a crash. A target that is deleted, before or
 * meanwhile, leaves all traffic on the primary, which goes on serving.
 */
export async function restoreApplication(canary: Canary, deps: RestoreDeps): Promise<RestoreOutcome> {
  const { cluster, config, clock, log, signal } = deps;
  const { namespace } = canary.metadata;
  const label = `${namespace}/${canary.metadata.name}`;
  const home = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, { signal });
  if (!home || home.metadata.deletionTimestamp !== undefined) {
    await removeRoutesElsewhere(canary, deps);
    return 'over';
  }
  if (deps.isHeld) await inherit(canary, deps);
  const anchor = await cluster.get(anchorRef(canary), { signal });
  const originals = anchor && deps.anchors.read(anchor);
  if (!anchor || !originals) return 'over';
  // The target ends a grace that was recorded before a restart: should it go again, the next one is a whole one.
  if (await findTarget(canary, deps)) await recordSince(anchor, false, deps);
  const delayMs = scaleDownDelayMs(config, intervalMs(canary, config));
  const settle = async (): Promise<void> => {
    const limits = await resumeScalers(canary, deps);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const target = await findTarget(canary, deps);
      if (!target || deps.isInherited() || deps.isInterrupted()) return;
      await raise(canary, target, originals.target.replicas, limits, deps);
      for (const spec of await currentAndFormerSpecs(canary, target, originals, deps)) await selectTarget(spec, target, deps);
      await sleep(clock, delayMs, signal);
      if (isUp(canary, deps.view.find(targetRefOf(canary))?.object)) return;
    }
    throw new Error(`${canary.spec.targetRef.name} does not stay ready: traffic stays on its primary`);
  };
  const moveToTarget = async (target: KubeObject): Promise<void> => {
    for (const spec of await currentAndFormerSpecs(canary, target, originals, deps))
      await moveTraffic(spec, target, { side: 'target', originals }, deps);
  };
  log.info({ canary: label }, 'restoring the application on its target');
  // Proxies hear of ready pods as late as of routes, pods that were just sent away count as available for a moment, and a scaler takes
  // away what has no load yet: traffic follows when the target was up before and after that time.
  for (const step of [settle, moveToTarget]) {
    const target = await findTarget(canary, deps);
    if (deps.isInherited()) return 'over';
    if (!target) return stayOnPrimary(canary, anchor, deps);
    // Its users are on the primary until then.
    if (step === moveToTarget && (deps.isInterrupted() || !(await deps.isDue(target)))) return 'changed';
    await step(target);
  }
  const isServed = await whileServing(canary, deps, (during) => leavePrimary(canary, originals, { ...deps, signal: during }));
  const target = await findTarget(canary, deps);
  if (deps.isInherited()) return 'over';
  if (!target) return stayOnPrimary(canary, anchor, deps);
  if (!isServed) {
    const primary = await cluster.get(primaryRefOf(canary), { signal });
    if (primary && isServing(canary, primary)) await moveTraffic(canary, primary, { side: 'primary', anchor }, deps);
    log.info({ canary: label }, 'the target serves no more: its primary serves until it does');
    return 'changed';
  }
  await removeAnchor(canary, anchor, deps);
  log.info({ canary: label, kind: canary.spec.targetRef.kind }, 'the application is on its own workload again');
  return 'over';
}

/** Users are on the target: routes, ports and fields follow, one after the other, as long as the target exists. */
async function leavePrimary(canary: Canary, originals: Originals, deps: RestoreDeps): Promise<void> {
  const { config, clock, signal } = deps;
  const delayMs = scaleDownDelayMs(config, intervalMs(canary, config));
  const steps = [
    () => sleep(clock, delayMs, signal),
    async (target: KubeObject) => {
      for (const spec of await currentAndFormerSpecs(canary, target, originals, deps))
        await finalizeRoutes(spec, { delayMs, parting: { to: 'target' } }, deps);
    },
    async (target: KubeObject) => {
      for (const spec of await currentAndFormerSpecs(canary, target, originals, deps))
        await restorePorts(spec, recordedApex(spec, originals), deps);
    },
    (target: KubeObject) => restoreTarget(canary, target, originals.target, deps),
    async (target: KubeObject) => {
      for (const spec of await currentAndFormerSpecs(canary, target, originals, deps)) await giveUpAll(spec, deps);
    },
  ];
  for (const step of steps) {
    const target = await findTarget(canary, deps);
    if (!target || deps.isInherited()) return;
    await step(target);
  }
}

/**
 * With the anchor goes all that it owns. Waits for the garbage collector: a Canary of the same name that began sooner would take what is
 * about to go for its own.
 */
export async function removeAnchor(
  canary: Canary,
  anchor: KubeObject,
  { cluster, view, config, clock, log, signal }: DeletionDeps,
): Promise<void> {
  await restoreMinimums(canary, { cluster, signal });
  await letPoliciesOutlast(canary, anchor, { cluster, config, log, signal });
  await deleteFound(anchor, cluster, { signal, propagationPolicy: 'Background' });
  const workload = workloadFor(canary.spec.targetRef);
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in workload || 'unsupported' in router) return;
  const refs = generatedRefs(canary, workload, router);
  const isOwned = (ref: ObjectRef) => view.find(ref)?.object.metadata.ownerReferences?.some(({ uid }) => uid === anchor.metadata.uid);
  const late = 'the garbage collector does not remove what the anchor owned';
  await view.untilAll(refs, () => !refs.some(isOwned), { clock, boundMs: LONGEST_WAIT_MS, signal, late });
}

/** Objects of Flagger would be deleted with the Canary, before the target serves: they get an anchor first (phase Terminating). */
async function inherit(canary: Canary, deps: RestoreDeps): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  const router = routerFor(canary.spec.provider ?? deps.config.meshProvider, deps.config);
  if ('unsupported' in workload || 'unsupported' in router) return;
  await Promise.all([...workload.watches(canary), ...router.watches(canary)].map((ref) => deps.view.ready(ref)));
  await takeOver(canary, workload, router, deps);
}

export async function findTarget(canary: Canary, { cluster, signal }: DeletionDeps): Promise<KubeObject | undefined> {
  const target = await cluster.get(targetRefOf(canary), { signal });
  return target?.metadata.deletionTimestamp === undefined ? target : undefined;
}

/** The target is gone: the primary goes on serving, with the part of the traffic that the release had taken from it. */
async function stayOnPrimary(canary: Canary, anchor: KubeObject, deps: RestoreDeps): Promise<RestoreOutcome> {
  const { cluster, log, signal } = deps;
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  if (primary) await moveTraffic(canary, primary, { side: 'primary', anchor }, deps);
  log.info({ canary: `${canary.metadata.namespace}/${canary.metadata.name}` }, 'the target is gone: its primary goes on serving');
  return 'targetGone';
}

/**
 * Brings the target to the pods that the primary serves with, and waits until they are ready. A target that runs already is left unmodified, unless a scaler
 * has sized it for less than the whole load (E60).
 */
async function raise(
  canary: Canary,
  target: KubeObject,
  original: number,
  limits: ReplicaLimits | undefined,
  { cluster, view, clock, signal, isInterrupted, woken }: RestoreDeps,
): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return;
  const ref = targetRefOf(canary);
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  const needed = Math.min((primary && workload.replicas(primary)) || original || 1, limits?.max ?? Number.POSITIVE_INFINITY);
  if (workload.replicas(target) === 0 || (limits && workload.replicas(target) < needed)) {
    const leavingMs = workload.leavingForMs?.(target);
    if (leavingMs !== undefined) {
      const areGone = (now: KubeObject) => workload.replicas(now) === 0 && workload.leavingForMs?.(now) === undefined;
      const late = `pods of ${ref.name} are still leaving`;
      const gone = view.until(ref, (now) => now === undefined || areGone(now), { clock, boundMs: 2 * leavingMs, signal, late });
      // A lost node never lets its pod go: after its time the target is raised all the same.
      await Promise.race([gone, sleep(clock, leavingMs, signal)]);
    }
    const scale = workload.scalePatch(view.find(ref)?.object ?? target, needed);
    if (scale) await cluster.patch(ref, scale.patch, { ...(scale.subresource && { subresource: scale.subresource }), signal });
  }
  const late = `${ref.name} does not become ready: traffic stays on its primary`;
  const over = new AbortController();
  const isOver = (now: KubeObject | undefined) => now === undefined || isUp(canary, now) || isInterrupted();
  const bounds = { clock, boundMs: LONGEST_WAIT_MS, signal: AbortSignal.any([signal, over.signal]), late };
  const up = view.until(ref, isOver, bounds);
  const interrupted = async (): Promise<void> => {
    while (!over.signal.aborted && !isInterrupted()) await woken();
  };
  await Promise.race([up, interrupted()]).finally(() => {
    up.catch(() => undefined); // the race has been decided
    over.abort(new Error('interrupted'));
  });
  if (isInterrupted()) return;
  // Gone, or not visible to us: the next attempt looks again, and until then traffic stays where it is served.
  if (view.find(ref) === undefined) throw new Error(`${ref.name} cannot be seen any more: traffic stays on its primary`);
}

/** It has pods, and all are ready. */
export function isUp(canary: Canary, target: KubeObject | undefined): boolean {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload || !target) return true;
  return workload.replicas(target) > 0 && workload.readiness(target, 100).state === 'ready';
}

/** Removes our fields from the target itself, traffic included where the target holds it. */
async function restoreTarget(
  canary: Canary,
  target: KubeObject,
  originals: Originals['target'],
  { cluster, signal }: RestoreDeps,
): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  const patch = 'unsupported' in workload ? undefined : workload.restorePatch?.(target, originals);
  if (patch) await cluster.patch(targetRefOf(canary), patch, { signal });
  await unmark(canary, target, { cluster, signal });
}

/** Objects that belong to the user again have no field of Serin's. */
async function giveUpAll(canary: Canary, { cluster, config, signal }: RestoreDeps): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in workload || 'unsupported' in router) return;
  const refs = [targetRefOf(canary), ...scalerRefs(canary), ...generatedRefs(canary, workload, router)];
  for (const object of await readAll(refs, cluster, signal))
    if (!isOurRoute(canary, object, config)) await giveUpFields({ cluster, signal }, object);
}
