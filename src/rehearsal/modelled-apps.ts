import type { KubeObject } from '../api/kube-object.ts';
import type { App, startApp } from '../embedded/nodes/app.ts';
import type { AppBehaviour } from '../embedded/nodes/behaviour.ts';
import type { World } from '../embedded/world.ts';

/** How the pods of one version behave. */
export interface VersionModel {
  /** Fraction (0–1) of requests answered 500. */
  errorRate: number;
  /** Median of the time to answer. */
  latencyMs: number;
  readyAfterMs: number;
  crashes: boolean;
  neverReady: boolean;
}

/** Marks the pod template of the version under test. */
export const CANDIDATE_ANNOTATION = 'rehearsal.serin.dev/version';

/** Spread of latencies: the 99th percentile is about twice the median. Standard deviation of their logarithm. */
const LATENCY_SPREAD = 0.3;

/** Running pods that answer by a model: no connection is made to them. */
export class ModelledApps {
  readonly #world: World;
  readonly #apps = new Map<string, App>();
  #peak = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Most pods that ran at one time. */
  get peak(): number {
    return this.#peak;
  }

  /** In the place of `startApp`. */
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
    this.#apps.set(key, app);
    this.#peak = Math.max(this.#peak, this.#apps.size);
    return app;
  };

  /** Undefined: nothing listens there. */
  readonly answerOf = ({ metadata }: KubeObject): { status: number; durationMs: number } | undefined => {
    const app = this.#apps.get(`${metadata.namespace}/${metadata.name}`);
    if (app === undefined) return undefined;
    const { random } = this.#world;
    const durationMs = app.behaviour.latencyMs * Math.exp(LATENCY_SPREAD * normal(random));
    return { status: random() < app.behaviour.errorRate ? 500 : 200, durationMs };
  };
}

/** In the place of what env and annotations of a pod say. */
export function behaviourBy(versions: { stable: VersionModel; candidate: VersionModel }) {
  return (pod: KubeObject): Partial<AppBehaviour> => {
    const isCandidate = isOfCandidate(pod);
    const name = isCandidate ? 'candidate' : 'stable';
    return { version: name, capacityPerSecond: 0, outOfMemory: false, exitsOnSigterm: false, ...versions[name] };
  };
}

export const isOfCandidate = (pod: KubeObject): boolean => pod.metadata.annotations?.[CANDIDATE_ANNOTATION] === 'candidate';

/** Box and Muller, of which one of two values is used. */
const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
