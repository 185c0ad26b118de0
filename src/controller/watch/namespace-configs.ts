import type { NewBlocker } from '../../api/blocker.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import type { Cluster, WatchHandle, WatchHandler } from '../../kube/cluster.ts';
import type { ListHandler } from '../../kube/watch.ts';
import type { ConfigKind } from '../../workloads/configs/config-ref.ts';
import { unknownConfig } from '../../workloads/configs/read-configs.ts';
import { FollowedConfig } from './config-state.ts';

/**
 * Configs of one kind and namespace with a watch of their own: as many as a few applications name. A shared watch also hears of all other
 * objects of the kind, some of which change every few seconds; one watch each costs a socket on either side, and some 50 KB here for its TLS.
 */
export const MOST_BY_NAME = 4;
/** The same where a shared watch is forbidden, for example by rules with `resourceNames`. */
export const MOST_BY_NAME_ALONE = 100;
/** A shared watch begins with a list of the namespace's metadata: it outlasts a template that comes and goes. Milliseconds. */
export const LINGER_MS = 300_000;

/** Configs that joined with a list each; more of them share one of the namespace. */
const MOST_LISTED_BY_NAME = 16;
/** Pause between two lists of the whole namespace for joined configs. Milliseconds. */
export const LIST_PAUSE_MS = 5_000;

/** Stands for all objects that are not followed. */
const OTHER: KubeObject = { apiVersion: 'v1', kind: 'Other', metadata: { name: '' } };

/**
 * Watches the ConfigMaps or Secrets of one namespace, metadata only: the first ones by name, all others by one watch of the namespace. A
 * config keeps the watch it has, so that none is without one at any moment.
 */
export class NamespaceConfigs {
  readonly #cluster: Pick<Cluster, 'watch'>;
  readonly #clock: Clock;
  readonly #kind: ConfigKind;
  readonly #namespace: string;
  readonly #onEmpty: () => void;
  readonly #byName = new Map<string, { config: FollowedConfig; handle: WatchHandle }>();
  readonly #shared = new Map<string, FollowedConfig>();
  /** Configs that joined after the shared watch had begun its list, with their own list, `undefined` if it has yet to begin. */
  readonly #joining = new Map<string, WatchHandle | undefined>();
  /** One list for many of those. */
  #list: WatchHandle | undefined;
  #listAgainAtMs = 0;
  #cancelPause: (() => void) | undefined;
  #stream: WatchHandle | undefined;
  #hasBegunList = false;
  #forbidden: string | undefined;
  #cancelLinger: (() => void) | undefined;

