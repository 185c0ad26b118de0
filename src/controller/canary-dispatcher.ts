import type { Canary } from '../api/canary.ts';
import { SERVICE_KIND } from '../api/kinds/service.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { labelOf } from '../api/kube-object.ts';
import { finalizer, ownerAnnotation } from '../api/names.ts';
import type { KindRef } from '../kube/cluster.ts';
import { concernsOthers, isCompanion, isCompanionKind } from '../workloads/companions/index.ts';
import { refuse } from './admission/admission.ts';
import { isRefusedEdit } from './admission/is-refused-edit.ts';
import { CanaryProcesses, refOfKey } from './canary/canary-processes.ts';
import { followAll } from './canary/config-tracker.ts';
import type { ControllerDeps } from './controller-deps.ts';
import { Deletions } from './deletion/deletions.ts';
import { OrphanSearches } from './deletion/orphan-searches.ts';
import { waitMessage } from './deletion/wait-message.ts';
import { watchedBy } from './facts/interests.ts';
import type { ProviderConditions } from './notifications/provider-conditions.ts';
import { validityOf } from './notifications/provider-findings.ts';
import type { ControllerMetrics } from './telemetry/controller-metrics.ts';
import type { CanaryRegister } from './watch/canary-register.ts';
import type { CanarySlice } from './watch/canary-slice.ts';
import { FirstReconciles } from './watch/first-reconciles.ts';
import { metricsView, readCanary } from './watch/read-canary.ts';
import { isInRelease, isUrgent, urgencyNow } from './watch/stored-priority.ts';
import { WorkTurns } from './watch/work-turns.ts';

const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' } as const;
const TEMPLATE = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate' } as const;
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;

export interface DispatcherOptions {
  deps: ControllerDeps;
  register: CanaryRegister;
  slice: CanarySlice;
  conditions: Pick<ProviderConditions, 'report'>;
  metrics: Pick<ControllerMetrics, 'seen' | 'gone' | 'counted'>;
  signal: AbortSignal;
}

/** Routes changes of the cluster to the processes of the Canaries that they concern, and starts and ends those processes. */
export class CanaryDispatcher {
  readonly #deps: ControllerDeps;
  readonly #register: CanaryRegister;
  readonly #slice: CanarySlice;
  readonly #conditions: DispatcherOptions['conditions'];
  readonly #metrics: DispatcherOptions['metrics'];
  readonly #signal: AbortSignal;
  readonly #turns: WorkTurns;
  readonly #firstReconciles: FirstReconciles;
  readonly #deletions: Deletions;
  readonly #orphanSearches: OrphanSearches;
  readonly #processes: CanaryProcesses;
  /** Canaries that could not be read since they were first seen, by `namespace/name`. */
  readonly #unreadable = new Map<string, KubeObject>();
  #isStarted = false;
  /** Applications whose Canaries were deleted while Serin was down are known. */
  #areOrphansKnown = false;
  #haveAllBegun = false;

