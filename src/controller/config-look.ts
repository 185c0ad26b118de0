import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../api/canary.ts';
import type { SeenConfigs } from '../workloads/configs/revision.ts';
import type { Workload } from '../workloads/workload.ts';
import type { ControllerRoom } from './controller-room.ts';
import { type Look, recordedFor, templateOfTarget } from './target-facts.ts';
import { TrackedConfigs } from './tracked-configs.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** What it needs of the room. */
type Room = Pick<ControllerRoom, 'config' | 'announceOn'> & {
  cluster: Pick<ControllerRoom['cluster'], 'get'>;
  configWatches: Pick<ControllerRoom['configWatches'], 'follow' | 'sight'>;
  view: Pick<ControllerRoom['view'], 'find' | 'all' | 'learn'>;
};

/** One Canary's look at the configs of its target: tells its owner of those that cannot be read, and when to look again. */
export class ConfigLook {
  readonly #room: Room;
  readonly #follower: string;
  readonly #tracked: TrackedConfigs;
  #latest: Look | undefined;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(room: Room, follower: string) {
    const { cluster, configWatches: watches, config } = room;
    this.#room = room;
    this.#follower = follower;
    this.#tracked = new TrackedConfigs({ cluster, watches, secrets: config.secretsMode });
  }

  /** Undefined where nothing is tracked. */
  get latest(): Look | undefined {
    return this.#latest;
  }

  /** Who reads configs tells here what was found. */
  get learner(): Pick<TrackedConfigs, 'learn'> {
    return this.#tracked;
  }

  /** Looks once; milliseconds after which it is worth to look again, where something cannot be told now. */
  async look(canary: Canary, workload: Workload, signal: AbortSignal): Promise<number | undefined> {
    const { view, config, cluster } = this.#room;
    const { target } = workload.sides(canary, view);
    const before = this.#latest;
    this.#latest = undefined;
    if (!config.enableConfigTracking || target?.configs === undefined) return undefined;
    const template = templateOfTarget(canary, target);
    const { uid, configs: refs } = target;
    const { namespace } = canary.metadata;
    const remembered = { configs: canary.status?.release?.configs ?? {}, isPinned: recordedFor(canary, target) !== undefined };
    const look = await this.#tracked.look({ follower: this.#follower, namespace, uid, template, refs }, remembered, signal);
    // Pods that somebody has asked for meanwhile have read what was there before, and the watch of their workload may be late (E56).
    if ('configs' in look && isNews(look.configs, before, remembered.configs)) {
      const now = await cluster.get(workload.targetRef(canary), { signal });
      if (now) view.learn(now);
    }
    this.#latest = { ...look, uid, template };
    if ('configs' in look) {
      this.#pauseMs = FIRST_PAUSE_MS;
      return undefined;
    }
    const isNewProblem = before === undefined || 'configs' in before || before.problem !== look.problem;
    if (isNewProblem) this.#room.announceOn(canary, { reason: 'ConfigUnavailable', type: 'Warning', message: look.problem });
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    return pauseMs;
  }

  /** Nothing is watched for this Canary any more. */
  stop(): void {
    this.#room.configWatches.follow(this.#follower, '', []);
  }
}

/** Neither as recorded nor as they were a moment ago; at rest, and after a restart, they are. */
function isNews(configs: SeenConfigs, before: Look | undefined, recorded: SeenConfigs): boolean {
  if (before !== undefined && 'configs' in before && isDeepStrictEqual(before.configs, configs)) return false;
  return !isDeepStrictEqual(configs, recorded);
}
