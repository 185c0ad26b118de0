import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, type Labels, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { ApiError, isConflict } from '../../kube/errors.ts';
import {
  type Companion,
  type CompanionPlan,
  companionAnnotation,
  companionSides,
  companionsFor,
  isCompanion,
} from '../../workloads/companions/index.ts';
import { listRemedy, missingText } from '../../workloads/companions/missing-text.ts';
import { companionRefs } from '../facts/companions.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { ensure } from '../objects/ensure-object.ts';
import { forgetWanted } from '../objects/healing-brake.ts';
import { isOurs } from '../objects/ownership.ts';
import type { ViewedObject } from '../watch/cluster-view.ts';
import type { ReconcileContext } from './context.ts';
import { combined, HELD, type Outcome, paused, WRITTEN } from './outcome.ts';

interface FoundSides {
  target: ViewedObject | undefined;
  primary: ViewedObject | undefined;
}

/**
 * Makes the companions of the primary, lets them follow their sources, and removes those that nothing needs any more. What is refused is a
 * warning, but for a NetworkPolicy without which no primary is made: it would serve unprotected, or be shut out (I17).
 */
export async function ensureCompanions(context: ReconcileContext, selector: SelectorLabels, found: FoundSides): Promise<Outcome> {
  const { canary, config, view, companions: notes } = context;
  const refs = companionRefs(canary, config);
  if (refs.length === 0) return HELD;
  const readable = refs.filter((ref) => view.unavailable(ref) === undefined);
  const objects = readable.flatMap((ref) => view.allIn(ref, ref.namespace).map(({ object }) => object));
  const plan = objects.length === 0 ? undefined : await planOf(context, objects, selector, found);
  let outcome = HELD;
  for (const object of objects.filter((one) => isLeftToUser(context, one))) outcome = combined(outcome, await leaveToUser(context, object));
  for (const companion of plan?.companions ?? []) outcome = combined(outcome, await ensureCompanion(context, companion, found));
  for (const ref of plan?.superfluous ?? []) outcome = combined(outcome, await remove(context, ref));
  const looked = [...(plan?.companions.map(({ object }) => refOf(object)) ?? []), ...(plan?.superfluous ?? [])];
  notes.keep(new Set(looked.map(refKey)));
  const unreadable = refs.flatMap((ref) => {
    const why = view.unavailable(ref);
    // Without its CRD there is none of the kind.
    return why === undefined || why.code === 'KindNotFound' ? [] : [listRemedy(ref, why.detail ?? why.code)];
  });
  const text = [...unreadable, ...(plan ? missing(context, plan) : [])].join('; ') || undefined;
  // The condition is written by another pass.
  return notes.setMessage(canary, text) ? combined(outcome, WRITTEN) : outcome;
}

async function planOf(
  context: ReconcileContext,
  objects: readonly KubeObject[],
  selector: SelectorLabels,
  { target, primary }: FoundSides,
) {
  const { canary, config, cluster, companions: notes, nowMs, signal } = context;
  const refs = { target: targetRefOf(canary), primary: primaryRefOf(canary) };
  // Before there is a primary, its labels follow from the whole target.
  const whole = primary ? undefined : await context.readTarget();
  const sides = { target: target?.object, primary: primary?.object, whole };
  const owner = { metadata: canary.metadata, isOurs: (object: KubeObject) => isOurs(canary, object) };
  const planWith = (labels?: Labels): CompanionPlan | undefined => {
    const own = companionSides(refs, sides, selector, labels);
    return own && companionsFor(owner, own, objects, config.companions);
  };
  const plan = planWith();
  if (!plan?.without.some(({ code }) => code === 'namespaceUnknown')) return plan;
  const labels = await notes.namespaceLabels(nowMs, async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', name: canary.metadata.namespace };
    const home = await cluster.get(namespace, { signal }).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof ApiError)) throw error;
      return undefined;
    });
    return home && (home.metadata.labels ?? {});
  });
  return planWith(labels);
}

async function ensureCompanion(context: ReconcileContext, { object }: Companion, { primary }: FoundSides): Promise<Outcome> {
  const { view, companions: notes, nowMs, signal } = context;
  const ref = refOf(object);
  const key = refKey(ref);
  const asked = JSON.stringify(object);
  const isVital = object.kind === 'NetworkPolicy' && primary === undefined;
  const waitMs = isVital ? 0 : notes.waitMs(key, asked, nowMs);
  if (waitMs > 0) return paused(waitMs);
  try {
    // A field that the source has lost is seen only so after a restart.
    const live = view.find(ref)?.object;
    const isWhole = live !== undefined && !isDeepStrictEqual(live.spec, object.spec);
    const outcome = await ensure(context, object, { takenOver: false, isWhole });
    notes.accepted(key);
    return outcome;
  } catch (error) {
    if (signal.aborted || isVital || isConflict(error) || !(error instanceof ApiError)) throw error;
    notes.refused(key, asked, nowMs, error.message);
    return paused(notes.waitMs(key, asked, nowMs));
  }
}

async function remove(context: ReconcileContext, ref: ObjectRef): Promise<Outcome> {
  const { view, cluster, companions: notes, nowMs, signal } = context;
  const key = refKey(ref);
  const waitMs = notes.waitMs(key, 'none', nowMs);
  if (waitMs > 0) return paused(waitMs);
  try {
    await cluster.delete(ref, { signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError)) throw error;
    notes.refused(key, 'none', nowMs, error.message);
    return paused(notes.waitMs(key, 'none', nowMs));
  }
  view.forget(ref);
  forgetWanted(context, key);
  return WRITTEN;
}

/** A deployment tool has applied a manifest over it. */
function isLeftToUser({ canary }: ReconcileContext, object: KubeObject): boolean {
  return object.metadata.annotations?.[companionAnnotation] !== undefined && !isCompanion(object) && isOurs(canary, object);
}

/** It must not go with the anchor. */
async function leaveToUser(context: ReconcileContext, { apiVersion, kind, metadata }: KubeObject): Promise<Outcome> {
  const { view, cluster, anchors, canary, signal } = context;
  const { name: anchor } = await anchors.reference(canary, signal, context.readTarget);
  const { ownerReferences = [], resourceVersion = '' } = metadata;
  const owners = ownerReferences.filter((owner) => owner.name !== anchor);
  const ref = refOf({ apiVersion, kind, metadata });
  const annotations = { [ownerAnnotation]: null, [companionAnnotation]: null };
  view.learn(await cluster.patch(ref, { metadata: { resourceVersion, annotations, ownerReferences: owners } }, { signal }));
  forgetWanted(context, refKey(ref));
  return WRITTEN;
}

/** What does not hold for the primary, or may not: sources without a companion that lose something, and companions that are refused. */
function missing({ companions: notes }: ReconcileContext, { companions, without, superfluous }: CompanionPlan): string[] {
  const refused = companions.flatMap(({ source, object }) => {
    const why = notes.whyRefused(refKey(refOf(object)));
    return why === undefined ? [] : [`${source.kind} ${source.name} does not hold for the primary: ${why}`];
  });
  const left = superfluous.flatMap((ref) => {
    const why = notes.whyRefused(refKey(ref));
    return why === undefined ? [] : [`${ref.kind} ${ref.name} is not needed any more, and cannot be removed: ${why}`];
  });
  return [...refused, ...left, ...without.flatMap((one) => missingText(one) ?? [])];
}
