import { refKey, refOf } from '../../api/kube-object.ts';
import type { DesiredState } from '../../engine/desired-state.ts';
import type { Facts } from '../../engine/facts.ts';
import type { Apex } from '../../routers/router.ts';
import { isFirst } from '../adoption/anchor-owner.ts';
import { promotionsIn } from '../adoption/template-records.ts';
import { ConfigUnavailableError, NameTakenError, TargetUnusableError } from '../errors.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { readTargetConfigs } from '../facts/target-configs.ts';
import { missingField, writerOf } from '../objects/drift.ts';
import { isOurs } from '../objects/ownership.ts';
import type { ViewedObject } from '../watch/cluster-view.ts';
import { makeCopies } from './config-copies.ts';
import { type ReconcileContext, workloadOf } from './context.ts';
import { ensure, isTarget, marked, mergeIntoTarget } from './ensure-object.ts';
import { renewPrimary, wasNeverReady } from './never-ready-primary.ts';
import { CHANGED, HELD, type Outcome, PENDING, paused } from './outcome.ts';
import { undoableTemplate } from './undo.ts';

/** Said when a release would begin from it, not in the middle of one. */
export function refuseUnusable({ canary }: ReconcileContext, target: ViewedObject): void {
  const refusal = workloadOf(canary).refuses?.(target.object);
  if (refusal !== undefined) throw new TargetUnusableError(refusal.problem, { object: refOf(target.object), field: refusal.field });
}

export async function ensurePrimary(
  context: ReconcileContext,
  target: ViewedObject,
  existing: ViewedObject | undefined,
  apex: Apex,
  facts: Facts,
): Promise<Outcome> {
  const { canary, view, cluster, anchors, brake, nowMs, signal } = context;
  const ref = primaryRefOf(canary);
  const isInTarget = isTarget(canary, ref);
  if (existing) {
    if (!isInTarget && !isOurs(canary, existing.object)) throw new NameTakenError(ref);
    if (workloadOf(canary).isMisnamed?.(existing.object, view)) return renamePrimary(context, existing, apex);
    return wasNeverReady(context, facts) ? renewPrimary(context, apex) : HELD;
  }
  refuseUnusable(context, target);
  if (facts.target?.undetermined !== undefined) {
    // The facts say what is unknown of its configs, and the config tracker tries again.
    return PENDING;
  }
  const workload = workloadOf(canary);
  const whole = await context.readTarget();
  if (!whole) return HELD;
  const isDeleted = !isInTarget && !isFirst(canary);
  if (isDeleted) anchors.doubt(canary);
  const owner = await anchors.ensure(canary, whole, signal);
  const records = await anchors.templates.records(canary, signal);
  const [promoted] = promotionsIn(records);
  const known = context.lastReplicas.get(refKey(ref));
  const replicas = known ?? (workload.replicas(whole) || ((await anchors.originalReplicas(canary, signal)) ?? 1));
  const read = promoted ? undefined : await readTargetConfigs(canary, whole, workload, context);
  if (read && 'problem' in read) throw new ConfigUnavailableError(read.problem);
  const revision = promoted?.revision ?? read?.revision ?? workload.revision(whole);
  const { selector } = apex;
  const options = { ...context.config, selector, revision, replicas, ...(read && { configs: read.copies.names }) };
  if (read) await makeCopies(context, read.copies, owner);
  // A primary that was deleted by hand comes back with its promoted template, not with the target's current one.
  const primary = workload.renderPrimary(canary, whole, options, promoted?.spec);
  const carried = workload.carries(primary) ?? revision;
  if (!promoted)
    await anchors.templates.keep(canary, workload.promotedPart(primary), carried, {
      target: undoableTemplate(canary, whole),
      records,
      signal,
    });
  view.learn(
    isInTarget ? await mergeIntoTarget(context, primary, whole) : await cluster.create(marked(context, primary, owner), { signal }),
  );
  if (isDeleted) brake.madeAgain(refKey(ref), nowMs);
  return CHANGED;
}

/** A user who names another revision has changed the primary. A name of a missing revision is a slip, which would block every release. */
async function renamePrimary(context: ReconcileContext, existing: ViewedObject, apex: Apex): Promise<Outcome> {
  const { canary, view, anchors, brake, config, nowMs, signal } = context;
  const promoted = await anchors.templates.promoted(canary, signal);
  if (!promoted) return HELD;
  const { object } = existing;
  const options = { ...config, selector: apex.selector, revision: promoted.revision, replicas: 1 };
  const primary = workloadOf(canary).renderPrimary(canary, object, options, promoted.spec);
  const field = missingField(primary, object);
  // The promoted revision itself is gone: its readiness says so.
  if (field === undefined) return HELD;
  const key = `${refKey(refOf(object))}#primary`;
  const waitMs = brake.waitMs(key, nowMs);
  if (waitMs > 0) return paused(waitMs);
  view.learn(await mergeIntoTarget(context, primary, object));
  brake.corrected(key, nowMs, { field, by: 'another', ...writerOf(existing, field) });
  return CHANGED;
}

/** The generated object of the target's side: made at once, and following the target only as the revision that it is now is analysed. */
export async function ensureCanary(context: ReconcileContext, target: ViewedObject, desired: DesiredState, facts: Facts): Promise<Outcome> {
  const { canary, view } = context;
  const wanted = workloadOf(canary).renderCanary?.(canary, target.object);
  if (!wanted) return HELD;
  const isPinned = facts.target?.revision === canary.status?.release?.revision;
  if (view.find(refOf(wanted)) && !(desired.target === 'up' && isPinned)) return HELD;
  return ensure(context, wanted, { takenOver: false });
}
