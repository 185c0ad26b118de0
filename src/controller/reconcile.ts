import type { Canary } from '../api/canary.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { refKey, refOf } from '../api/kube-object.ts';
import { names, ownerAnnotation } from '../api/names.ts';
import type { Facts } from '../engine/facts.ts';
import type { Intent } from '../engine/intent.ts';
import type { Cluster, KindRef } from '../kube/cluster.ts';
import type { Apex, Router } from '../routers/router.ts';
import { discoverPorts, renderServices } from '../routers/services.ts';
import { workloadFor } from '../workloads/index.ts';
import type { Workload } from '../workloads/workload.ts';
import type { AcceptedSpec } from './accepted-spec.ts';
import type { Anchors } from './anchors.ts';
import type { ClusterView, Seen } from './cluster-view.ts';
import type { ControllerConfig } from './config.ts';
import { makeCopies } from './config-copies.ts';
import { missingField } from './drift.ts';
import { ConfigUnavailableError, NameTakenError, ProviderUnavailableError, TargetUnusableError } from './errors.ts';
import { primaryRefOf, targetRefOf } from './gather-facts.ts';
import type { HealingBrake } from './healing-brake.ts';
import type { Marks } from './marks.ts';
import { isCollected, isOurRoute, isOurs } from './ownership.ts';
import { ensureScalers, pauseScaler, resumeScaler } from './reconcile-scalers.ts';
import { type Scaling, scalingOf } from './scaling.ts';
import { takeOver } from './take-over.ts';
import { readTargetConfigs } from './target-configs.ts';

export interface Reconciled {
  /** Everything that the intent asks for was found or answered. */
  converged: boolean;
  /** Something was written, so that the facts may have changed. */
  wrote: boolean;
  /** The routes are written in the words of an earlier spec, since those of this one were refused: why. */
  refused?: string;
  /** What the traffic provider says against the routes, where nothing else is left to do. */
  unconfirmed?: string;
  /** A correction that the brake holds back may be written after this time. */
  retryInMs?: number;
}

export interface ReconcileContext {
  canary: Canary;
  router: Router;
  cluster: Cluster;
  view: ClusterView;
  anchors: Anchors;
  config: ControllerConfig;
  brake: HealingBrake;
  accepted: AcceptedSpec;
  marks: Marks;
  nowMs: number;
  signal: AbortSignal;
  /** What was last asked of each object, so that a step of ours can be told from drift. */
  wanted: Map<string, string>;
  /** Where the server added to what was last written of an object: the text that was written, and what it made of it. */
  answers: Map<string, { text: string; version: string; spec?: unknown }>;
  /** Pods that a side was last seen to ask for, above zero: a primary that was deleted by hand comes back with as many. */
  lastReplicas: Map<string, number>;
}

/**
 * Makes the cluster hold the intent: what stands already is not written again, so a crash between any two writes is healed by the next
 * pass. Services come before the workloads that they select, capacity before traffic, traffic before scaling down (I5).
 */
