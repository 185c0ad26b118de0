import { apiVersion, type Canary } from '../../api/canary.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, labelOf, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { finalizer, keepAnnotation } from '../../api/names.ts';
import { sleep } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { givenUp } from '../../engine/deliveries.ts';
import { BackOff } from '../../kube/back-off.ts';
import { withPriority } from '../../kube/with-priority.ts';
import { admitSpec } from '../admission/admission.ts';
import { isRunning } from '../admission/service-fit.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { readCanary, withSpec } from '../watch/read-canary.ts';
import { awaitKept, deletedOf, seenOfKept } from './await-kept.ts';
import { finishDeletion } from './finish-deletion.ts';
import { PrimaryGuard } from './primary-guard.ts';
import { awaitUninstall } from './uninstall.ts';

/** An application that can never be restored must not take the API's time from the others. */
const RETRY_MS = { from: 5_000, to: 60_000 };
/** Between two attempts to list the Canaries that were deleted while Serin was down. */
const ORPHANS_RETRY_MS = { from: 1_000, to: 60_000 };
/** Time for which `revertOnDeletion` holds a Canary whose target does not become ready, in milliseconds. */
const LONGEST_HOLD_MS = 600_000;

/** Receives the requests of a deletion to the controller. */
export interface DeletionListener {
  /** Stops the process of the Canary `namespace/name`; resolves when it can write nothing any more. */
  stopCanary(key: string): Promise<void>;
  /** The application of this Canary is restored, or belongs to another one. */
  restored(canary: Canary): void;
  /** A Canary of this name that waits for the last one's application has something else to wait for now, or nothing any more. */
  waitChanged(ref: ObjectRef): void;
}

/** An application whose Canary is gone. */
export interface Deletion {
  last: Canary;
  /** Its primary keeps serving, since the target holds an unpromoted version (I19). */
  isKept?: boolean;
  /** The target is also gone. */
  uninstall?: {
    /** Time when all generated objects are deleted, `undefined` to keep the primary until the target is back. */
    atMs?: number;
  };
}

type DeletionsDeps = Pick<
  ControllerDeps,
  | 'cluster'
  | 'view'
  | 'config'
  | 'clock'
  | 'log'
  | 'anchors'
  | 'salts'
  | 'deliveries'
  | 'mayWrite'
  | 'announceOn'
  | 'configWatches'
  | 'metrics'
>;

interface UnderWay extends Deletion {
  under: AbortController;
  /** Resolved by the next wake. */
  woken: PromiseWithResolvers<void>;
}

/** Canaries that go: each application goes back to its target, again and again until it has. */
export class Deletions {
  readonly #deps: DeletionsDeps;
  readonly #listener: DeletionListener;
  readonly #stopping: AbortSignal;
  /** Under way, by `namespace/name`, and the Canary that is gone. */
  readonly #underWay = new Map<string, UnderWay>();

  constructor(deps: DeletionsDeps, stopping: AbortSignal, listener: DeletionListener) {
    // The application is served meanwhile.
    this.#deps = { ...deps, cluster: withPriority(deps.cluster, 'upkeep') };
    this.#stopping = stopping;
    this.#listener = listener;
  }

  /** The deletion whose application this Canary without a release waits for: of its name, or on its target. */
  awaitedBy(key: string, raw: KubeObject): Deletion | undefined {
    const own = this.#underWay.get(key);
    const isOwn = own !== undefined && own.last.metadata.uid !== raw.metadata.uid && !this.isInherited(own.last);
    const awaited = own === undefined ? [...this.#underWay.values()].find(({ last }) => isHeirOf(last, raw)) : isOwn ? own : undefined;
    // The deletion could be waiting for this Canary.
    if (awaited && isHeirOf(awaited.last, raw) && readCanary(raw)) this.wake(labelOf(awaited.last));
    return awaited;
  }

  /** Call when the cause of a deletion's wait could have changed: a config that its target reads, or a Canary over it. */
  wake(follower: string): void {
    const deletion = this.#underWay.get(deletedOf(follower));
    if (deletion === undefined) return;
    const { woken } = deletion;
    deletion.woken = Promise.withResolvers();
    woken.resolve();
  }

  /** Canaries that are gone, and whose applications are not restored yet. */
  get restoring(): readonly Canary[] {
    return [...this.#underWay.values()].map(({ last }) => last);
  }

  /** This one has only waited for the application of the last Canary of its name: nothing of it is to be restored. */
  hasOnlyWaited(key: string, { metadata, status }: KubeObject): boolean {
    const deletion = this.#underWay.get(key);
    return deletion !== undefined && deletion.last.metadata.uid !== metadata.uid && !hasBegun(status);
  }

  /**
   * True if a Canary of this name runs on its objects, so that nothing is restored: the same Canary, or another with a recorded release on its target. A Canary
   * that was made again has no release, and starts like new when all is restored.
   */
  isInherited(canary: Pick<Canary, 'metadata' | 'spec'>): boolean {
    const raw = this.#living(canary);
    if (raw === undefined) return false;
    // Wherever its target is now, it is not gone.
    return this.#isRunning(canary) || (!isElsewhere(raw, canary) && hasBegun(raw.status));
  }

  #isRunning(canary: { metadata: Pick<Canary['metadata'], 'namespace' | 'name' | 'uid'> }): boolean {
    return this.#living(canary)?.metadata.uid === canary.metadata.uid;
  }

  #living({ metadata: { namespace, name } }: { metadata: Pick<Canary['metadata'], 'namespace' | 'name'> }): KubeObject | undefined {
    const raw = this.#deps.view.find({ apiVersion, kind: 'Canary', namespace, name })?.object;
    return raw?.metadata.deletionTimestamp === undefined ? raw : undefined;
  }

