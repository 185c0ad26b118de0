import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import type { Raw } from '../../fakes/raw.ts';
import { INTERVAL_MS } from './at-once-applications.ts';

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

interface Seen {
  phase: string;
  weight: number;
}

const ENDS = new Set(['Succeeded', 'Failed']);
const BEGUN = new Set(['Progressing', 'Waiting', 'WaitingPromotion', 'Promoting', 'Finalising']);

/** Statuses of one namespace's Canaries, in the order of the watch. */
export class ReleaseLog {
  readonly #canaries = new Map<string, Seen>();
  readonly #releases = new Map<string, ReleaseTimes>();
  readonly #waiting = new Set<() => void>();
  readonly #clock: Clock;
  readonly #handle: { stop(): void };

  constructor(cluster: KubeCluster, namespace: string, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#handle = cluster.watch(
      { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace },
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

  #learn({ metadata, status }: Raw & KubeObject): void {
    const before = this.#canaries.get(metadata.name);
    const seen: Seen = { phase: status?.phase ?? 'none', weight: status?.canaryWeight ?? 0 };
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

function noteMove(release: ReleaseTimes, nowMs: number, before: Seen, { phase, weight }: Seen): void {
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