  constructor({ deps, register, slice, conditions, metrics, signal }: DispatcherOptions) {
    this.#deps = deps;
    this.#register = register;
    this.#slice = slice;
    this.#conditions = conditions;
    this.#metrics = metrics;
    this.#processes = new CanaryProcesses(deps, metrics);
    this.#signal = signal;
    this.#turns = new WorkTurns(deps.clock, (err) => deps.log.warn({ err }, 'a change of the cluster could not be looked at'));
    this.#firstReconciles = new FirstReconciles(deps.clock, (key) => this.#firstReconcile(key));
    this.#deletions = new Deletions(deps, signal, {
      stopCanary: async (key) => {
        const process = this.#processes.awake(key);
        register.remove(key);
        this.#processes.forget(key);
        await process?.stop();
      },
      restored: (canary) => this.#closeUnwanted(watchedBy(canary, deps.config)),
      waitChanged: (ref) => this.changed(ref),
    });
    this.#orphanSearches = new OrphanSearches(deps, signal, async (namespace) => this.#restore(await this.#deletions.restored(namespace)));
  }

  /**
   * The Canaries are listed: those with a release under way begin. Changed targets follow when deleted Canaries are known, whose applications some Canaries
   * could wait for, and the Deployments are listed. All others begin when the Services are listed as well.
   */
  async start(): Promise<void> {
    const { view } = this.#deps;
    // Register all before the first one is woken: the younger of two rivals must not start because it was listed first.
    this.#registerAll();
    this.#isStarted = true;
    for (const { object } of view.all(TEMPLATE)) this.#checkTemplate(object);
    this.#begin(isInRelease);
    this.#restore(await this.#deletions.orphans());
    this.#areOrphansKnown = true;
    // A Canary that its finalizer holds is restored by its last version.
    this.#registerAll();
    await view.ready(DEPLOYMENT);
    const mine = view.all(CANARY).filter(({ object }) => this.#slice.includes(object));
    followAll(
      mine.flatMap(({ object }) => readCanary(object) ?? []),
      this.#deps,
    );
    this.#begin(isUrgent);
    // Otherwise each Service of a Canary that waits for them would cause another reconcile.
    await view.ready(SERVICE_KIND);
    this.#begin(() => true);
    this.#haveAllBegun = true;
  }

  #registerAll(): void {
    for (const { object } of this.#deps.view.all(CANARY)) {
      const key = `${object.metadata.namespace}/${object.metadata.name}`;
      if (this.#register.lastSeen(key) || this.#unreadable.has(key)) continue;
      if (this.#slice.isOfAnotherShard(object.metadata)) this.#rivalChanged(key, object);
      if (!this.#slice.includes(object)) continue;
      const canary = readCanary(object);
      if (canary) this.track(canary, object);
      else this.#unreadable.set(key, object);
    }
  }

  /** First reconciles of Canaries that had none, the most urgent first. */
  #begin(isNext: (urgency: number) => boolean): void {
    const { view } = this.#deps;
    const canaries = view.all(CANARY).map(({ object }) => ({ key: `${object.metadata.namespace}/${object.metadata.name}`, object }));
    const waiting = canaries
      .filter(({ key }) => !this.#processes.has(key))
      .map(({ key, object }) => ({ key, urgency: urgencyNow(object, view) }))
      .filter(({ urgency }) => isNext(urgency));
    this.#firstReconciles.begin(waiting.toSorted((a, b) => a.urgency - b.urgency).map(({ key }) => key));
  }

  /** Cancels every process; resolves when none can write any more. */
  async stop(): Promise<void> {
    this.#firstReconciles.stop();
    this.#turns.stop();
    await this.#processes.stop();
  }

  /** An object has changed, or the objects of a kind can be had now (a ref without name). */
  changed(ref: ObjectRef): void {
    if (this.#signal.aborted || !this.#isStarted) return;
    const { kind, namespace = '', name } = ref;
    if (kind === 'Canary') {
      this.#firstReconciles.remove(`${namespace}/${name}`);
      if (name !== '') this.#turns.add(namespace, `Canary ${namespace}/${name}`, () => this.#canaryChanged(ref));
      return;
    }
    if (kind === 'MetricTemplate' && name !== '') {
      this.#turns.add(namespace, `MetricTemplate ${namespace}/${name}`, () => this.#checkTemplate(this.#deps.view.find(ref)?.object));
      return;
    }
    this.#orphanSearches.changed(ref);
    for (const key of name === '' ? this.#processes.keys() : this.#concernedBy(ref)) {
      if (!this.#firstReconciles.isWaiting(key)) this.wake(key);
      // Objects that are listed for the first time have not changed: they are seen when the Canary has its turn.
      else if (this.#deps.view.isListed(ref)) this.changed(refOfKey(key));
    }
  }

  /** Each of thousands that are listed at the start would concern all Canaries of its namespace, which wait for the whole list. */
  #concernedBy(ref: ObjectRef): readonly string[] {
    const isOfList = !this.#haveAllBegun && !this.#deps.view.isListed(ref);
    return isOfList ? this.#register.interestedIn(ref, { byKind: false }) : this.#interestedIn(ref);
  }

  /** With interests in all objects of a kind, a thousand Canaries would wake one another with the objects made for each. */
  #interestedIn(ref: ObjectRef): readonly string[] {
    const object = this.#deps.view.find(ref)?.object;
    const uid = object?.metadata.annotations?.[ownerAnnotation];
    if (isCompanionKind(ref.apiVersion, ref.kind)) {
      const key = object && uid !== undefined && isCompanion(object) && !concernsOthers(object) ? this.#register.keyOf(uid) : undefined;
      return key?.startsWith(`${ref.namespace}/`) ? [key] : this.#register.interestedIn(ref);
    }
    const named = this.#register.interestedIn(ref, { byKind: false });
    // The apex Service of one Canary follows no other.
    const isOfOne = uid !== undefined || (ref.kind === 'Service' && named.length > 0);
    return isOfOne ? named : this.#register.interestedIn(ref);
  }

  /** Wakes a Canary when its namespace has its turn. A Canary that has had no reconcile yet sees the change in its first. */
  wake(key: string): void {
    if (this.#processes.has(key)) this.#turns.add(key.slice(0, key.indexOf('/')), key, () => this.#processes.awake(key)?.wake());
    else this.#deletions.wake(key);
  }

  /** A message of this Canary was delivered. */
  delivered(uid: string, key: string): void {
    const unread = () => [...this.#unreadable].find(([, { metadata }]) => metadata.uid === uid)?.[0];
    this.#processes.awake(this.#register.keyOf(uid) ?? unread() ?? '')?.wake({ type: 'DELIVERED', key });
  }

  /** The Canary is woken by changes of the objects of this spec. */
  track(canary: Canary, raw: KubeObject): void {
    const key = labelOf(canary);
    const former = this.#refsOf(key, raw);
    this.#register.put(key, canary, raw, watchedBy(canary, this.#deps.config));
    this.#closeUnwanted(former);
  }

  /** True if a Canary, or the restoration of a deleted one, looks at objects of the kind. */
  wants({ kind }: KindRef): boolean {
    const isWatchedBy = (canary: Canary) => watchedBy(canary, this.#deps.config).some((ref) => ref.kind === kind);
    return this.#register.looksAt(kind) || this.#deletions.restoring.some(isWatchedBy);
  }

  /** The objects that a Canary looked at by another spec than `now`. */
  #refsOf(key: string, now?: KubeObject): readonly ObjectRef[] {
    const last = this.#register.lastSeen(key)?.raw;
    const canary = last === undefined || last.spec === now?.spec ? undefined : readCanary(last);
    return canary ? watchedBy(canary, this.#deps.config) : [];
  }

  #closeUnwanted(refs: readonly ObjectRef[]): void {
    this.#deps.view.close(refs.filter(({ kind }) => !this.#register.looksAt(kind)));
  }

  #restore(canaries: readonly Canary[]): void {
    this.#deletions.restoreAll(canaries.filter((canary) => this.#slice.includes(canary)));
  }

  #firstReconcile(key: string): Promise<void> {
    const ref = refOfKey(key);
    const ended = Promise.withResolvers<void>();
    this.#turns.add(ref.namespace, `Canary ${key}`, () => {
      this.#canaryChanged(ref);
      ended.resolve(this.#processes.idle(key));
    });
    return ended.promise;
  }

  #checkTemplate(template: KubeObject | undefined): void {
    if (template && this.#slice.isFirst) this.#conditions.report(template, validityOf(template));
  }

  #canaryChanged(ref: ObjectRef): void {
    const key = `${ref.namespace}/${ref.name}`;
    const raw = this.#deps.view.find(ref)?.object;
    if (this.#slice.isOfAnotherShard(ref)) {
      this.#rivalChanged(key, raw);
      return;
    }
    const before = this.#register.lastSeen(key);
    if (raw && !this.#slice.includes(raw)) {
      // Its label no longer matches our selector: nothing of it is restored.
      if (before) this.#release(key, before.uid);
      return;
    }
    const unread = this.#unreadable.get(key);
    if (unread && raw?.metadata.uid !== unread.metadata.uid) {
      this.#unreadable.delete(key);
      if (!before && !this.#deletions.hasOnlyWaited(key, unread)) void this.#deletions.restoreByAnchor(key, unread);
    }
    if (before && raw?.metadata.uid !== before.uid) this.#deleted(key, before.raw);
    if (!raw) {
      this.#processes.forget(key);
      return;
    }
    if (raw.metadata.deletionTimestamp !== undefined) {
      const last = before?.raw ?? unread;
      this.#unreadable.delete(key);
      if (last && raw.metadata.finalizers?.includes(finalizer)) this.#deletions.begin(key, last, raw);
      return;
    }
    this.#refresh(key, raw, before?.raw);
    // Has its turn when they are known.
    if (!this.#areOrphansKnown && !isInRelease(urgencyNow(raw, this.#deps.view))) return;
    if (this.#isNameTaken(key, raw)) return;
    this.#processes.of(key).wake();
  }

  /** A Canary of another shard is known only for its target and its apex: of two Canaries with the same one, the older goes on. */
  #rivalChanged(key: string, raw: KubeObject | undefined): void {
    const rivals = this.#register.rivalsOf(key);
    const canary =
      raw && raw.metadata.deletionTimestamp === undefined && this.#slice.isSelected(raw.metadata) ? readCanary(raw) : undefined;
    if (raw && canary) this.#register.put(key, canary, raw, []);
    // An unreadable Canary keeps its former entry, as in its own shard.
    else if (!raw || raw.metadata.deletionTimestamp !== undefined || !this.#slice.isSelected(raw.metadata)) {
      this.#register.remove(key);
      for (const rival of rivals) this.#processes.awake(rival)?.wake();
    }
  }

  /** The Canary that was known by this name is gone. */
  #deleted(key: string, last: KubeObject): void {
    const rivals = this.#register.rivalsOf(key);
    const canary = readCanary(last);
    if (this.#deletions.hasOnlyWaited(key, last)) this.#unregister(key);
    else if (canary === undefined) void this.#deletions.restoreByAnchor(key, last);
    else if (!this.#deletions.isInherited(canary)) void this.#deletions.restore(key, canary);
    this.#processes.forget(key);
    // Canaries that waited for its target go on, or wait for its application.
    for (const rival of rivals) this.changed(refOfKey(rival));
  }

  /** Registers the objects that the Canary looks at now. A refused edit changes none of them: the release follows the previous spec (E65). */
  #refresh(key: string, raw: KubeObject, before: KubeObject | undefined): void {
    const canary = readCanary(raw);
    if (canary) this.#unreadable.delete(key);
    else if (!before) this.#unreadable.set(key, raw);
    if (canary && !isRefusedEdit(raw, before, this.#deps)) this.track(canary, raw);
    const shown = canary ?? metricsView(raw);
    if (shown) this.#metrics.seen(shown, this.#deps.clock.nowMs());
  }

  /** The application of the last Canary of this name, or on this target, goes first to whom it belongs. The new one starts then. */
  #isNameTaken(key: string, raw: KubeObject): boolean {
    const deletion = this.#deletions.awaitedBy(key, raw);
    if (deletion === undefined) return false;
    const refusal = { reason: 'Blocked', message: waitMessage(deletion, raw.metadata.name) } as const;
    refuse(raw, refusal, this.#deps, this.#signal).catch((err: unknown) => {
      if (!this.#signal.aborted) this.#deps.log.warn({ canary: key, err }, 'status not written');
    });
    return true;
  }

  /** Leaves the Canary and its objects to another Serin. */
  #release(key: string, uid: string): void {
    this.#unregister(key);
    const [namespace = ''] = key.split('/');
    this.#deps.deliveries.stop({ metadata: { namespace, uid } });
    this.#deps.anchors.forget({ metadata: { namespace, uid } });
    this.#deps.salts.forget({ metadata: { namespace, uid } });
    this.#processes.forget(key);
  }

  #unregister(key: string): void {
    const refs = this.#refsOf(key);
    this.#register.remove(key);
    this.#closeUnwanted(refs);
  }
}
