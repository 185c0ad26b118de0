import { hash } from 'node:crypto';
import type { Canary } from '../../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { over } from '../../kube/what-was-found.ts';
import { anchorReference } from '../../workloads/anchor.ts';
import type { DepsOf } from '../controller-deps.ts';
import { NameTakenError } from '../errors.ts';
import { targetRefOf } from '../facts/gather-facts.ts';
import { type ForeignManagers, missingField, missingFields, writerOf } from '../objects/drift.ts';
import { giveUpFields } from '../objects/give-up-fields.ts';
import type { Undoing } from '../objects/healing-brake.ts';
import { isCollected, isOurRoute, isOurs } from '../objects/ownership.ts';
import { mergeIntoUsersService } from '../objects/users-service.ts';
import { replacingLists } from '../objects/whole-lists.ts';
import type { ReconcileContext, SeenSplit } from './context.ts';
import { HELD, type Outcome, PENDING, paused, pausedRoute, WRITTEN } from './outcome.ts';

interface EnsureOptions {
  takenOver: boolean;
  /** A field that we have not requested ourselves is not ours. */
  isWhole?: boolean;
  /** Users reach one side or the other by it. */
  isRoute?: boolean;
  /** The object of the user's that the fields were rendered from: they are merged into this version of it and no other, so that no edit is lost. */
  partOf?: KubeObject;
  /** The object wanted after this step: another writer that undoes the step undoes that object. */
  goal?: KubeObject;
  /** The step before was the correction: neither counted nor delayed again. */
  followsCorrection?: boolean;
}

/** Writes one object if it does not hold what is wanted; drift is corrected under the brake. */
export async function ensure(
  context: ReconcileContext,
  object: KubeObject,
  { takenOver, isWhole = false, isRoute = false, partOf, goal = object, followsCorrection = false }: EnsureOptions,
): Promise<Outcome> {
  const { canary, view, cluster, brake, nowMs, wanted, splitIn, answers, anchors, annotations, signal } = context;
  const ref = refOf(object);
  const key = refKey(ref);
  const live = view.find(ref);
  const known = live && annotations.restored(context, live.object);
  // The watch that has shown another version causes the next reconcile.
  if (partOf && partOf.metadata.resourceVersion !== live?.object.metadata.resourceVersion) return PENDING;
  const digest = digestOf(object);
  const goalDigest = goal === object ? digest : digestOf(goal);
  const before = wanted.get(key);
  if (known && !takenOver && !isOurs(canary, known)) throw new NameTakenError(ref);
  const answer = answers.get(key);
  const answered = answer?.digest === digest ? answer : undefined;
  const fields = live
    ? [...missingFields(object, live.object, '', answered), ...(known === live.object ? [] : ['metadata.annotations'])]
    : ['metadata'];
  // A rendering from a route of the user's changes with each edit of theirs, and of another Canary that shares it.
  if (fields.length === 0 && (before === goalDigest || partOf || (before === undefined && !isWhole))) {
    wanted.set(key, goalDigest);
    if (partOf) splitIn.set(key, splitOf(canary, partOf));
    return HELD;
  }
  const isDrift = before === goalDigest && live !== undefined && !followsCorrection;
  const isEdited = partOf !== undefined && !followsCorrection && isEditOf(splitIn.get(key), splitOf(canary, partOf));
  const isDeleted = before !== undefined && live === undefined;
  const undoing = undoingOf(fields, answered?.lacks, live);
  const waitMs = isDrift ? brake.waitMs(key, nowMs, fields) : 0;
  if (waitMs > 0) return isRoute && fields.some((field) => isTraffic(object, field)) ? pausedRoute(waitMs, ref, undoing) : paused(waitMs);
  // Its owner might have gone with it, and another owner of that name would be unknown to the garbage collector.
  if (isDeleted) anchors.doubt(canary);
  const owner = await anchors.reference(canary, signal, context.readTarget);
  if (partOf) await anchors.noteRoutes(canary, signal);
  const of = partOf ?? (live && isTarget(canary, ref) ? live.object : undefined);
  if (of) {
    // Fields that others write before ours are given up were not dropped by the API server.
    const merged = await merge(context, object, of);
    const outcome = noted(merged);
    view.learn(await giveUpFields(context, merged));
    return outcome;
  }
  const foundInPlace = known !== undefined && !isOurRoute(canary, known, context.config);
  if (live && foundInPlace && object.kind === 'Service') return noted(await mergeIntoUsersService(context, object, live.object));
  const toWrite = foundInPlace ? object : marked(context, object, owner);
  // A patch leaves the fields that we wrote earlier and no longer write. The apply removes them, and no traffic moves by it.
  const hasChanged = before !== undefined && before !== goalDigest;
  // In a Service of ours, the removed entries are also ours: no later apply removes entries that a patch has written.
  const isApplied = hasChanged && object.kind === 'Service';
  const replacing = live && (isApplied ? undefined : replacingLists(toWrite, live.object));
  const replaced = replacing && (await cluster.patch(ref, replacing, { signal }));
  if (replaced) view.learn(replaced);
  return noted(replaced && !hasChanged ? replaced : await cluster.apply(over(replaced ?? live?.object, toWrite), { signal }));

  function noted(written: KubeObject): Outcome {
    view.learn(written);
    annotations.wrote(context, written);
    if (missingField(object, written) === undefined) answers.delete(key);
    else answers.set(key, { digest, spec: written.spec, lacks: [...missingFields(object, written, '', written)] });
    wanted.set(key, goalDigest);
    if (isDrift) brake.corrected(key, nowMs, undoing, { isRoute, fields, isKept: partOf !== undefined });
    else if (isDeleted) brake.madeAgain(key, nowMs);
    else if (before !== undefined && !followsCorrection) brake.forget(key);
    if (isEdited && !isDrift) brake.splitAgain(key, nowMs, undoing);
    if (partOf) splitIn.set(key, splitOf(canary, written));
    return WRITTEN;
  }
}

