import type { NewBlocker } from '../../api/blocker.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import { unknownConfig } from '../../workloads/configs/read-configs.ts';
import { isLive } from '../../workloads/configs/tracking.ts';

/** State of one config as watched: its metadata only, never its content. */
export type ConfigState =
  | { state: 'present'; uid: string; resourceVersion: string; isLive: boolean }
  /** `resourceVersion`: since when it has been watched without a gap and was missing; of its deletion, or of a list. */
  | { state: 'absent'; resourceVersion: string }
  | { state: 'unknown'; problem: NewBlocker }
  /** Beyond the number that is watched by name, where one watch of the namespace is forbidden: it has to be read. */
  | { state: 'unwatched' };

/** One config that the targets of some Canaries read. */
export class FollowedConfig {
  readonly name: string;
  /** Canaries whose targets read it. */
  readonly followers = new Set<string>();
  /** Resolves when it is first known whether it exists, or why that cannot be known. */
  readonly known: Promise<void>;
  readonly #onChange: (follower: string) => void;
  readonly #first = Promise.withResolvers<void>();
  #state: ConfigState;
  /** Version of the list or event that the state is from. */
  #asOf: bigint | undefined;

  constructor(ref: Pick<ConfigRef, 'kind' | 'name'> & { namespace: string }, onChange: (follower: string) => void) {
    this.name = ref.name;
    this.#onChange = onChange;
    this.known = this.#first.promise;
    const problem = unknownConfig(ref, ref.namespace, 'is not known yet: the API server has not said whether it exists');
    this.#state = { state: 'unknown', problem };
  }

  get state(): ConfigState {
    return this.#state;
  }

  /** True if a list or an event has shown it. */
  get isSeen(): boolean {
    return this.#state.state === 'present' || this.#state.state === 'absent';
  }

  /** Takes a list that covers it. Nothing was watched between two lists: a config that is missing in both might have come and gone. */
  listed(found: KubeObject | undefined, resourceVersion: string): void {
    if (this.#isNewer(resourceVersion)) this.set(found ? stateOf(found) : { state: 'absent', resourceVersion }, resourceVersion);
  }

  observe({ type, object }: { type: string; object: KubeObject }): void {
    const { resourceVersion = '' } = object.metadata;
    if (this.#isNewer(resourceVersion))
      this.set(type === 'DELETED' ? { state: 'absent', resourceVersion } : stateOf(object), resourceVersion);
  }

  set(state: ConfigState, resourceVersion?: string): void {
    const isNews = JSON.stringify(state) !== JSON.stringify(this.#state);
    this.#state = state;
    this.#asOf = versionOf(resourceVersion);
    this.#first.resolve();
    if (isNews) for (const follower of this.followers) this.#onChange(follower);
  }

  /** A list of its own and a shared stream can arrive in either order. A version that is not a number always counts as newer. */
  #isNewer(resourceVersion: string): boolean {
    const version = versionOf(resourceVersion);
    return version === undefined || this.#asOf === undefined || version > this.#asOf;
  }
}

function versionOf(resourceVersion: string | undefined): bigint | undefined {
  return resourceVersion !== undefined && /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : undefined;
}

function stateOf(object: KubeObject): ConfigState {
  const { uid = '', resourceVersion = '' } = object.metadata;
  return { state: 'present', uid, resourceVersion, isLive: isLive(object) };
}
