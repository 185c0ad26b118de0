import type { Canary } from '../api/canary.ts';
import type { Workload } from '../workloads/workload.ts';
import type { ControllerRoom } from './controller-room.ts';
import { type Look, recordedFor, templateOfTarget } from './target-facts.ts';
import { TrackedConfigs } from './tracked-configs.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** One Canary's look at the configs of its target: tells its owner of those that cannot be read, and when to look again. */
export class ConfigLook {
  readonly #room: ControllerRoom;
  readonly #follower: string;
  readonly #tracked: TrackedConfigs;
  #latest: Look | undefined;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(room: ControllerRoom, follower: string) {
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
    const { view, config } = this.#room;
    const { target } = workload.sides(canary, view);
    const before = this.#latest;
    this.#latest = undefined;
    if (!config.enableConfigTracking || target?.configs === undefined) return undefined;
    const template = templateOfTarget(canary, target);
    const { uid, configs: refs } = target;
    const { namespace } = canary.metadata;
    const remembered = { configs: canary.status?.release?.configs ?? {}, isPinned: recordedFor(canary, target) !== undefined };
    const look = await this.#tracked.look({ follower: this.#follower, namespace, uid, template, refs }, remembered, signal);
    this.#latest = { ...look, uid, template };
    if ('configs' in look) {
      this.#pauseMs = FIRST_PAUSE_MS;
      return undefined;
    }
    const isNews = before === undefined || 'configs' in before || before.problem !== look.problem;
    if (isNews) this.#room.announceOn(canary, { reason: 'ConfigUnavailable', type: 'Warning', message: look.problem });
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    return pauseMs;
  }

  /** Nothing is watched for this Canary any more. */
  stop(): void {
    this.#room.configWatches.follow(this.#follower, '', []);
  }
}
