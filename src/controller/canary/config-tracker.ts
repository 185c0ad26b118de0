import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { labelOf } from '../../api/kube-object.ts';
import { isResting } from '../../api/step.ts';
import { areSameConfigs } from '../../engine/pin.ts';
import { BackOff } from '../../kube/back-off.ts';
import { ApiError } from '../../kube/errors.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import { copiesInUse } from '../../workloads/configs/copies.ts';
import { secretsPolicy } from '../../workloads/configs/read-configs.ts';
import type { SeenConfigs } from '../../workloads/configs/revision.ts';
import { workloadFor } from '../../workloads/index.ts';
import { recordedFor, templateOfTarget } from '../../workloads/recorded-template.ts';
import type { Workload } from '../../workloads/workload.ts';
import { isForeign } from '../adoption/adoption.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import type { TargetConfigs } from '../facts/target-facts.ts';
import { followConfigs, type RememberedConfigs, TrackedConfigs, type TrackedTarget } from '../facts/tracked-configs.ts';
import { refreshCopy } from '../reconcile/config-copies.ts';
import { BlockerEvent } from '../status/blocker-event.ts';

const PAUSE_MS = { from: 500, to: 60_000 };

type ConfigTrackerDeps = Pick<ControllerDeps, 'config' | 'announceOn' | 'clock'> & {
  anchors: Pick<ControllerDeps['anchors'], 'reference'>;
  salts: Pick<ControllerDeps['salts'], 'of'>;
  cluster: Pick<ControllerDeps['cluster'], 'get' | 'create' | 'delete'>;
  configWatches: Pick<ControllerDeps['configWatches'], 'follow' | 'state'>;
  view: Pick<ControllerDeps['view'], 'find' | 'all' | 'isListed' | 'learn'>;
};

/** Reads the configs of one Canary's target, reports unreadable ones, and says when to try again. */
export class ConfigTracker {
  readonly #deps: ConfigTrackerDeps;
  readonly #follower: string;
  readonly #tracked: TrackedConfigs;
  readonly #unavailable: BlockerEvent;
  #latest: TargetConfigs | undefined;
  /** The configs that the target was read after. */
  #targetReadAfter: SeenConfigs | undefined;
  readonly #backOff = new BackOff(PAUSE_MS);
  /** Versions of live Secrets that their copies are known to hold, by copy. */
  readonly #refreshed = new Map<string, string>();

  constructor(deps: ConfigTrackerDeps, follower: string) {
    const { cluster, configWatches: watches, config } = deps;
    this.#deps = deps;
    this.#follower = follower;
    this.#unavailable = new BlockerEvent(deps, 'ConfigUnavailable');
    this.#tracked = new TrackedConfigs({ cluster, watches, secrets: (namespace) => secretsPolicy(config, namespace) });
  }

  /** Undefined where nothing is tracked. */
  get latest(): TargetConfigs | undefined {
    return this.#latest;
  }

  /** Read when a release starts, and not watched: too many are. */
  get unwatched(): readonly ConfigRef[] {
    return this.#latest !== undefined && 'configs' in this.#latest ? (this.#latest.unwatched ?? []) : [];
  }

  /** True if a status with these configs holds everything known. */
  isRemembered(recorded: SeenConfigs): boolean {
    return this.#unavailable.isClear && this.#tracked.isRemembered(recorded);
  }

  /** A promotion records here the configs that it has read. */
  get learner(): Pick<TrackedConfigs, 'learn'> {
    return this.#tracked;
  }

