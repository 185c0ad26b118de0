import { type ObjectRef, refKey } from '../../api/kube-object.ts';
import { defined } from '../../base/defined.ts';
import type { DesiredState } from '../../engine/desired-state.ts';
import { ApiError } from '../../kube/errors.ts';
import { deleteFound } from '../../kube/what-was-found.ts';
import type { MergePatch } from '../../workloads/scalers/index.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { formerScalingOf, type Scaling, scalerProblem } from '../facts/scaling.ts';
import { writerOf } from '../objects/drift.ts';
import { forgetWanted } from '../objects/healing-brake.ts';
import { isOurs } from '../objects/ownership.ts';
import type { ReconcileContext } from './context.ts';
import { ensure } from './ensure-object.ts';
import { CHANGED, combined, HELD, type Outcome, paused } from './outcome.ts';

/** Ensures the primary's scaler and removes the previous one. `problem` says why that failed. */
export async function ensureScalers(context: ReconcileContext, scaling: Scaling | undefined, desired: DesiredState): Promise<Outcome> {
  const problem = scaling && scalerProblem(context.canary, scaling, context.view);
  let outcome = scaling ? await holdOwnMinimum(context, scaling, desired.targetMinimum) : HELD;
  try {
    // An existing one keeps the pods that a release needs all the same.
    if (problem) return { ...combined(outcome, await holdPrimary(context, scaling, desired)), converged: false, problem };
    outcome = combined(outcome, await removeFormerScaler(context));
    return scaling ? combined(outcome, await ensurePrimaryScaler(context, scaling, desired)) : outcome;
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { ...outcome, converged: false, problem: error };
  }
}

/** Makes the primary's scaler, lets it follow the user's with a promotion, and holds the minimum that the release needs. */
async function ensurePrimaryScaler(context: ReconcileContext, scaling: Scaling, desired: DesiredState): Promise<Outcome> {
  const { canary, view } = context;
  const { scaler, own, primary } = scaling;
  if (!own || (primary && desired.primaryScaler !== 'followed')) return holdPrimary(context, scaling, desired);
  // KEDA's admission refuses a scaler of what does not exist.
  if (!view.find(primaryRefOf(canary))) return HELD;
  const { object } = scaler.renderPrimary(canary, own, { atLeast: desired.atLeast.primary });
  return ensure(context, object, { takenOver: false, isWhole: true });
}

/**
 * The user's scaler keeps the pods of the release (E101). Others can write it, or refuse it: each try after the first is braked, and nothing waits for any of
 * them.
 */
async function holdOwnMinimum(context: ReconcileContext, { scaler, ref, own }: Scaling, atLeast: number | undefined): Promise<Outcome> {
  if (!own) return HELD;
  const { brake, nowMs, wanted, signal } = context;
  const key = `${refKey(ref)}#minimum`;
  const what = minimumOf(atLeast);
  try {
    return { ...(await patchObject(context, ref, what, scaler.raisePatch(own, atLeast), key)), converged: true };
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError) || error.status === 409) throw error;
    wanted.set(key, what);
    brake.corrected(key, nowMs, { field: 'the minimum', by: 'server', who: error.reason });
    return paused(brake.waitMs(key, nowMs));
  }
}

/** Holds the primary's scaler as the last promotion made it, with the minimum that the release needs, or only the minimum if that is unknown. */
async function holdPrimary(context: ReconcileContext, scaling: Scaling, desired: DesiredState): Promise<Outcome> {
  const { canary, annotations } = context;
  const { scaler, primary, primaryRef } = scaling;
  if (!primary || !isOurs(canary, primary)) return HELD;
  const atLeast = desired.atLeast.primary;
  const kept = scaler.renderKept(canary, annotations.restored(context, primary), { atLeast });
  if (kept) return ensure(context, kept, { takenOver: false });
  const { minReplicas, maxReplicas } = canary.spec.autoscalerRef?.primaryScalerReplicas ?? {};
  // They are the Canary's own, and wait for no promotion.
  const limits = defined({ min: minReplicas, max: maxReplicas });
  const what = `${minimumOf(atLeast)} within ${minReplicas ?? ''}-${maxReplicas ?? ''}`;
  // One key for one object: what was written of it whole is not wanted any more, and no difference to that is drift.
  return patchObject(context, primaryRef, what, scaler.raisePatch(primary, atLeast, limits), refKey(primaryRef));
}

const minimumOf = (atLeast: number | undefined): string => `minimum ${atLeast ?? 'back'}`;

/** The scaler that the spec no longer names would go on scaling the primary, and keep its target paused. */
async function removeFormerScaler(context: ReconcileContext): Promise<Outcome> {
  const { canary, view, cluster, signal } = context;
  const former = formerScalingOf(canary, view);
  if (!former) return HELD;
  const resumed = await resumeScaler(context, former);
  const outcome = combined(resumed, await holdOwnMinimum(context, former, undefined));
  if (!former.primary || !isOurs(canary, former.primary)) return outcome;
  await deleteFound(former.primary, cluster, { signal });
  forgetWanted(context, refKey(former.primaryRef));
  view.forget(former.primary);
  return combined(outcome, CHANGED);
}

export async function pauseScaler(context: ReconcileContext, scaling: Scaling | undefined): Promise<Outcome> {
  return scaling?.own ? patchObject(context, scaling.ref, 'pause', scaling.scaler.pausePatch(scaling.own)) : HELD;
}

export async function resumeScaler(context: ReconcileContext, scaling: Scaling | undefined): Promise<Outcome> {
  return scaling?.own ? patchObject(context, scaling.ref, 'resume', scaling.scaler.resumePatch(scaling.own)) : HELD;
}

/** Patches a few fields of an object; to request the same again is drift, and braked. Without a patch it is found so. */
async function patchObject(
  context: ReconcileContext,
  ref: ObjectRef,
  asked: string,
  patch: MergePatch | undefined,
  key = `${refKey(ref)}#patch`,
): Promise<Outcome> {
  const { view, cluster, brake, nowMs, wanted, signal } = context;
  // A scaler that was deleted and made again has not been changed back.
  const what = `${asked} of ${view.find(ref)?.object.metadata.uid ?? ''}`;
  const isDrift = wanted.get(key) === what;
  if (!patch) {
    // Another writer might have done it: when the same is wanted again later, that is news and no drift.
    if (!isDrift) forgetWanted(context, key);
    return HELD;
  }
  const waitMs = isDrift ? brake.waitMs(key, nowMs) : 0;
  if (waitMs > 0) return paused(waitMs);
  const seen = view.find(ref);
  view.learn(await cluster.patch(ref, { ...patch }, { signal }));
  wanted.set(key, what);
  const [field = 'metadata'] = patch.spec
    ? Object.keys(patch.spec).map((one) => `spec.${one}`)
    : Object.keys(patch.metadata.annotations ?? {});
  if (isDrift) brake.corrected(key, nowMs, { field, by: 'another', ...writerOf(seen, field) });
  else brake.forget(key);
  return CHANGED;
}
