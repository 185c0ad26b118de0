import type { Canary } from '../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../api/kube-object.ts';
import { ownerAnnotation } from '../api/names.ts';
import { missingField } from './drift.ts';
import { NameTakenError } from './errors.ts';
import { targetRefOf } from './gather-facts.ts';
import { isCollected, isOurRoute, isOurs } from './ownership.ts';
import { type ReconcileContext, type Reconciled, retryIn } from './reconcile-context.ts';

/** Writes one object if it does not hold what is wanted; drift is corrected under the brake. */
export async function ensure(
  context: ReconcileContext,
  object: KubeObject,
  { takenOver, isWhole = false }: { takenOver: boolean /** What we have not asked for ourselves is not ours. */; isWhole?: boolean },
  done: Reconciled,
): Promise<void> {
  const { canary, view, cluster, brake, nowMs, wanted, answers, anchors, marks, signal } = context;
  const ref = refOf(object);
  const key = refKey(ref);
  const live = view.find(ref);
  const known = live && marks.restored(live.object);
  const text = JSON.stringify(object);
  const before = wanted.get(key);
  if (known && !takenOver && !isOurs(canary, known)) throw new NameTakenError(ref.kind, ref.name);
  const answer = answers.get(key);
  const missing = live
    ? (missingField(object, live.object, '', answer?.text === text ? answer : undefined) ??
      (known === live.object ? undefined : 'metadata.annotations'))
    : 'metadata';
  if (missing === undefined && (before === text || (before === undefined && !isWhole))) {
    wanted.set(key, text);
    return;
  }
  const isDrift = before === text && live !== undefined;
  const waitMs = isDrift ? brake.waitMs(key, nowMs) : 0;
  if (waitMs > 0) {
    done.converged = false;
    retryIn(done, waitMs);
    return;
  }
  const owner = await anchors.reference(canary, signal);
  if (live && isTarget(canary, ref)) {
    view.learn(await mergeIntoTarget(context, object, live.object));
    noteWritten();
    return;
  }
  const foundInPlace = known !== undefined && !isOurRoute(canary, known, context.config);
  const toWrite = foundInPlace ? { ...object } : marked(context, object, owner);
  if (live) {
    // The precondition keeps a late write from undoing what a successor or a user wrote meanwhile (I9).
    toWrite.metadata = { ...toWrite.metadata, resourceVersion: live.object.metadata.resourceVersion ?? '' };
  }
  const applied = await cluster.apply(toWrite, { signal });
  view.learn(applied);
  marks.restored(applied);
  // What an apply adds to an object that nobody else has touched since our last write is the server's own.
  const isUntouched = live === undefined || (answer !== undefined && answer.version === versionOf(live.object));
  const answered = (await replaceList(context, object, applied, isUntouched)) ?? applied;
  const isMore = missingField(object, answered) !== undefined;
  answers.set(key, { text, version: versionOf(answered), ...(isMore && { spec: answered.spec }) });
  noteWritten();

  function noteWritten(): void {
    wanted.set(key, text);
    done.wrote = true;
    if (isDrift) brake.corrected(key, nowMs, missing ?? 'metadata', live?.manager);
    else if (before !== undefined) brake.forget(key);
  }
}

/** The target is the user's: only the rendered fields are merged, into the version that they were computed from. */
export function mergeIntoTarget({ cluster, signal }: ReconcileContext, fields: KubeObject, live: KubeObject): Promise<KubeObject> {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = fields;
  const { annotations } = metadata;
  const { resourceVersion } = live.metadata;
  return cluster.patch(refOf(live), { metadata: { resourceVersion, ...(annotations && { annotations }) }, ...rest }, { signal });
}

export function isTarget(canary: Canary, ref: ObjectRef): boolean {
  return refKey(ref) === refKey(targetRefOf(canary));
}

/** Changes with the spec; of kinds without a generation, with anything. */
function versionOf({ metadata: { generation, resourceVersion } }: KubeObject): string {
  return generation === undefined ? `r${resourceVersion}` : `g${generation}`;
}

/**
 * An apply leaves what other managers have added to lists, such as a port by hand or a condition in a rule that is known by its name: what
 * is too much goes with the list, which a merge patch sets whole.
 */
async function replaceList(
  { cluster, view, signal }: ReconcileContext,
  wanted: KubeObject,
  applied: KubeObject,
  isUntouched: boolean,
): Promise<KubeObject | undefined> {
  const missing = missingField(wanted, applied, '', isUntouched ? applied : undefined);
  const [section, field = ''] = missing?.split(/[.[]/) ?? [];
  const list: unknown = section === 'spec' ? wanted.spec[field] : undefined;
  if (!Array.isArray(list)) return undefined;
  const { resourceVersion = '' } = applied.metadata;
  const replaced = await cluster.patch(refOf(wanted), { metadata: { resourceVersion }, spec: { [field]: list } }, { signal });
  view.learn(replaced);
  return replaced;
}

export function marked({ canary, config }: ReconcileContext, object: KubeObject, owner: { name: string; uid: string }): KubeObject {
  const { metadata } = object;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ControllerRevision', name: owner.name, uid: owner.uid }];
  return {
    ...object,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [ownerAnnotation]: canary.metadata.uid },
      ...(isCollected(refOf(object), config) ? { ownerReferences } : {}),
    },
  };
}