export async function reconcile(context: ReconcileContext, intent: Intent, facts: Facts): Promise<Reconciled> {
  const done: Reconciled = { converged: true, wrote: false };
  if (intent.frozen || !intent.prepared) return done;
  const { canary, view, router } = context;
  if (await takeOver(canary, workloadOf(canary), router, context)) done.wrote = true;
  const target = facts.target && view.find(targetRefOf(canary));
  const primary = facts.primary && view.find(primaryRefOf(canary));
  const apex = apexOf(context, target, primary);
  if (primary && facts.primary?.replicas) context.lastReplicas.set(refKey(refOf(primary.object)), facts.primary.replicas);
  if (apex) {
    // An apex that is gone once the primary has it is made again at its turn: on the target it would lead to no pod, or to the canary.
    const roles: Role[] = intent.apexOnPrimary ? ['primary', 'canary'] : ['primary', 'canary', 'apex'];
    await ensureServices(context, apex, { roles, apexOnPrimary: false }, done);
    await ensurePrepared(context, apex, done);
    if (target) await ensurePrimary(context, target, primary, apex, facts, done);
    if (target) await ensureCanary(context, target, intent, facts, done);
  }
  const scaling = scalingOf(context.canary, context.view);
  const problem = await ensureScalers(context, scaling, intent, done, (object) =>
    ensure(context, object, { takenOver: false, isWhole: true }, done),
  );
  // Nothing new is begun without its scalers, but traffic is looked after: the problem is told when all that can be done is done.
  if (problem) done.converged = false;
  await raise(context, primaryRefOf(context.canary), facts.primary?.replicas, intent.atLeast.primary, done);
  if (intent.primary === 'up' && facts.primary?.replicas === 0) {
    await scale(context, primaryRefOf(context.canary), Math.max(1, facts.target?.replicas ?? 1), done);
  }
  if (intent.target === 'up' && scaling) await resumeScaler(context, scaling, done);
  if (intent.target === 'up' && target && facts.target?.replicas === 0) {
    refuseUnusable(context, target);
    await scale(context, targetRefOf(context.canary), replicasToRaise(context, target, scaling), done);
  } else if (target) {
    await raise(context, targetRefOf(context.canary), facts.target?.replicas, intent.atLeast.target, done);
  }
  if (apex && intent.apexOnPrimary) await ensureServices(context, apex, { roles: ['apex'], apexOnPrimary: true }, done);
  if (apex && intent.routes) await ensureRoutes(context, apex, intent.routes, done);
  // Its scaler stands down before the target does, and neither before the traffic has gone (03 B32).
  if (intent.target === 'zero' && done.converged && scaling) await pauseScaler(context, scaling, done);
  if (intent.target === 'zero' && (facts.target?.replicas ?? 0) > 0 && done.converged) {
    await scale(context, targetRefOf(context.canary), 0, done);
  }
  if (problem) throw problem;
  return done;
}

/** Brings a side to the pods that it needs for its load, and never below what it has (E60). */
async function raise(
  context: ReconcileContext,
  ref: ObjectRef,
  replicas: number | undefined,
  atLeast: number | undefined,
  done: Reconciled,
): Promise<void> {
  if (replicas === undefined || atLeast === undefined || replicas >= atLeast) return;
  await scale(context, ref, atLeast, done, `at least ${atLeast}`);
}

/**
 * What Services and routes are made from: the target, or, when somebody deleted it, the primary that was made from it, since traffic has to
 * leave a side that is gone (I5).
 */
function apexOf(context: ReconcileContext, target: Seen | undefined, primary: Seen | undefined): Apex | undefined {
  const source = target ?? primary;
  if (!source) return undefined;
  const selector = workloadOf(context.canary).selector(source.object, context.config.selectorLabels);
  if ('problem' in selector) {
    if (!target) return undefined;
    throw new TargetUnusableError(selector.problem);
  }
  const ports = discoverPorts(context.canary, source.object);
  return { selector: target ? selector : { ...selector, value: selector.value.replace(/-primary$/, '') }, ports };
}

type Role = 'apex' | 'primary' | 'canary';

async function ensureServices(
  context: ReconcileContext,
  apex: Apex,
  { roles, apexOnPrimary }: { roles: readonly Role[]; apexOnPrimary: boolean },
  done: Reconciled,
): Promise<void> {
  const { canary, view } = context;
  if (!workloadOf(canary).hasPods) return;
  const { namespace } = canary.metadata;
  const own = names(canary);
  // What cannot be seen must not be taken for missing: it stands, and may be somebody else's.
  await refuseUnavailable(view, { apiVersion: 'v1', kind: 'Service', namespace });
  const find = (name: string) => view.find({ apiVersion: 'v1', kind: 'Service', name, namespace })?.object;
  const current = Object.fromEntries(
    Object.entries({ apex: find(own.apexService), primary: find(own.primaryService), canary: find(own.canaryService) }).filter(
      ([, service]) => service !== undefined,
    ),
  );
  const rendered = renderServices(canary, apex, current, { apexOnPrimary });
  if ('error' in rendered) throw new TargetUnusableError(rendered.error);
  const wanted = roles.map((role) => ({ apex: own.apexService, primary: own.primaryService, canary: own.canaryService })[role]);
  for (const service of rendered.write) {
    if (!wanted.includes(service.metadata.name)) continue;
    await ensure(context, service, { takenOver: service.metadata.name === own.apexService }, done);
  }
}

