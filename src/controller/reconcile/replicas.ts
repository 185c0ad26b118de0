import { type KubeObject, type ObjectRef, refKey } from '../../api/kube-object.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import type { Scaling } from '../facts/scaling.ts';
import { writerOf } from '../objects/drift.ts';
import { forgetWanted } from '../objects/healing-brake.ts';
import type { ViewedObject } from '../watch/cluster-view.ts';
import { type ReconcileContext, workloadOf } from './context.ts';
import { HELD, type Outcome, PENDING, paused, retryIn } from './outcome.ts';

/** Brings a side to the pods that it needs for its load, and never below what it has (E60). */
export async function raiseReplicas(
  context: ReconcileContext,
  ref: ObjectRef,
  replicas: number | undefined,
  atLeast: number | undefined,
): Promise<Outcome> {
  if (atLeast === undefined) forgetScale(context, ref, (direction) => direction.startsWith(AT_LEAST));
  if (replicas === undefined || atLeast === undefined || replicas >= atLeast) return HELD;
  const seen = context.view.find(ref);
  // A kind that is scaled by its node selector has one pod on each of these nodes, and no others.
  if (seen && workloadOf(context.canary).scalePatch(seen.object, atLeast)?.subresource === undefined) return HELD;
  return scale(context, ref, atLeast, `${AT_LEAST}${atLeast}`);
}

const AT_LEAST = 'at least ';

/** Forgets a scaling that is no longer wanted: it is not drift if a later release wants the same again. */
export function forgetScale(context: ReconcileContext, ref: ObjectRef, isOver: (direction: string) => boolean): void {
  const key = scaleKey(ref);
  const [direction] = (context.wanted.get(key) ?? '').split('@');
  if (direction && isOver(direction)) forgetWanted(context, key);
}

const scaleKey = (ref: ObjectRef): string => `${refKey(ref)}#scale`;

/** Other writers can also set replicas: written only in the way of the kind, and only between zero and non-zero, or up to the release's need (E60). */
export async function scale(
  context: ReconcileContext,
  ref: ObjectRef,
  replicas: number,
  direction = replicas > 0 ? 'up' : 'zero',
): Promise<Outcome> {
  const { canary, view, cluster, brake, nowMs, wanted, signal } = context;
  const key = scaleKey(ref);
  const seen = view.find(ref);
  const scaling = seen && workloadOf(canary).scalePatch(seen.object, replicas);
  if (!scaling) return HELD;
  const terminatingMs = replicas > 0 ? stillTerminatingMs(context, seen.object, key) : 0;
  if (terminatingMs > 0) return retryIn(terminatingMs);
  const [before, answered, of] = (wanted.get(key) ?? '').split('@');
  // A workload that was deleted and made again is scaled like the first (E90): no other writer has changed it back.
  const { uid = '' } = seen.object.metadata;
  const askedFor = of === uid ? before : undefined;
  if (askedFor === undefined) brake.forget(key);
  // The answer is a Scale, not the workload: until the watch has brought that version, our view is older than our request.
  if (askedFor === direction && isOlder(seen.object.metadata.resourceVersion, answered)) return PENDING;
  const isDrift = askedFor === direction;
  const waitMs = isDrift ? brake.waitMs(key, nowMs) : 0;
  if (waitMs > 0) return paused(waitMs);
  const { patch, subresource } = scaling;
  const answer = await cluster.patch(ref, patch, { signal, ...(subresource && { subresource }) });
  if (subresource === undefined) view.learn(answer);
  wanted.set(key, `${direction}@${answer.metadata.resourceVersion ?? ''}@${uid}`);
  if (isDrift) brake.corrected(key, nowMs, { field: 'spec.replicas', by: 'another', ...writerOf(seen, 'spec.replicas') });
  return PENDING;
}

/** Milliseconds for which pods that were scaled away must still be waited for, before others are requested. */
function stillTerminatingMs({ canary, nowMs, wanted }: ReconcileContext, object: KubeObject, key: string): number {
  const leavingMs = workloadOf(canary).leavingForMs?.(object);
  const since = `${key}#leaving`;
  if (leavingMs === undefined) {
    wanted.delete(since);
    return 0;
  }
  const sinceMs = Number(wanted.get(since) ?? nowMs);
  wanted.set(since, String(sinceMs));
  return sinceMs + leavingMs - nowMs;
}

/** API servers number versions upwards (KEP-5504); without a number nothing is known to be older. */
function isOlder(seen: string | undefined, answered: string | undefined): boolean {
  return Number(seen) < Number(answered);
}

export function replicasToRaise(
  context: ReconcileContext,
  target: ViewedObject,
  scaling: Scaling | undefined,
  targetStart: number | undefined,
): number {
  if (scaling) return scaling.own ? scaling.scaler.startReplicas(scaling.own) : 1;
  if (targetStart !== undefined) return targetStart;
  const primary = context.view.find(primaryRefOf(context.canary));
  return workloadOf(context.canary).scaleUpTarget(target.object, primary?.object);
}
