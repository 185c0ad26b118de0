import { type ObjectRef, refKey } from '../../api/kube-object.ts';
import type { DesiredState } from '../../engine/desired-state.ts';
import { ApiError } from '../../kube/errors.ts';
import type { MergePatch } from '../../workloads/scalers/index.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { formerScalingOf, type Scaling, scalerProblem } from '../facts/scaling.ts';
import { ensure } from '../objects/ensure-object.ts';
import { isOurs } from '../objects/ownership.ts';
import type { ReconcileContext } from './context.ts';
import { CHANGED, combined, HELD, type Outcome, retryIn } from './outcome.ts';

/** Ensures the primary's scaler and removes the one before; `problem` says why that failed. */
export async function ensureScalers(context: ReconcileContext, scaling: Scaling | undefined, desired: DesiredState): Promise<Outcome> {
  const problem = scaling && scalerProblem(context.canary, scaling, context.view);
  let outcome = scaling ? await holdOwnMinimum(context, scaling, desired.targetMinimum) : HELD;
  try {
    // An existing one keeps the pods that a release needs all the same.
    if (problem) return { ...combined(outcome, await holdMinimum(context, scaling, desired)), converged: false, problem };
    outcome = combined(outcome, await removeFormerScaler(context));
    return scaling ? combined(outcome, await ensurePrimaryScaler(context, scaling, desired)) : outcome;
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { ...outcome, converged: false, problem: error };
  }
}

/** Makes the primary's scaler, lets it follow the user's with a promotion (03-A2), and holds the minimum that the release needs. */
async function ensurePrimaryScaler(context: ReconcileContext, scaling: Scaling, desired: DesiredState): Promise<Outcome> {
  const { canary, view } = context;
  const { scaler, own, primary } = scaling;
  if (!own || (primary && desired.primaryScaler !== 'followed')) return holdMinimum(context, scaling, desired);
  // KEDA's admission refuses a scaler of what does not exist.
  if (!view.find(primaryRefOf(canary))) return HELD;
  const { object } = scaler.renderPrimary(canary, own, { atLeast: desired.atLeast.primary });
  return ensure(context, object, { takenOver: false, isWhole: true });
}

/**
 * The user's scaler keeps the pods of the release (E101). Others may write it, or refuse it: each try after the first is braked, and
 * nothing waits for any of them.
 */
async function holdOwnMinimum(context: ReconcileContext, { scaler, ref, own }: Scaling, atLeast: number | undefined): Promise<Outcome> {
  const patch = own && scaler.raisePatch(own, atLeast);
  if (!patch) return HELD;
  const { brake, nowMs, wanted, signal } = context;
  const key = `${refKey(ref)}#minimum`;
  const what = `${atLeast ?? 'back'}`;
  try {
    return { ...(await patchObject(context, ref, what, patch, key)), converged: true };
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError) || error.status === 409) throw error;
    wanted.set(key, what);
    brake.corrected(key, nowMs, 'the minimum', error.reason);
    return { ...HELD, retryInMs: brake.waitMs(key, nowMs) };
  }
}

async function holdMinimum(context: ReconcileContext, scaling: Scaling, desired: DesiredState): Promise<Outcome> {
  const { canary, wanted } = context;
  const { scaler, primary, primaryRef } = scaling;
  const atLeast = desired.atLeast.primary;
  const patch = primary && isOurs(canary, primary) ? scaler.raisePatch(primary, atLeast) : undefined;
  if (!patch) return HELD;
  const outcome = await patchObject(context, primaryRef, `raise ${atLeast ?? 'back'}`, patch);
  // The object that was requested before is no longer desired, so the difference does not count as drift.
  wanted.delete(refKey(primaryRef));
  return outcome;
}

/** The scaler that the spec no longer names would go on scaling the primary, and keep its target paused (03-A6, B14). */
async function removeFormerScaler(context: ReconcileContext): Promise<Outcome> {
  const { canary, view, cluster, signal } = context;
  const former = formerScalingOf(canary, view);
  if (!former) return HELD;
  const resumed = await resumeScaler(context, former);
  const outcome = combined(resumed, await holdOwnMinimum(context, former, undefined));
  if (!former.primary || !isOurs(canary, former.primary)) return outcome;
  await cluster.delete(former.primaryRef, { signal });
  view.forget(former.primaryRef);
  return combined(outcome, CHANGED);
}

export async function pauseScaler(context: ReconcileContext, scaling: Scaling | undefined): Promise<Outcome> {
  const patch = scaling?.own && scaling.scaler.pausePatch(scaling.own);
  return patch ? patchObject(context, scaling.ref, 'pause', patch) : HELD;
}

export async function resumeScaler(context: ReconcileContext, scaling: Scaling | undefined): Promise<Outcome> {
  const patch = scaling?.own && scaling.scaler.resumePatch(scaling.own);
  return patch ? patchObject(context, scaling.ref, 'resume', patch) : HELD;
}

/** Patches a few fields of an object; to request the same again is drift, and braked. */
async function patchObject(
  context: ReconcileContext,
  ref: ObjectRef,
  what: string,
  patch: MergePatch,
  key = `${refKey(ref)}#patch`,
): Promise<Outcome> {
  const { view, cluster, brake, nowMs, wanted, signal } = context;
  const isDrift = wanted.get(key) === what;
  const waitMs = isDrift ? brake.waitMs(key, nowMs) : 0;
  if (waitMs > 0) return retryIn(waitMs);
  const before = view.find(ref);
  view.learn(await cluster.patch(ref, { ...patch }, { signal }));
  wanted.set(key, what);
  const [field = 'metadata'] = patch.spec
    ? Object.keys(patch.spec).map((one) => `spec.${one}`)
    : Object.keys(patch.metadata.annotations ?? {});
  if (isDrift) brake.corrected(key, nowMs, field, before?.manager);
  else brake.forget(key);
  return CHANGED;
}