/** Said when a release would begin from it, not in the middle of one (03 W54, B35). */
function refuseUnusable({ canary }: ReconcileContext, target: Seen): void {
  const refusal = workloadOf(canary).refuses?.(target.object);
  if (refusal !== undefined) throw new TargetUnusableError(refusal);
}

async function ensurePrimary(
  context: ReconcileContext,
  target: Seen,
  existing: Seen | undefined,
  apex: Apex,
  facts: Facts,
  done: Reconciled,
): Promise<void> {
  const { canary, view, cluster, anchors, signal } = context;
  const ref = primaryRefOf(canary);
  const isInTarget = isTarget(canary, ref);
  if (existing) {
    if (!isInTarget && !isOurs(canary, existing.object)) throw new NameTakenError(ref.kind, ref.name);
    if (workloadOf(canary).isMisnamed?.(existing.object, view)) await renamePrimary(context, existing, apex, done);
    return;
  }
  refuseUnusable(context, target);
  if (facts.target?.undetermined !== undefined) {
    // The facts say what cannot be told of its configs, and the look at them is what tries again.
    done.converged = false;
    return;
  }
  const workload = workloadOf(canary);
  // The one read of a bootstrap: the projection keeps no templates.
  const whole = await cluster.get(targetRefOf(canary), { signal });
  if (!whole) return;
  const owner = await anchors.ensure(canary, target.object, signal);
  const promoted = await anchors.promotedTemplate(canary, signal);
  const known = context.lastReplicas.get(refKey(ref));
  const replicas = known ?? (workload.replicas(whole) || ((await anchors.originalReplicas(canary, signal)) ?? 1));
  const read = promoted ? undefined : await readTargetConfigs(canary, whole, workload, context);
  if (read && 'problem' in read) throw new ConfigUnavailableError(read.problem);
  const revision = promoted?.revision ?? read?.revision ?? workload.revision(whole);
  const { includeLabelPrefix, selectorLabels } = context.config;
  const options = {
    selector: apex.selector,
    includeLabelPrefix,
    selectorLabels,
    revision,
    replicas,
    ...(read && { configs: read.copies.names }),
  };
  if (read) await makeCopies(cluster, read.copies, owner, signal);
  // A primary that was deleted by hand comes back as it was promoted, not as the target is now.
  const primary = workload.renderPrimary(canary, whole, options, promoted?.spec);
  const carried = workload.carries(primary) ?? revision;
  if (!promoted) await anchors.keepTemplate(canary, workload.promotedPart(primary), carried, signal);
  view.learn(
    isInTarget ? await mergeIntoTarget(context, primary, whole) : await cluster.create(marked(context, primary, owner), { signal }),
  );
  done.wrote = true;
  done.converged = false;
}