  /** Reads once. Returns the milliseconds until the next attempt, where something is unknown now. */
  async read(canary: Canary, workload: Workload, signal: AbortSignal): Promise<number | undefined> {
    const { view, cluster, salts } = this.#deps;
    this.#latest = undefined;
    const tracked = trackedOf(canary, workload, this.#follower, this.#deps);
    if (tracked === undefined) {
      this.#unavailable.see(canary, undefined);
      return undefined;
    }
    const { target, remembered } = tracked;
    const { uid, template } = target;
    const read = await this.#tracked.read(target, remembered, () => salts.of(canary, signal), signal);
    // Pods that were requested meanwhile have read the earlier content, and the watch of their workload can be late (E56). A new Canary has no pods to analyse:
    // its primary is made from the configs read then.
    const isNew = (canary.status?.phase ?? '') === '' && !isForeign(canary, view);
    if (!isNew && 'configs' in read && this.#isNews(read.configs, remembered, isResting(canary.status?.release))) {
      const now = await cluster.get(workload.targetRef(canary), { signal });
      if (now) view.learn(now);
      this.#targetReadAfter = read.configs;
    }
    this.#latest = { ...read, uid, template };
    if ('configs' in read) {
      this.#unavailable.see(canary, undefined);
      const isRefreshed = await this.#refreshCopies(canary, workload, target, signal);
      if (!isRefreshed) return this.#backOff.next();
      this.#backOff.reset();
      return undefined;
    }
    const untilEventMs = this.#unavailable.see(canary, read.problem) ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#backOff.next(), untilEventMs);
  }

  /** Refreshes the copies of Secrets that have become live (E132). False if one could not be written. */
  async #refreshCopies(canary: Canary, workload: Workload, { refs, namespace }: TrackedTarget, signal: AbortSignal): Promise<boolean> {
    const { config, configWatches, view, cluster, anchors } = this.#deps;
    const { mode, names } = secretsPolicy(config, namespace);
    if (mode !== 'watch' || names.length > 0) return true;
    for (const inUse of copiesInUse(refs, view.find(workload.primaryRef(canary))?.configs ?? [])) {
      const state = await configWatches.state({ kind: 'Secret', name: inUse.source, optional: true }, namespace, signal);
      if (state.state !== 'present' || !state.isLive) continue;
      const version = `${state.uid}/${state.resourceVersion}`;
      if (this.#refreshed.get(inUse.copy) === version) continue;
      try {
        await refreshCopy({ canary, cluster, signal }, inUse, () => anchors.reference(canary, signal));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return false;
      }
      this.#refreshed.set(inUse.copy, version);
    }
    return true;
  }

  /** Ends all watches for this Canary. */
  stop(): void {
    this.#deps.configWatches.follow(this.#follower, '', []);
  }

  /**
   * True if the configs differ from the record and from the last read of the target. While no release is in progress, a config that was only written starts
   * nothing: it counts once a template comes.
   */
  #isNews(configs: SeenConfigs, { configs: recorded, isPinned }: RememberedConfigs, isResting: boolean): boolean {
    if (isResting && isPinned && areSameConfigs(configs, recorded)) return false;
    return !isDeepStrictEqual(configs, recorded) && !isDeepStrictEqual(configs, this.#targetReadAfter);
  }
}

/** The configs that a target reads, with their record in the status, `undefined` if nothing is tracked. */
function trackedOf(
  canary: Canary,
  workload: Workload,
  follower: string,
  { view, config }: Pick<ConfigTrackerDeps, 'view' | 'config'>,
): { target: TrackedTarget; remembered: RememberedConfigs } | undefined {
  const { target } = workload.sides(canary, view);
  if (!config.enableConfigTracking || target?.configs === undefined) return undefined;
  const { uid, configs: refs } = target;
  return {
    target: { follower, namespace: canary.metadata.namespace, uid, template: templateOfTarget(canary, target), refs },
    remembered: { configs: canary.status?.release?.configs ?? {}, isPinned: recordedFor(canary, target) !== undefined },
  };
}

/**
 * Watches the configs of all targets that the view shows, except those of Canaries that are being deleted. In one turn of the event loop, so that the first
 * list of a namespace covers them all: a config that is followed later is requested by its name.
 */
export function followAll(
  canaries: readonly Canary[],
  { configWatches: watches, view, config }: Pick<ConfigTrackerDeps, 'configWatches' | 'view' | 'config'>,
): void {
  for (const canary of canaries) {
    const workload = workloadFor(canary.spec.targetRef);
    if ('unsupported' in workload || canary.metadata.deletionTimestamp !== undefined) continue;
    if (!workload.watches(canary).every((ref) => view.isListed(ref))) continue;
    const tracked = trackedOf(canary, workload, labelOf(canary), { view, config });
    const secrets = (namespace: string) => secretsPolicy(config, namespace);
    if (tracked) followConfigs({ watches, secrets }, tracked.target, tracked.remembered);
  }
}
