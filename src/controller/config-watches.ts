import type { KubeObject } from '../api/kube-object.ts';
import { refKey } from '../api/kube-object.ts';
import { type Clock, sleep } from '../kube/clock.ts';
import type { Cluster, WatchHandle } from '../kube/cluster.ts';
import { type ConfigRef, configObjectRef } from '../workloads/configs/config-ref.ts';
import { isOptedOut } from '../workloads/configs/tracking.ts';

/** What the watch of one config has told: of its metadata only, never of what it holds. */
export type ConfigSight =
  | { state: 'present'; uid: string; resourceVersion: string; optedOut: boolean }
  /** `resourceVersion`: since when it has been watched without a gap and was missing; of its deletion, or of a list. */
  | { state: 'absent'; resourceVersion: string }
  | { state: 'unknown'; problem: string };

interface Followed {
  handle: WatchHandle;
  /** Canaries whose targets read it. */
  followers: Set<string>;
  sight: ConfigSight;
  /** Resolves when it is first known whether it exists, or why that cannot be known. */
  known: Promise<void>;
}

/** How long a tick waits for the first answer of a new watch, in milliseconds; a request has ended by then, in one way or another. */
const FIRST_ANSWER_MS = 10_000;

/** Watches single ConfigMaps and Secrets by name, metadata only, as long as the target of some Canary reads them. */
export class ConfigWatches {
  readonly #followed = new Map<string, Followed>();
  readonly #cluster: Pick<Cluster, 'watch'>;
  readonly #clock: Clock;
  readonly #onChange: (follower: string) => void;

  constructor(cluster: Pick<Cluster, 'watch'>, clock: Clock, onChange: (follower: string) => void) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** From now on these, and no others, are watched for this Canary. */
  follow(follower: string, namespace: string, refs: readonly ConfigRef[]): void {
    const wanted = new Set(refs.map((ref) => keyOf(ref, namespace)));
    for (const ref of refs) this.#watch(ref, namespace).followers.add(follower);
    for (const [key, { followers, handle }] of this.#followed) {
      if (wanted.has(key)) continue;
      followers.delete(follower);
      if (followers.size > 0) continue;
      handle.stop();
      this.#followed.delete(key);
    }
  }

  /** What is known of a followed config; waits for the first answer about it. */
  async sight(ref: ConfigRef, namespace: string, signal: AbortSignal): Promise<ConfigSight> {
    const followed = this.#watch(ref, namespace);
    if (followed.sight.state === 'unknown') {
      const waiting = new AbortController();
      const patience = sleep(this.#clock, FIRST_ANSWER_MS, AbortSignal.any([signal, waiting.signal]));
      await Promise.race([followed.known, patience]).finally(() => {
        patience.catch(() => undefined); // its end is nobody's business any more
        waiting.abort();
      });
    }
    return followed.sight;
  }

  /** Age of each watch in milliseconds, but for those that are forbidden: their Canaries say so. */
  watches(): { kind: string; ageMs: number; restarts: number }[] {
    const heard = [...this.#followed].filter(([, { sight }]) => sight.state !== 'unknown');
    return heard.map(([key, { handle }]) => ({
      kind: key.split('/').slice(0, 2).join('/'),
      ageMs: handle.ageMs(),
      restarts: handle.restarts,
    }));
  }

  stop(): void {
    for (const { handle } of this.#followed.values()) handle.stop();
    this.#followed.clear();
  }

  #watch(ref: ConfigRef, namespace: string): Followed {
    const key = keyOf(ref, namespace);
    const before = this.#followed.get(key);
    if (before) return before;
    const { kind, name } = ref;
    const first = Promise.withResolvers<void>();
    const tell = (sight: ConfigSight) => {
      const isNews = JSON.stringify(sight) !== JSON.stringify(followed.sight);
      followed.sight = sight;
      first.resolve();
      if (isNews) for (const follower of followed.followers) this.#onChange(follower);
    };
    const handler = {
      // Between two lists nobody was watching: what is missing in both may have come and gone.
      onList: (items: readonly KubeObject[], resourceVersion = '') => {
        const found = items.find(({ metadata }) => metadata.name === name);
        tell(found ? sightOf(found) : { state: 'absent', resourceVersion });
      },
      onEvent: ({ type, object }: { type: string; object: KubeObject }) => {
        const { resourceVersion = '' } = object.metadata;
        tell(type === 'DELETED' ? { state: 'absent', resourceVersion } : sightOf(object));
      },
      onUnavailable: (_cause: string, message: string) => tell({ state: 'unknown', problem: forbidden(ref, message) }),
    };
    const selection = { fieldSelector: `metadata.name=${name}`, metadataOnly: true };
    const followed: Followed = {
      handle: this.#cluster.watch({ apiVersion: 'v1', kind, namespace }, handler, selection),
      followers: new Set(),
      sight: { state: 'unknown', problem: `${kind} ${name}: the API server has not said yet whether it exists` },
      known: first.promise,
    };
    this.#followed.set(key, followed);
    return followed;
  }
}

function sightOf(object: KubeObject): ConfigSight {
  const { uid = '', resourceVersion = '' } = object.metadata;
  return { state: 'present', uid, resourceVersion, optedOut: isOptedOut(object) };
}

function forbidden({ kind, name }: ConfigRef, message: string): string {
  const instead = kind === 'Secret' ? ', or choose --secrets-mode=get or off' : ', or choose --enable-config-tracking=false';
  return `${kind} ${name} cannot be watched: ${message}: grant list and watch to the service account of Serin${instead}`;
}

const keyOf = (ref: ConfigRef, namespace: string): string => refKey(configObjectRef(ref, namespace));
