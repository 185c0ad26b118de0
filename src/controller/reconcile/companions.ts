import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { type KubeObject, type Labels, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { names, ownerAnnotation } from '../../api/names.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { ApiError } from '../../kube/errors.ts';
import { deleteFound } from '../../kube/what-was-found.ts';
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
import { forgetWanted } from '../objects/healing-brake.ts';
import { isOurs } from '../objects/ownership.ts';
import type { ViewedObject } from '../watch/cluster-view.ts';
import type { ReconcileContext } from './context.ts';
import { ensure } from './ensure-object.ts';
import { combined, HELD, type Outcome, PENDING, paused, WRITTEN } from './outcome.ts';

/** Pause after a conflict. */
const CONFLICT_MS = 2_000;

interface FoundSides {
  target: ViewedObject | undefined;
  primary: ViewedObject | undefined;
}

/**
 * Makes the companions of the primary, lets them follow their sources, and removes unneeded ones. A refused companion is a warning, except a NetworkPolicy
 * without which no primary is made: it would serve unprotected, or be shut out (I17).
 */
export async function ensureCompanions(context: ReconcileContext, selector: SelectorLabels, found: FoundSides): Promise<Outcome> {
  const { canary, config, view, companions: notes } = context;
  const refs = companionRefs(canary, config);
  if (refs.length === 0) return HELD;
  // A release does not wait for the lists of all policies.
  if (!refs.every((ref) => view.isListed(ref))) return PENDING;
  const readable = refs.filter((ref) => view.unavailable(ref) === undefined);
  const objects = readable.flatMap((ref) => view.allIn(ref, ref.namespace).map(({ object }) => object));
  const plan = objects.length === 0 ? undefined : await planOf(context, objects, selector, found);
  let outcome = HELD;
  const left = objects.filter((object) => isLeftToUser(context, object));
  for (const object of left) outcome = combined(outcome, await leaveToUser(context, object));
  for (const companion of plan?.companions ?? []) outcome = combined(outcome, await ensureCompanion(context, companion));
  for (const ref of plan?.superfluous ?? []) outcome = combined(outcome, await remove(context, ref));
  const made = plan?.companions.map(({ object }) => object) ?? [];
  const planned = [...[...left, ...made].map(refOf), ...(plan?.superfluous ?? [])];
  notes.keep(new Set(planned.map(refKey)));
  const unreadable = refs.flatMap((ref) => {
    const why = view.unavailable(ref);
    // Without its CRD no object of the kind exists.
    return why === undefined || why.code === 'KindNotFound' ? [] : [listRemedy(ref, why.detail ?? why.code)];
  });
  const text = [...unreadable, ...(plan ? missing(context, plan) : [])].join('; ') || undefined;
  // Another reconcile writes the condition.
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
  // If no primary exists yet, its labels follow from the whole target.
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

async function ensureCompanion(context: ReconcileContext, { object }: Companion): Promise<Outcome> {
  const { canary, view } = context;
  const ref = refOf(object);
  const isVital = object.kind === 'NetworkPolicy' && isArriving(canary);
  return unlessRefused(context, ref, { asked: JSON.stringify(object), isVital }, () => {
    // A field that the source has lost is seen only so after a restart.
    const live = view.find(ref)?.object;
    return ensure(context, object, { takenOver: false, isWhole: live !== undefined && !isDeepStrictEqual(live.spec, object.spec) });
  });
}

/** No primary has served yet. */
const isArriving = ({ status }: Canary): boolean => (status?.phase ?? '') === '' || status?.phase === 'Initializing';

function remove(context: ReconcileContext, ref: ObjectRef): Promise<Outcome> {
  const { view, cluster, signal } = context;
  return unlessRefused(context, ref, { asked: 'none' }, async () => {
    const found = view.find(ref)?.object;
    if (!found) return HELD;
    await deleteFound(found, cluster, { signal });
    view.forget(found);
    forgetWanted(context, refKey(ref));
    return WRITTEN;
  });
}

/** A deployment tool has applied a manifest over it. */
function isLeftToUser({ canary }: ReconcileContext, object: KubeObject): boolean {
  return object.metadata.annotations?.[companionAnnotation] !== undefined && !isCompanion(object) && isOurs(canary, object);
}

/** It must not go with the anchor. */
function leaveToUser(context: ReconcileContext, object: KubeObject): Promise<Outcome> {
  const { view, cluster, canary, signal } = context;
  const { ownerReferences = [], resourceVersion = '' } = object.metadata;
  const owners = ownerReferences.filter(({ name }) => name !== names(canary).anchor);
  const ref = refOf(object);
  const annotations = { [ownerAnnotation]: null, [companionAnnotation]: null };
  return unlessRefused(context, ref, { asked: 'left' }, async () => {
    view.learn(await cluster.patch(ref, { metadata: { resourceVersion, annotations, ownerReferences: owners } }, { signal }));
    forgetWanted(context, refKey(ref));
    return WRITTEN;
  });
}

/** A refused write delays nothing, and is tried again later. With `isVital` it delays all that follows. */
async function unlessRefused(
  { companions: notes, nowMs, signal }: ReconcileContext,
  ref: ObjectRef,
  { asked, isVital = false }: { asked: string; isVital?: boolean },
  write: () => Promise<Outcome>,
): Promise<Outcome> {
  const key = refKey(ref);
  const waitMs = isVital ? 0 : notes.waitMs(key, asked, nowMs);
  if (waitMs > 0) return paused(waitMs);
  try {
    const outcome = await write();
    notes.accepted(key);
    return outcome;
  } catch (error) {
    if (signal.aborted || isVital || !(error instanceof ApiError)) throw error;
    const { status, message } = error;
    // The watch brings what the other writer wrote.
    if (status === 409) return paused(CONFLICT_MS);
    notes.refused(key, asked, nowMs, message);
    return paused(notes.waitMs(key, asked, nowMs));
  }
}

/** Sources that do not hold for the primary, or could not: sources without a companion that lose something, and refused companions. */
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
