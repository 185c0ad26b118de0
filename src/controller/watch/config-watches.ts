import { type Clock, sleep } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import { unknownConfig } from '../../workloads/configs/read-configs.ts';
import type { ConfigState, FollowedConfig } from './config-state.ts';
import { NamespaceConfigs } from './namespace-configs.ts';

/** Time that a reconcile waits for the first answer of a new watch, in milliseconds. A request has ended by then, in one way or another. */
const FIRST_ANSWER_MS = 10_000;

/** A config by its kind, namespace and name. */
type WatchedConfig = Pick<ConfigRef, 'kind' | 'name'> & { namespace: string };

/** Watches ConfigMaps and Secrets, metadata only, as long as the target of some Canary reads them. */
export class ConfigWatches {
  /** Configs by kind and namespace. */
  readonly #scopes = new Map<string, NamespaceConfigs>();
  /** Configs that each Canary's target reads. */
  readonly #followed = new Map<string, WatchedConfig[]>();
  readonly #cluster: Pick<Cluster, 'watch'>;
  readonly #clock: Clock;
  readonly #onChange: (follower: string) => void;

  constructor(cluster: Pick<Cluster, 'watch'>, clock: Clock, onChange: (follower: string) => void) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Watches these, and no others, for this Canary from now on. */
  follow(follower: string, namespace: string, refs: readonly ConfigRef[]): void {
    const wanted = refs.map(({ kind, name }) => ({ kind, name, namespace }));
    for (const config of wanted) this.#watch(config).followers.add(follower);
    for (const kind of ['ConfigMap', 'Secret']) this.#scopes.get(`${kind}/${namespace}`)?.listJoined();
    const keys = new Set(wanted.map(keyOf));
    for (const config of this.#followed.get(follower) ?? []) if (!keys.has(keyOf(config))) this.#leave(follower, config);
    if (wanted.length === 0) this.#followed.delete(follower);
    else this.#followed.set(follower, wanted);
  }

  /** The state of a followed config; waits for the first answer about it. */
  async state({ kind, name }: ConfigRef, namespace: string, signal: AbortSignal): Promise<ConfigState> {
    const followed = this.#scopes.get(`${kind}/${namespace}`)?.find(name);
    if (followed === undefined) return { state: 'unknown', problem: unknownConfig({ kind, name }, namespace, 'is not watched any more') };
    if (followed.state.state === 'unknown') {
      const waiting = new AbortController();
      const patience = sleep(this.#clock, FIRST_ANSWER_MS, AbortSignal.any([signal, waiting.signal]));
      await Promise.race([followed.known, patience]).finally(() => {
        patience.catch(() => undefined); // the race has been decided
        waiting.abort();
      });
    }
    return followed.state;
  }

  /** Age of each watch in milliseconds, except forbidden ones: their Canaries say so. */
  watches(): { kind: string; ageMs: number; restarts: number }[] {
    return [...this.#scopes].flatMap(([scope, configs]) => {
      const [kind] = scope.split('/');
      return configs.handles().map((handle) => ({ kind: `v1/${kind}`, ageMs: handle.ageMs(), restarts: handle.restarts }));
    });
  }

  stop(): void {
    for (const configs of this.#scopes.values()) configs.stop();
    this.#scopes.clear();
    this.#followed.clear();
  }

  #watch({ kind, name, namespace }: WatchedConfig): FollowedConfig {
    const scope = `${kind}/${namespace}`;
    const deps = { cluster: this.#cluster, clock: this.#clock };
    const configs = this.#scopes.get(scope) ?? new NamespaceConfigs(deps, { kind, namespace }, () => this.#scopes.delete(scope));
    this.#scopes.set(scope, configs);
    return configs.find(name) ?? configs.add(name, this.#onChange);
  }

  #leave(follower: string, { kind, name, namespace }: WatchedConfig): void {
    const configs = this.#scopes.get(`${kind}/${namespace}`);
    const followed = configs?.find(name);
    followed?.followers.delete(follower);
    if (followed?.followers.size === 0) configs?.remove(name);
  }
}

const keyOf = ({ kind, namespace, name }: WatchedConfig): string => `${kind}/${namespace}/${name}`;