const splitOf = ({ metadata, status }: Canary, route: KubeObject): SeenSplit => ({
  generation: route.metadata.generation,
  wanted: JSON.stringify([metadata.generation, status?.release?.routes]),
});

/** Tests if a route that is not split lacks that by an edit of others, and not by a step of the Canary. */
const isEditOf = (before: SeenSplit | undefined, now: SeenSplit): boolean =>
  before !== undefined && before.wanted === now.wanted && before.generation !== now.generation;

const digestOf = (object: KubeObject): string => hash('sha256', JSON.stringify(object), 'binary');

/** Tests if this process last wrote, or found, exactly this: another object in the cluster is then the doing of another writer. */
export const isLastWanted = ({ wanted }: Pick<ReconcileContext, 'wanted'>, object: KubeObject): boolean =>
  wanted.get(refKey(refOf(object))) === digestOf(object);

/** A field that the answer to our own write lacked is not another writer's doing (I18). */
function undoingOf(fields: readonly string[], lacks: readonly string[] = [], live: ForeignManagers | undefined): Undoing {
  const undone = fields.find((field) => !lacks.includes(field));
  const [first = 'metadata'] = fields;
  if (undone === undefined && fields.length > 0) return { field: first, by: 'server' };
  const field = undone ?? first;
  return { field, by: 'another', ...writerOf(live, field) };
}

/** Labels, our own marks, and the annotations of a Service lead no request anywhere. Those of an Ingress can. */
function isTraffic({ kind }: KubeObject, field: string): boolean {
  return !(
    field.startsWith('metadata.labels') ||
    field === 'metadata.annotations' ||
    (kind === 'Service' && field.startsWith('metadata.'))
  );
}

/**
 * The target is the user's, and so is a route found in place: only the rendered fields are merged, into the version that they were computed from, and
 * Serin owns none of them.
 */
export async function mergeIntoTarget(deps: DepsOf<'cluster'>, fields: KubeObject, live: KubeObject): Promise<KubeObject> {
  return giveUpFields(deps, await merge(deps, fields, live));
}

function merge({ cluster, signal }: DepsOf<'cluster'>, fields: KubeObject, live: KubeObject): Promise<KubeObject> {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = fields;
  const { annotations } = metadata;
  const { resourceVersion } = live.metadata;
  const patch = { metadata: { resourceVersion, ...(annotations && { annotations }) }, ...rest };
  return cluster.patch(refOf(live), patch, { signal });
}

export function isTarget(canary: Canary, ref: ObjectRef): boolean {
  return refKey(ref) === refKey(targetRefOf(canary));
}

export function marked({ canary, config }: ReconcileContext, object: KubeObject, owner: { name: string; uid: string }): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [ownerAnnotation]: canary.metadata.uid },
      ...(isCollected(refOf(object), config) ? { ownerReferences: [anchorReference(owner)] } : {}),
    },
  };
}
