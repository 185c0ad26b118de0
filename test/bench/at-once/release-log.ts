import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { type Applications, canaries, INTERVAL_MS, type SeenRelease } from './at-once-applications.ts';

/** Times are those of the log's clock, in milliseconds since 1970. */
export interface ReleaseTimes {
  pushedMs: number;
  /** First status that shows the release. */
  begunMs?: number;
  /** Times of each raised weight. */
  stepsMs: number[];
  endedMs?: number;
  end?: 'Succeeded' | 'Failed';
  /** Times of each step and each change of the phase. */
  movedMs: number[];
}

const ENDS = new Set(['Succeeded', 'Failed']);
const BEGUN = new Set(['Progressing', 'Waiting', 'WaitingPromotion', 'Promoting', 'Finalising']);

/** States of one namespace's releases, in the order of the watch. */
export class ReleaseLog {
  readonly #canaries = new Map<string, SeenRelease>();
  readonly #seenOf: Applications['seenOf'];
  readonly #releases = new Map<string, ReleaseTimes>();
  readonly #waiting = new Set<() => void>();
  readonly #clock: Clock;
  readonly #handle: { stop(): void };

  constructor(
    cluster: KubeCluster,
    namespace: string,
    clock: Clock = systemClock,
    { kind, seenOf }: Pick<Applications, 'kind' | 'seenOf'> = canaries,
  ) {
    this.#clock = clock;
    this.#seenOf = seenOf;
    this.#handle = cluster.watch(
      { ...kind, namespace },
      {
        onEvent: ({ type, object }) => (type === 'DELETED' ? this.#forget(object.metadata.name) : this.#learn(object)),
        onList: (items) => {
          const listed = new Set(items.map(({ metadata }) => metadata.name));
          for (const name of this.#canaries.keys()) if (!listed.has(name)) this.#forget(name);
          for (const item of items) this.#learn(item);
        },
      },
    );
  }

  stop(): void {
    this.#handle.stop();
  }

  /** `{ Initialized: 298, Initializing: 2 }`. */
  phases(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { phase } of this.#canaries.values()) counts[phase] = (counts[phase] ?? 0) + 1;
    return counts;
  }

  /** `undefined` if no Canary has this name. */
  phaseOf(name: string): string | undefined {
    return this.#canaries.get(name)?.phase;
  }

  /** Call before the push. */
  pushed(name: string): ReleaseTimes {
    const times: ReleaseTimes = { pushedMs: this.#clock.nowMs(), stepsMs: [], movedMs: [] };
    this.#releases.set(name, times);
    return times;
  }

  /** Resolves with the time that it took when `isSo`, or with undefined after the bound. */
  async until(boundMs: number, isSo: () => boolean): Promise<number | undefined> {
    const startedMs = this.#clock.nowMs();
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const look = (): void => {
      if (isSo()) resolve(this.#clock.nowMs() - startedMs);
    };
    const cancel = this.#clock.setTimer(boundMs, () => resolve(undefined));
    this.#waiting.add(look);
    look();
    const tookMs = await promise;
    cancel();
    this.#waiting.delete(look);
    return tookMs;
  }

  #learn(object: KubeObject): void {
    const { metadata } = object;
    const before = this.#canaries.get(metadata.name);
    const seen = this.#seenOf(object);
    this.#canaries.set(metadata.name, seen);
    const release = this.#releases.get(metadata.name);
    if (release && before) noteMove(release, this.#clock.nowMs(), before, seen);
    for (const look of this.#waiting) look();
  }

  #forget(name: string): void {
    this.#canaries.delete(name);
    this.#releases.delete(name);
    for (const look of this.#waiting) look();
  }
}

function noteMove(release: ReleaseTimes, nowMs: number, before: SeenRelease, { phase, weight }: SeenRelease): void {
  if (release.begunMs === undefined) {
    if (!BEGUN.has(phase)) return;
    release.begunMs = nowMs;
    release.movedMs.push(nowMs);
  }
  if (phase === 'Progressing' && weight > before.weight) release.stepsMs.push(nowMs);
  if (phase !== before.phase || weight !== before.weight) release.movedMs.push(nowMs);
  if (release.end === undefined && ENDS.has(phase)) {
    release.end = phase as 'Succeeded' | 'Failed';
    release.endedMs = nowMs;
  }
}

export interface Step {
  /** Time of the step before it. */
  fromMs: number;
  atMs: number;
  /** Delay over the interval. */
  lateMs: number;
}

/** Each step of a release but the first. */
export const stepsOf = ({ stepsMs }: ReleaseTimes): Step[] =>
  stepsMs.slice(1).map((atMs, index) => {
    const fromMs = stepsMs[index] ?? atMs;
    return { fromMs, atMs, lateMs: atMs - fromMs - INTERVAL_MS };
  });

/** Delay of each step over the interval. */
export const latenessMs = (releases: readonly ReleaseTimes[]): number[] => releases.flatMap(stepsOf).map(({ lateMs }) => lateMs);
