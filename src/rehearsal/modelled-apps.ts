import type { KubeObject } from '../api/kube-object.ts';
import type { App, startApp } from '../embedded/nodes/app.ts';
import type { AppBehaviour } from '../embedded/nodes/behaviour.ts';
import type { World } from '../embedded/world.ts';

/** Behaviour of the pods of one version. */
export interface VersionModel {
  /** Fraction (0–1) of requests answered with 500. */
  errorRate: number;
  /** Median of the time to answer. */
  latencyMs: number;
  /** Standard deviation of the logarithm of the time to answer. */
  latencySpread: number;
  readyAfterMs: number;
  crashes: boolean;
  neverReady: boolean;
}

export type Version = 'old' | 'new';

/** Marks the pod template of the version under test. */
export const VERSION_ANNOTATION = 'rehearsal.serin.dev/version';

/** The 99th percentile is about twice the median. */
export const ORDINARY: VersionModel = {
  errorRate: 0,
  latencyMs: 50,
  latencySpread: 0.3,
  readyAfterMs: 5_000,
  crashes: false,
  neverReady: false,
};

/** Running pods that answer by a model: no connection is made to them. */
export class ModelledApps {
  readonly #world: World;
  readonly #apps = new Map<string, AppBehaviour>();
  readonly #versions: Record<Version, VersionModel> = { old: { ...ORDINARY }, new: { ...ORDINARY } };
  #peak = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Maximum of pods that ran at the same time. */
  get peak(): number {
    return this.#peak;
  }

  /** Pods of a version that run now. */
  count(version: Version): number {
    return [...this.#apps.values()].filter((behaviour) => behaviour.version === version).length;
  }

  change(version: Version, changes: Partial<VersionModel>): void {
    Object.assign(this.#versions[version], changes);
    for (const behaviour of this.#apps.values()) if (behaviour.version === version) Object.assign(behaviour, changes);
  }

  /** Replaces the behaviour that env and annotations of a pod set. */
  readonly behaviourOf = (pod: KubeObject): Partial<AppBehaviour> => {
    const version = versionOf(pod);
    return { version, capacityPerSecond: 0, outOfMemory: false, exitsOnSigterm: false, ...this.#versions[version] };
  };

  /** Replaces `startApp`. */
  readonly run: typeof startApp = async (behaviour, { namespace, pod }) => {
    const { clock } = this.#world;
    const key = `${namespace}/${pod}`;
    const startedMs = clock.monotonicMs();
    const isReady = (): boolean => !behaviour.neverReady && clock.monotonicMs() - startedMs >= behaviour.readyAfterMs;
    const app: App = {
      port: 0,
      behaviour,
      isReady,
      probe: isReady,
      inFlight: () => 0,
      answered: () => 0,
      close: async () => void this.#apps.delete(key),
    };
    this.#apps.set(key, behaviour);
    this.#peak = Math.max(this.#peak, this.#apps.size);
    return app;
  };

  /** Answer of a pod; undefined if none of its ports is open. */
  readonly answerOf = (pod: KubeObject): { status: number; durationMs: number } | undefined => {
    const app = this.#apps.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
    if (app === undefined) return undefined;
    const { random } = this.#world;
    const { latencySpread } = this.#versions[versionOf(pod)];
    const durationMs = app.latencyMs * Math.exp(latencySpread * normal(random));
    return { status: random() < app.errorRate ? 500 : 200, durationMs };
  };
}

export const versionOf = (pod: KubeObject): Version => (pod.metadata.annotations?.[VERSION_ANNOTATION] === 'new' ? 'new' : 'old');

/** Box–Muller transform; only one of its two values is used. */
const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