/** Whoever names another revision has changed the primary; a name of nothing is a slip, which no release could get past. */
async function renamePrimary(context: ReconcileContext, existing: Seen, apex: Apex, done: Reconciled): Promise<void> {
  const { canary, view, anchors, brake, config, nowMs, signal } = context;
  const promoted = await anchors.promotedTemplate(canary, signal);
  if (!promoted) return;
  const { object } = existing;
  const { includeLabelPrefix, selectorLabels } = config;
  const options = { selector: apex.selector, includeLabelPrefix, selectorLabels, revision: promoted.revision, replicas: 1 };
  const primary = workloadOf(canary).renderPrimary(canary, object, options, promoted.spec);
  const field = missingField(primary, object);
  // What was promoted is itself gone: its readiness says so.
  if (field === undefined) return;
  done.converged = false;
  const key = `${refKey(refOf(object))}#primary`;
  const waitMs = brake.waitMs(key, nowMs);
  if (waitMs > 0) {
    done.retryInMs = Math.min(done.retryInMs ?? Number.POSITIVE_INFINITY, waitMs);
    return;
  }
  view.learn(await mergeIntoTarget(context, primary, object));
  brake.corrected(key, nowMs, field, existing.manager);
  done.wrote = true;
}

/** What stands for the target's side: made at once, and following the target only as the revision that it is now is analysed (03 S-T2). */
async function ensureCanary(context: ReconcileContext, target: Seen, intent: Intent, facts: Facts, done: Reconciled): Promise<void> {
  const { canary, view } = context;
  const wanted = workloadOf(canary).renderCanary?.(canary, target.object);
  if (!wanted) return;
  const isPinned = facts.target?.revision === canary.status?.release?.revision;
  if (view.find(refOf(wanted)) && !(intent.target === 'up' && isPinned)) return;
  await ensure(context, wanted, { takenOver: false }, done);
}

/** What the pods of either side need before they can start. */
async function ensurePrepared(context: ReconcileContext, apex: Apex, done: Reconciled): Promise<void> {
  const { canary, router } = context;
  if (!router.prepare) return;
  await refuseUnseenRoutes(context);
  for (const object of router.prepare(canary, apex)) await ensure(context, object, { takenOver: true }, done);
}

async function refuseUnseenRoutes({ canary, router, view }: ReconcileContext): Promise<void> {
  for (const ref of router.watches(canary)) await refuseUnavailable(view, ref);
}

async function refuseUnavailable(view: ClusterView, kind: KindRef): Promise<void> {
  await view.ready(kind);
  const unavailable = view.unavailable(kind);
  if (unavailable !== undefined) throw new ProviderUnavailableError(unavailable);
}

async function ensureRoutes(context: ReconcileContext, apex: Apex, routes: NonNullable<Intent['routes']>, done: Reconciled): Promise<void> {
  const { canary, router, view, cluster, accepted, marks, nowMs, signal } = context;
  await refuseUnseenRoutes(context);
  const primary = view.find(primaryRefOf(canary));
  if (primary && workloadOf(canary).isMisnamed?.(primary.object, view)) {
    // A route to nothing helps nobody, and would bring in the name that is about to be put back.
    done.converged = false;
    return;
  }
  const current = () =>
    router.watches(canary).flatMap((ref) => {
      const seen = view.find(ref);
      return seen ? marks.restored(seen.object) : [];
    });
  const refusal = await accepted.write(canary, nowMs, async (worded) => {
    const { write, remove } = router.render(worded, apex, routes, current());
    for (const object of write) await ensure(context, object, { takenOver: true }, done);
    for (const ref of remove) {
      if (!view.find(ref)) continue;
      await cluster.delete(ref, { signal });
      view.forget(ref);
      done.wrote = true;
    }
  });
  if (refusal) {
    done.refused = refusal.message;
    if (done.converged) done.unconfirmed = refusal.message;
    done.converged = false;
    done.retryInMs = Math.min(done.retryInMs ?? Number.POSITIVE_INFINITY, Math.max(0, refusal.untilMs - nowMs));
    return;
  }
  if (router.isInForce?.(canary, current()) !== false) return;
  if (done.converged) done.unconfirmed = router.objection?.(canary, current()) ?? 'the traffic provider has not taken over the routes yet';
  done.converged = false;
}

