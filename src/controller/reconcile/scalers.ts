import { type KubeObject, type ObjectRef, refKey } from '../../api/kube-object.ts';
import type { Intent } from '../../engine/intent.ts';
import { ApiError } from '../../kube/errors.ts';
import type { MergePatch } from '../../workloads/scalers/index.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { formerScalingOf, type Scaling, scalerProblem } from '../facts/scaling.ts';
import { isOurs } from '../objects/ownership.ts';
import { type ReconcileContext, type Reconciled, retryIn } from './context.ts';

/** The primary's scaler stands and the one before is gone; otherwise, why not. */
export async function ensureScalers(
  context: ReconcileContext,
  scaling: Scaling | undefined,
  intent: Intent,
  done: Reconciled,
  write: (object: KubeObject) => Promise<void>,
): Promise<unknown> {
  const problem = scaling && scalerProblem(context.canary, scaling, context.view);
  if (scaling) await holdOwnMinimum(context, scaling, intent.targetMinimum, done);
  try {
    if (problem) {
      // What is there holds all the same what a release needs.
      await holdMinimum(context, scaling, intent, done);
      return problem;
    }
    await removeFormerScaler(context, done);
    if (scaling) await ensurePrimaryScaler(context, scaling, intent, done, write);
    return undefined;
  } catch (error) {
    if (context.signal.aborted) throw error;
    return error;
  }
}

/** Makes the primary's scaler, lets it follow the user's with a promotion (03-A2), and holds the minimum that the release needs. */
async function ensurePrimaryScaler(
  context: ReconcileContext,
  scaling: Scaling,
  intent: Intent,
  done: Reconciled,
  write: (object: KubeObject) => Promise<void>,
): Promise<void> {
  const { canary, view } = context;
  const { scaler, own, primary } = scaling;
  if (own && (!primary || intent.primaryScaler === 'followed')) {
    // KEDA's admission refuses a scaler of what does not exist.
    if (!view.find(primaryRefOf(canary))) return;
    await write(scaler.renderPrimary(canary, own, { atLeast: intent.atLeast.primary }).object);
    return;
  }
  await holdMinimum(context, scaling, intent, done);
}

/**
 * The user's scaler keeps the pods of the release (E101). Others may write it, or refuse it: each try after the first is braked, and
 * nothing waits for any of them.
 */
async function holdOwnMinimum(context: ReconcileContext, { scaler, ref, own }: Scaling, atLeast: number | undefined, done: Reconciled) {
  const patch = own && scaler.raisePatch(own, atLeast);
  if (!patch) return;
  const { brake, nowMs, wanted, signal } = context;
  const key = `${refKey(ref)}#minimum`;
  const what = `${atLeast ?? 'back'}`;
  const { converged } = done;
  try {
    await patchObject(context, ref, what, patch, done, key);
    done.converged = converged;
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError) || error.status === 409) throw error;
    done.converged = converged;
    wanted.set(key, what);
    brake.corrected(key, nowMs, 'the minimum', error.reason);
    retryIn(done, brake.waitMs(key, nowMs));
  }
}

async function holdMinimum(context: ReconcileContext, scaling: Scaling, intent: Intent, done: Reconciled): Promise<void> {
  const { canary, wanted } = context;
  const { scaler, primary, primaryRef } = scaling;
  const atLeast = intent.atLeast.primary;
  const patch = primary && isOurs(canary, primary) ? scaler.raisePatch(primary, atLeast) : undefined;
  if (!patch) return;
  await patchObject(context, primaryRef, `raise ${atLeast ?? 'back'}`, patch, done);
  // What was asked before is not what is wanted now, so the difference is no drift.
  wanted.delete(refKey(primaryRef));
}

/** The scaler that the spec no longer names would go on scaling the primary, and keep its target paused (03-A6, B14). */
async function removeFormerScaler(context: ReconcileContext, done: Reconciled): Promise<void> {
  const { canary, view, cluster, signal } = context;
  const former = formerScalingOf(canary, view);
  if (!former) return;
  await resumeScaler(context, former, done);
  await holdOwnMinimum(context, former, undefined, done);
  if (!former.primary || !isOurs(canary, former.primary)) return;
  await cluster.delete(former.primaryRef, { signal });
  view.forget(former.primaryRef);
  done.wrote = true;
  done.converged = false;
}

export async function pauseScaler(context: ReconcileContext, { scaler, ref, own }: Scaling, done: Reconciled): Promise<void> {
  const patch = own && scaler.pausePatch(own);
  if (patch) await patchObject(context, ref, 'pause', patch, done);
}

export async function resumeScaler(context: ReconcileContext, { scaler, ref, own }: Scaling, done: Reconciled): Promise<void> {
  const patch = own && scaler.resumePatch(own);
  if (patch) await patchObject(context, ref, 'resume', patch, done);
}

/** Patches a few fields of an object; to be asked for the same again is drift, and braked. */
async function patchObject(
  context: ReconcileContext,
  ref: ObjectRef,
  what: string,
  patch: MergePatch,
  done: Reconciled,
  key = `${refKey(ref)}#patch`,
): Promise<void> {
  const { view, cluster, brake, nowMs, wanted, signal } = context;
  const isDrift = wanted.get(key) === what;
  done.converged = false;
  const waitMs = isDrift ? brake.waitMs(key, nowMs) : 0;
  if (waitMs > 0) {
    retryIn(done, waitMs);
    return;
  }
  const before = view.find(ref);
  view.learn(await cluster.patch(ref, { ...patch }, { signal }));
  wanted.set(key, what);
  done.wrote = true;
  const [field = 'metadata'] = patch.spec
    ? Object.keys(patch.spec).map((one) => `spec.${one}`)
    : Object.keys(patch.metadata.annotations ?? {});
  if (isDrift) brake.corrected(key, nowMs, field, before?.manager);
  else brake.forget(key);
}