  /** `onEmpty` is called when nothing of it is watched any more. */
  constructor(
    { cluster, clock }: { cluster: Pick<Cluster, 'watch'>; clock: Clock },
    { kind, namespace }: { kind: ConfigKind; namespace: string },
    onEmpty: () => void,
  ) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#kind = kind;
    this.#namespace = namespace;
    this.#onEmpty = onEmpty;
  }

  find(name: string): FollowedConfig | undefined {
    return this.#byName.get(name)?.config ?? this.#shared.get(name);
  }

  add(name: string, onChange: (follower: string) => void): FollowedConfig {
    const config = new FollowedConfig({ kind: this.#kind, name, namespace: this.#namespace }, onChange);
    if (this.#byName.size < this.#mostByName) this.#watchByName(config);
    else this.#share(config);
    return config;
  }

  remove(name: string): void {
    this.#byName.get(name)?.handle.stop();
    this.#byName.delete(name);
    this.#stopJoining(name);
    this.#shared.delete(name);
    this.#lingerUnlessShared();
    this.#reportWhenEmpty();
  }

  /** Watches that have been answered. A forbidden watch is reported on its Canaries. */
  handles(): WatchHandle[] {
    const byName = [...this.#byName.values()].filter(({ config }) => config.isSeen).map(({ handle }) => handle);
    const isHeard = [...this.#shared.values()].some(({ isSeen }) => isSeen);
    return this.#stream !== undefined && this.#forbidden === undefined && isHeard ? [...byName, this.#stream] : byName;
  }

  /** Call after all configs of one target have been added: lists the configs that joined a watch under way. */
  listJoined(): void {
    const waiting = [...this.#joining].flatMap(([name, handle]) => (handle === undefined ? (this.#shared.get(name) ?? []) : []));
    if (this.#list !== undefined || waiting.length === 0) return;
    if (waiting.length <= MOST_LISTED_BY_NAME) {
      for (const config of waiting) this.#joining.set(config.name, this.#listByName(config));
      return;
    }
    const waitMs = this.#listAgainAtMs - this.#clock.monotonicMs();
    if (waitMs <= 0) {
      this.#list = this.#listAll(new Map(waiting.map((config) => [config.name, config])));
      return;
    }
    this.#cancelPause ??= this.#clock.setTimer(waitMs, () => {
      this.#cancelPause = undefined;
      this.listJoined();
    });
  }

  stop(): void {
    this.#cancelLinger?.();
    this.#cancelPause?.();
    for (const { handle } of this.#byName.values()) handle.stop();
    for (const handle of this.#joining.values()) handle?.stop();
    this.#list?.stop();
    this.#stream?.stop();
    this.#byName.clear();
    this.#joining.clear();
    this.#shared.clear();
    this.#stream = undefined;
  }

  get #mostByName(): number {
    return this.#forbidden === undefined ? MOST_BY_NAME : MOST_BY_NAME_ALONE;
  }

  #watchByName(config: FollowedConfig): void {
    this.#byName.set(config.name, { config, handle: this.#watch(this.#handlerOf(config), config.name) });
  }

  #handlerOf(config: FollowedConfig): ListHandler {
    const { name } = config;
    return {
      onList: (items, resourceVersion = '') =>
        config.listed(
          items.find(({ metadata }) => metadata.name === name),
          resourceVersion,
        ),
      onEvent: (event) => config.observe(event),
      onUnavailable: (_cause, message) =>
        config.set({ state: 'unknown', problem: forbidden({ kind: this.#kind, name }, this.#namespace, message) }),
    };
  }

  #share(config: FollowedConfig): void {
    const { name } = config;
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    this.#shared.set(name, config);
    this.#stream ??= this.#openStream();
    if (this.#forbidden !== undefined) config.set({ state: 'unwatched' });
    // The stream shows only events from now on: the current state has to be listed.
    else if (this.#hasBegunList) this.#joining.set(name, undefined);
  }

  #listByName(config: FollowedConfig): WatchHandle {
    const handler = this.#handlerOf(config);
    const onList: ListHandler['onList'] = (items, resourceVersion) => {
      handler.onList(items, resourceVersion);
      this.#stopJoining(config.name);
    };
    return this.#watch({ ...handler, onList }, config.name);
  }

  #listAll(configs: ReadonlyMap<string, FollowedConfig>): WatchHandle {
    this.#listAgainAtMs = this.#clock.monotonicMs() + LIST_PAUSE_MS;
    const handler: ListHandler = {
      slim: (item) => (configs.has(item.metadata.name) ? item : OTHER),
      onList: (items, resourceVersion = '') => {
        this.#stopList();
        const found = new Map(items.map((item) => [item.metadata.name, item]));
        for (const [name, config] of configs) {
          // A config that was followed again after a while was not watched in between.
          if (this.#shared.get(name) !== config) continue;
          config.listed(found.get(name), resourceVersion);
          this.#stopJoining(name);
        }
        this.listJoined();
      },
      onEvent: () => undefined,
      onUnavailable: (_cause, message) => this.#watchByNameAlone(message),
    };
    return this.#watch(handler);
  }

  #stopList(): void {
    this.#list?.stop();
    this.#list = undefined;
  }

  #stopJoining(name: string): void {
    this.#joining.get(name)?.stop();
    this.#joining.delete(name);
  }

  #openStream(): WatchHandle {
    this.#hasBegunList = false;
    this.#forbidden = undefined;
    const handler: ListHandler = {
      slim: (item) => {
        this.#hasBegunList = true;
        return this.#shared.has(item.metadata.name) ? item : OTHER;
      },
      onList: (items, resourceVersion = '') => {
        this.#hasBegunList = true;
        this.#forbidden = undefined;
        const found = new Map(items.map((item) => [item.metadata.name, item]));
        for (const [name, config] of this.#shared) {
          // Its page might have passed before it joined.
          if (!this.#joining.has(name) || found.has(name)) config.listed(found.get(name), resourceVersion);
        }
      },
      onEvent: (event) => this.#shared.get(event.object.metadata.name)?.observe(event),
      onUnavailable: (_cause, message) => this.#watchByNameAlone(message),
    };
    return this.#watch(handler);
  }

  /** The shared watch is requested again and again. Until it is granted, as many configs as permitted are watched by name. */
  #watchByNameAlone(message: string): void {
    this.#forbidden = message;
    this.#stopList();
    for (const [name, config] of [...this.#shared]) {
      this.#stopJoining(name);
      if (this.#byName.size < this.#mostByName) {
        this.#shared.delete(name);
        this.#watchByName(config);
      } else config.set({ state: 'unwatched' });
    }
    this.#lingerUnlessShared();
  }

  #lingerUnlessShared(): void {
    if (this.#shared.size > 0 || this.#stream === undefined) return;
    this.#cancelLinger ??= this.#clock.setTimer(LINGER_MS, () => {
      this.#cancelLinger = undefined;
      this.#stream?.stop();
      this.#stream = undefined;
      this.#reportWhenEmpty();
    });
  }

  #reportWhenEmpty(): void {
    if (this.#byName.size === 0 && this.#shared.size === 0 && this.#stream === undefined) this.#onEmpty();
  }

  #watch(handler: WatchHandler, name?: string): WatchHandle {
    const selection = { ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }), metadataOnly: true };
    return this.#cluster.watch({ apiVersion: 'v1', kind: this.#kind, namespace: this.#namespace }, handler, selection);
  }
}

function forbidden(ref: { kind: ConfigKind; name: string }, namespace: string, message: string): NewBlocker {
  const instead = ref.kind === 'Secret' ? ', or choose --secrets-mode=get or off' : ', or choose --enable-config-tracking=false';
  return unknownConfig(ref, namespace, `cannot be watched: ${message}: grant list and watch to the service account of Serin${instead}`);
}