/** Writes one object if it does not hold what is wanted; drift is corrected under the brake. */
async function ensure(
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
    done.retryInMs = Math.min(done.retryInMs ?? Number.POSITIVE_INFINITY, waitMs);
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
function mergeIntoTarget({ cluster, signal }: ReconcileContext, fields: KubeObject, live: KubeObject): Promise<KubeObject> {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = fields;
  const { annotations } = metadata;
  const { resourceVersion } = live.metadata;
  return cluster.patch(refOf(live), { metadata: { resourceVersion, ...(annotations && { annotations }) }, ...rest }, { signal });
}

function isTarget(canary: Canary, ref: ObjectRef): boolean {
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

/** Replicas are anybody's: only in the way of the kind, and only between zero and non-zero, or up to what a release needs (E60). */
async function scale(
  context: ReconcileContext,
  ref: ObjectRef,
  replicas: number,
  done: Reconciled,
  direction = replicas > 0 ? 'up' : 'zero',
): Promise<void> {
  const { canary, view, cluster, brake, nowMs, wanted, signal } = context;
  const key = `${refKey(ref)}#scale`;
  const seen = view.find(ref);
  const scaling = seen && workloadOf(canary).scalePatch(seen.object, replicas);
  if (!scaling) return;
  if (replicas > 0 && isStillLeaving(context, seen.object, key, done)) return;
  const [askedFor, answered] = (wanted.get(key) ?? '').split('@');
  done.converged = false;
  // The answer is a Scale, not the workload: until the watch has brought that version, what we see is older than what we asked for.
  if (askedFor === direction && isOlder(seen?.object.metadata.resourceVersion, answered)) return;
  const isDrift = askedFor === direction;
  const waitMs = isDrift ? brake.waitMs(key, nowMs) : 0;
  if (waitMs > 0) {
    done.retryInMs = Math.min(done.retryInMs ?? Number.POSITIVE_INFINITY, waitMs);
    return;
  }
  const { patch, subresource } = scaling;
  const answer = await cluster.patch(ref, patch, { signal, ...(subresource && { subresource }) });
  if (subresource === undefined) view.learn(answer);
  wanted.set(key, `${direction}@${answer.metadata.resourceVersion ?? ''}`);
  if (isDrift) brake.corrected(key, nowMs, 'spec.replicas', seen?.manager);
}

/** Pods that were sent away have to be gone before others are asked for; not for ever, though. */
function isStillLeaving({ canary, nowMs, wanted }: ReconcileContext, object: KubeObject, key: string, done: Reconciled): boolean {
  const leavingMs = workloadOf(canary).leavingForMs?.(object);
  const since = `${key}#leaving`;
  if (leavingMs === undefined) {
    wanted.delete(since);
    return false;
  }
  const sinceMs = Number(wanted.get(since) ?? nowMs);
  wanted.set(since, String(sinceMs));
  const leftMs = sinceMs + leavingMs - nowMs;
  if (leftMs <= 0) return false;
  done.converged = false;
  done.retryInMs = Math.min(done.retryInMs ?? Number.POSITIVE_INFINITY, leftMs);
  return true;
}

/** API servers number versions upwards (KEP-5504); without a number nothing is known to be older. */
function isOlder(seen: string | undefined, answered: string | undefined): boolean {
  return Number(seen) < Number(answered);
}

function replicasToRaise(context: ReconcileContext, target: Seen, scaling: Scaling | undefined): number {
  if (scaling) return scaling.own ? scaling.scaler.startReplicas(scaling.own) : 1;
  const primary = context.view.find(primaryRefOf(context.canary));
  return workloadOf(context.canary).scaleUpTarget(target.object, primary?.object);
}

function workloadOf(canary: Canary): Workload {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) throw new TargetUnusableError(workload.unsupported);
  return workload;
}

function marked({ canary, config }: ReconcileContext, object: KubeObject, owner: { name: string; uid: string }): KubeObject {
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