  /** A Canary on the same target that lives: made again, or under another name. */
  #heirOf(canary: Canary): ObjectRef | undefined {
    const { namespace, name } = canary.metadata;
    const isHeir = (raw: KubeObject): boolean =>
      raw.metadata.namespace === namespace &&
      raw.metadata.deletionTimestamp === undefined &&
      // Counts a Canary of this name with any spec: a Canary that cannot be run is not gone.
      (raw.metadata.name === name ? !isElsewhere(raw, canary) : isOn(raw, canary));
    const heir = this.#deps.view.all({ apiVersion, kind: 'Canary' }).find(({ object }) => isHeir(object));
    return heir && refOf(heir.object);
  }

  /** Canaries without a release on the target, the oldest first: the oldest goes on. */
  #heirsOf(canary: Canary): KubeObject[] {
    const ageOf = ({ metadata: { creationTimestamp = '', uid = '' } }: KubeObject) => `${creationTimestamp}/${uid}`;
    return this.#deps.view
      .all({ apiVersion, kind: 'Canary' })
      .flatMap(({ object }) => (isHeirOf(canary, object) ? object : []))
      .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
  }

  /** A Canary of another name that has begun a release of this target. An edit of its target that was refused does not count. */
  async #holderOf(canary: Canary, signal: AbortSignal): Promise<Canary | undefined> {
    const { namespace, name } = canary.metadata;
    for (const { object: raw } of this.#deps.view.allIn({ apiVersion, kind: 'Canary' }, namespace)) {
      const isLiving = raw.metadata.name !== name && raw.metadata.deletionTimestamp === undefined;
      if (!isLiving || !isOn(raw, canary) || !hasBegun(raw.status)) continue;
      const begunWith = await this.#deps.anchors.originalSpec(raw, signal);
      const holder = begunWith === undefined || isSameTarget(begunWith.targetRef, canary.spec.targetRef) ? readCanary(raw) : undefined;
      if (holder) return holder;
    }
    return undefined;
  }

  /** `held`: the Canary itself, which its finalizer keeps until this is done. */
  begin(key: string, last: KubeObject, held?: KubeObject): void {
    const canary = readCanary(last);
    if (canary) void this.restore(key, canary, held);
    else void this.restoreByAnchor(key, last, held);
  }

  /** Restores by the anchor the application of a Canary that could not be read since the start. */
  async restoreByAnchor(key: string, last: KubeObject, held?: KubeObject): Promise<void> {
    const { name, namespace = '', uid = '' } = last.metadata;
    const { anchors, log, clock } = this.#deps;
    try {
      const spec = await anchors.originalSpec(last, this.#stopping);
      const metadata = { name, namespace, uid, generation: 0, resourceVersion: '' };
      const canary = spec && ({ apiVersion, kind: 'Canary', metadata, spec } as const);
      if (canary && (held || !this.isInherited(canary))) await this.restore(key, canary, held);
      else if (!canary && held) await this.#release(held);
    } catch (error) {
      if (this.#stopping.aborted) return;
      log.warn({ canary: key, err: error, retryInMs: RETRY_MS.from }, 'the objects of the Canary are unknown');
      clock.setTimer(RETRY_MS.from, () => void this.restoreByAnchor(key, last, held));
    }
  }

  /** The Canary is gone: its application goes back to the target, again and again until it has. */
  async restore(key: string, last: Canary, held?: KubeObject): Promise<void> {
    let canary = last;
    let isLookedUp = false;
    const { cluster, view, config, clock, log, anchors, salts } = this.#deps;
    // Pending messages are listed only in the status, which goes with the Canary.
    const pending = this.#deps.deliveries.stop(canary);
    if (pending.length > 0) this.#deps.announceOn(canary, givenUp(pending, 'since the Canary is deleted'));
    anchors.forget(canary);
    salts.forget(canary);
    // A deletion that still waits is about a Canary that was made again, and has gone again since: two at once would restore it twice.
    this.#underWay.get(key)?.under.abort(new Error('superseded'));
    const own = new AbortController();
    const deletion: UnderWay = { last: canary, under: own, woken: Promise.withResolvers() };
    this.#underWay.set(key, deletion);
    await this.#listener.stopCanary(key);
    // They have waited for this one, and wait for its application now.
    for (const heir of this.#heirsOf(canary)) await this.#listener.stopCanary(labelOfRaw(heir));
    this.#wakeHeirs(canary);
    const signal = AbortSignal.any([this.#stopping, own.signal]);
    const beganAtMs = clock.monotonicMs();
    const backOff = new BackOff(RETRY_MS);
    const guard = new PrimaryGuard();
    let isHeld = held !== undefined;
    const letGo = async (): Promise<void> => {
      if (held && isHeld) await this.#release(held);
      isHeld = false;
    };
    const { name, namespace } = canary.metadata;
    const ref = { apiVersion, kind: 'Canary', name, namespace };
    const say = (uninstall: Deletion['uninstall'], isKept = false): void => {
      const isSame = uninstall?.atMs === deletion.uninstall?.atMs && (uninstall === undefined) === (deletion.uninstall === undefined);
      if (isSame && isKept === (deletion.isKept ?? false)) return;
      if (uninstall) deletion.uninstall = uninstall;
      else delete deletion.uninstall;
      deletion.isKept = isKept;
      this.#listener.waitChanged(ref);
    };
    const woken = () => deletion.woken.promise;
    const heir = () => this.#heirsOf(canary).flatMap((raw) => readCanary(raw) ?? [])[0];
    const attempt = async (): Promise<void> => {
      if (signal.aborted || !this.#deps.mayWrite()) return;
      try {
        if (!isLookedUp) canary = await this.#asRun(canary, signal);
        isLookedUp = true;
        deletion.last = canary;
        const { announceOn, configWatches, metrics } = this.#deps;
        const shared = { cluster, view, config, clock, log, signal };
        const isInherited = () => this.isInherited(canary);
        const holder = () => this.#holderOf(canary, signal);
        const looksAt = [{ ...SERVICE_KIND, namespace }, targetRefOf(canary), primaryRefOf(canary)];
        await Promise.all(looksAt.map((ref) => view.ready(ref)));
        for (;;) {
          const before = seenOfKept(canary, view);
          const heirs = { isInherited, heir, holder };
          const outcome = await finishDeletion(canary, { ...shared, ...heirs, anchors, salts, isHeld, announceOn, woken, guard });
          const isKept = typeof outcome === 'object';
          metrics.primaryKept(canary, isKept);
          if (outcome === 'over') break;
          await letGo();
          if (isKept) {
            say(undefined, true);
            await awaitKept(outcome, before, guard, { ...shared, configWatches, announceOn, woken });
            continue;
          }
          const endsAt = (atMs: number | undefined) => say({ ...(atMs !== undefined && { atMs }) });
          const awaitedBy = () => this.#heirOf(canary);
          if (canary.metadata.annotations?.[keepAnnotation] === 'true') await anchors.keep(canary, true, signal);
          if ((await awaitUninstall(canary, { ...shared, anchors, awaitedBy, endsAt })) === 'over') break;
          say(undefined);
        }
        await letGo();
        salts.forget(canary);
        if (this.#underWay.get(key)?.under !== own) return;
        this.#underWay.delete(key);
        this.#listener.restored(canary);
        this.#listener.waitChanged(ref);
        this.#wakeHeirs(canary);
      } catch (error) {
        if (signal.aborted) return;
        // The anchor stays, and with it what is left to do: a Canary must not wait for ever for a target that never becomes ready.
        if (clock.monotonicMs() - beganAtMs >= LONGEST_HOLD_MS)
          await letGo().catch((err: unknown) => log.warn({ canary: key, err }, 'finalizer kept'));
        const retryInMs = backOff.next();
        log.warn({ canary: key, err: error, retryInMs }, 'restoring the application failed');
        clock.setTimer(retryInMs, () => void attempt());
      }
    };
    await attempt();
  }

  /**
   * The Canary with its accepted spec: later edits were refused, or were made while Serin was down (E65). The spec of the anchor is checked again. For a Canary that
   * was deleted meanwhile, the anchor lists routes that its spec no longer names.
   */
  async #asRun(canary: Canary, signal: AbortSignal): Promise<Canary> {
    if (isRunning(canary)) return canary;
    const [accepted] = await this.#deps.anchors.acceptedSpecs(canary, signal);
    const admitted = accepted && admitSpec(withSpec(canary, accepted), this.#deps);
    if (admitted === undefined || 'reason' in admitted) return canary;
    const { routeRefs, suspend } = canary.spec;
    const isLost = canary.status === undefined && routeRefs !== undefined;
    return { ...canary, spec: { ...admitted.canary.spec, ...defined({ suspend }), ...(isLost && { routeRefs }) } };
  }

  #wakeHeirs(canary: Canary): void {
    for (const heir of this.#heirsOf(canary)) this.#listener.waitChanged(refOf(heir));
  }

  /** Canaries without a deletion under way, and without another one of their name, whose anchors a backup has brought back while Serin runs. */
  async restored(namespace: string): Promise<Canary[]> {
    const isAlone = (canary: Canary) => !this.#underWay.has(labelOf(canary)) && this.#living(canary) === undefined;
    return (await this.orphans([namespace])).filter(isAlone);
  }

  /** Canaries that were deleted while Serin was down. Tried until it succeeds: they must be known before a Canary of the same name begins. */
  async orphans(namespaces: readonly string[] = this.#deps.config.namespaces): Promise<Canary[]> {
    const { anchors, log, clock } = this.#deps;
    const signal = this.#stopping;
    const backOff = new BackOff(ORPHANS_RETRY_MS);
    for (;;) {
      try {
        const isInherited = (canary: Pick<Canary, 'metadata' | 'spec'>) => this.isInherited(canary);
        return await anchors.orphans({ isRunning: (canary) => this.#isRunning(canary), isInherited }, namespaces, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        const retryInMs = backOff.next();
        log.warn({ err: error, retryInMs }, 'the first read of the cluster failed');
        await sleep(clock, retryInMs, signal);
      }
    }
  }

  /** All are registered at once, since Canaries of the same name wait for them. */
  restoreAll(canaries: readonly Canary[]): void {
    for (const canary of canaries) void this.restore(labelOf(canary), canary);
  }

  /** The application is back on its target: the Canary with `revertOnDeletion` is released. */
  async #release(held: KubeObject): Promise<void> {
    const { cluster } = this.#deps;
    const signal = this.#stopping;
    // Its status might have been written since, by us or by another controller.
    const now = await cluster.get(refOf(held), { signal });
    if (now === undefined || now.metadata.uid !== held.metadata.uid) return;
    const finalizers = (now.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    await cluster.patch(refOf(now), { metadata: { finalizers, resourceVersion: now.metadata.resourceVersion } }, { signal });
  }
}

/** A Canary that lives, on the same target, and has no release of its own. */
function isHeirOf({ metadata: { namespace, uid }, spec }: Canary, raw: KubeObject): boolean {
  const { metadata } = raw;
  const lives = metadata.namespace === namespace && metadata.uid !== uid && metadata.deletionTimestamp === undefined;
  return lives && isOn(raw, { spec }) && !hasBegun(raw.status);
}

const labelOfRaw = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;

/** Its spec names a target, and another one. */
function isElsewhere(raw: KubeObject, canary: Pick<Canary, 'spec'>): boolean {
  return targetOf(raw) !== undefined && !isOn(raw, canary);
}

function isOn(raw: KubeObject, { spec: { targetRef } }: Pick<Canary, 'spec'>): boolean {
  const target = targetOf(raw);
  return target !== undefined && isSameTarget(target, targetRef);
}

const isSameTarget = (one: { kind: unknown; name: unknown }, other: { kind: unknown; name: unknown }): boolean =>
  one.kind === other.kind && one.name === other.name;

function targetOf(raw: KubeObject): { kind: unknown; name: unknown } | undefined {
  const ref = specOf<{ targetRef: unknown }>(raw).targetRef;
  return typeof ref === 'object' && ref !== null && 'name' in ref && 'kind' in ref ? ref : undefined;
}

/** A release is recorded in it. */
function hasBegun(status: unknown): boolean {
  return typeof status === 'object' && status !== null && 'release' in status && status.release !== undefined;
}
