import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import type { SeenConfig } from '../../api/canary-status.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type ConfigRef, configKey } from '../../workloads/configs/config-ref.ts';
import {
  asRecorded,
  missingConfig,
  readConfigs,
  type SecretsPolicy,
  tooManyConfigs,
  trackable,
} from '../../workloads/configs/read-configs.ts';
import {
  asMarked,
  hasTrackedSecret,
  marksOf,
  type ReadMark,
  type ReadMarks,
  type SecretMarks,
} from '../../workloads/configs/read-marks.ts';
import { type SeenConfigs, trackedChecksums } from '../../workloads/configs/revision.ts';
import { saltIdOf } from '../../workloads/configs/salt.ts';
import type { ConfigState } from '../watch/config-state.ts';
import type { ConfigWatches } from '../watch/config-watches.ts';

/** The state of the configs of one target, or why it is unknown now. */
export type ConfigsResult =
  | {
      configs: SeenConfigs;
      /** The same with plain checksums of the Secrets read here: Serin recorded them so until 0.2, and a promoted version of then can come back. */
      unsalted: SeenConfigs;
      /** Configs among these that are read when a release starts, since too many are watched. */
      unwatched?: readonly ConfigRef[];
    }
  | { problem: NewBlocker };

type ReadResult = Omit<Extract<ConfigsResult, { configs: unknown }>, 'unsalted'> | { problem: NewBlocker };

/** The target as the watch shows it. */
export interface TrackedTarget {
  follower: string;
  namespace: string;
  uid: string;
  template: string;
  refs: readonly ConfigRef[];
}

/** Configs in the status: of this very template (`isPinned`), or of another one, whose checksums are still good. */
export interface RememberedConfigs {
  configs: SeenConfigs;
  isPinned: boolean;
}

export interface ConfigDeps {
  cluster: Pick<Cluster, 'get'>;
  watches: Pick<ConfigWatches, 'follow' | 'state'>;
  /** Policy of a namespace. */
  secrets(namespace: string): SecretsPolicy;
}

/** Reads the marks by which the Secrets of the Canary are compared. Called if a Secret has to be. */
export type ReadSecretMarks = () => Promise<SecretMarks | { problem: NewBlocker }>;

/**
 * The checksums of one target's configs. Content is read only when the metadata are others than those remembered in the status or here,
 * and forgotten at once: a restart over resting Canaries reads none.
 */
export class TrackedConfigs {
  readonly #deps: ConfigDeps;
  /** The last reads here. */
  readonly #read = new Map<string, ReadMark>();
  /** Secrets that are not watched, and for which state of target and ConfigMaps they were read. */
  #unwatched: { occasion: unknown; configs: SeenConfigs } | undefined;
  #occasion: unknown;
  #marks: ReadSecretMarks | undefined;

  constructor(deps: ConfigDeps) {
    this.#deps = deps;
  }

  /** The configs that decide the pods besides the template. Each changed one is read once. */
  async read(target: TrackedTarget, remembered: RememberedConfigs, marks: ReadSecretMarks, signal: AbortSignal): Promise<ConfigsResult> {
    this.#marks = marks;
    const { watches } = this.#deps;
    const secrets = this.#deps.secrets(target.namespace);
    const { constant, wanted } = countedRefs(target.refs, remembered, secrets);
    const tooMany = tooManyConfigs(wanted);
    if (tooMany !== undefined) {
      watches.follow(target.follower, target.namespace, []);
      return { problem: tooMany };
    }
    const isWatched = watchedBy(secrets);
    watches.follow(target.follower, target.namespace, wanted.filter(isWatched));
    const keys = new Set<string>(wanted.map(configKey));
    for (const key of this.#read.keys()) if (!keys.has(key)) this.#read.delete(key);
    const seen = await this.#readWatched(wanted.filter(isWatched), target.namespace, remembered, signal);
    if ('problem' in seen) return seen;
    const { unwatched = [] } = seen;
    const unseen = [...unwatched, ...wanted.filter((ref) => !isWatched(ref))];
    const others = await this.#readUnwatched(unseen, seen.configs, target, remembered, signal);
    if ('problem' in others) return others;
    const configs = {
      ...constant,
      ...seen.configs,
      ...(remembered.isPinned ? asPinned(others.configs, remembered.configs) : others.configs),
    };
    return { configs, unsalted: this.#unsalted(configs), ...(unwatched.length > 0 && { unwatched }) };
  }

  /** True if all configs that were read are remembered in the status. */
  isRemembered(remembered: SeenConfigs): boolean {
    return (
      this.#unwatched === undefined &&
      [...this.#read].every(([key, read]) => isDeepStrictEqual(asMarked(key, read, remembered[key]), remembered[key]))
    );
  }

  /** Records the configs that a promotion has read, so that a mismatch is not found again and again. */
  learn({ marks, configs }: { marks: ReadMarks; configs: SeenConfigs }): void {
    for (const [key, mark] of marks) if (mark.seen.uid !== undefined) this.#read.set(key, mark);
    this.#unwatched = { occasion: this.#occasion, configs };
  }

  #unsalted(configs: SeenConfigs): SeenConfigs {
    const plain = (key: string, config: SeenConfig): SeenConfig => {
      const { seen, unsalted } = this.#read.get(key) ?? {};
      const isSame = seen?.uid === config.uid && seen?.resourceVersion === config.resourceVersion;
      return unsalted !== undefined && isSame ? { ...config, checksum: unsalted } : config;
    };
    return Object.fromEntries(Object.entries(configs).map(([key, config]) => [key, plain(key, config)]));
  }

  async #readWatched(
    refs: readonly ConfigRef[],
    namespace: string,
    { configs: remembered, isPinned }: RememberedConfigs,
    signal: AbortSignal,
  ): Promise<ReadResult> {
    const states = await Promise.all(refs.map(async (ref) => ({ ref, state: await this.#deps.watches.state(ref, namespace, signal) })));
    const configs: Record<string, SeenConfig> = {};
    const unread: ConfigRef[] = [];
    const unwatched: ConfigRef[] = [];
    for (const { ref, state } of states) {
      const key = configKey(ref);
      if (state.state === 'unknown') return { problem: state.problem };
      if (state.state === 'unwatched') {
        unwatched.push(ref);
        continue;
      }
      if (state.state === 'absent' && !ref.optional) return { problem: missingConfig(ref, namespace) };
      const kept = isPinned && ref.kind === 'Secret' && state.state === 'present' ? keptRecord(state, remembered[key]) : undefined;
      const record = isPinned ? remembered[key] : undefined;
      const read = this.#read.get(key);
      const known = kept ?? knownOf(state, [read && asMarked(key, read, record), isPinned ? record : stillGood(key, remembered[key])]);
      if (known) configs[key] = known;
      else unread.push(ref);
    }
    const read = await this.#readNow(unread, namespace, configs, isPinned ? remembered : {}, signal);
    return 'problem' in read ? read : { ...read, unwatched };
  }

  /** Read again at each release start, which another template or watched config makes. */
  async #readUnwatched(
    refs: readonly ConfigRef[],
    watched: SeenConfigs,
    { namespace, uid, template }: TrackedTarget,
    { configs: remembered, isPinned }: RememberedConfigs,
    signal: AbortSignal,
  ): Promise<ReadResult> {
    if (refs.length === 0) return { configs: {} };
    const keys = new Set<string>(refs.map(configKey));
    const then = Object.fromEntries(Object.entries(remembered).filter(([key]) => watched[key] !== undefined));
    this.#occasion = [uid, template, trackedChecksums(watched)];
    const isRemembered = isPinned && isDeepStrictEqual(trackedChecksums(watched), trackedChecksums(then));
    const isRead = isDeepStrictEqual(this.#unwatched?.occasion, this.#occasion);
    const known = isRead ? (this.#unwatched?.configs ?? {}) : isRemembered ? remembered : {};
    const configs = Object.fromEntries(Object.entries(known).filter(([key]) => keys.has(key)));
    const unread = refs.filter((ref) => configs[configKey(ref)] === undefined);
    const read = await this.#readNow(unread, namespace, configs, isPinned ? remembered : {}, signal);
    if ('configs' in read) this.#unwatched = { occasion: this.#occasion, configs: read.configs };
    return read;
  }

  async #readNow(
    refs: readonly ConfigRef[],
    namespace: string,
    known: SeenConfigs,
    recorded: SeenConfigs,
    signal: AbortSignal,
  ): Promise<ReadResult> {
    if (refs.length === 0) return { configs: known };
    const read = await readConfigs(this.#deps.cluster, namespace, refs, signal);
    if ('problem' in read) return read;
    const secretMarks = hasTrackedSecret(read.found) ? await this.#marks?.() : undefined;
    if (secretMarks && 'problem' in secretMarks) return secretMarks;
    const configs: Record<string, SeenConfig> = { ...known };
    for (const [key, mark] of await marksOf(read.found, recorded, secretMarks, this.#read)) {
      configs[key] = asMarked(key, mark, recorded[key]);
      if (mark.seen.uid !== undefined) this.#read.set(key, mark);
    }
    return { configs };
  }
}

const watchedBy =
  (secrets: SecretsPolicy) =>
  ({ kind }: ConfigRef): boolean =>
    kind === 'ConfigMap' || secrets.mode === 'watch';

/** Watches the configs that a read of this target will need. */
export function followConfigs(
  { watches, secrets }: Omit<ConfigDeps, 'cluster'>,
  { follower, namespace, refs }: TrackedTarget,
  remembered: RememberedConfigs,
): void {
  const policy = secrets(namespace);
  const { wanted } = countedRefs(refs, remembered, policy);
  if (tooManyConfigs(wanted) === undefined) watches.follow(follower, namespace, wanted.filter(watchedBy(policy)));
}

/**
 * The configs that count. They are fixed with the template, so that a changed flag starts no release: a counted config that must no longer be looked at keeps
 * its record.
 */
export function countedRefs(
  refs: readonly ConfigRef[],
  { configs, isPinned }: RememberedConfigs,
  secrets: SecretsPolicy,
): { wanted: ConfigRef[]; constant: SeenConfigs } {
  const readable = trackable(refs, secrets);
  if (!isPinned) return { wanted: readable, constant: {} };
  const isCounted = (ref: ConfigRef) => configs[configKey(ref)] !== undefined;
  const hidden = refs.filter((ref) => isCounted(ref) && !readable.includes(ref));
  return {
    wanted: readable.filter(isCounted),
    constant: Object.fromEntries(hidden.map((ref) => [configKey(ref), configs[configKey(ref)] ?? {}])),
  };
}

/** The record of a Secret that has become live since, or is not live any more: it counts until another template comes (E131). */
function keptRecord({ uid, isLive }: Extract<ConfigState, { state: 'present' }>, recorded: SeenConfig | undefined): SeenConfig | undefined {
  if (recorded?.uid === undefined) return undefined;
  const isKept = isLive ? recorded.checksum !== undefined : recorded.checksum === undefined && recorded.uid === uid;
  return isKept ? recorded : undefined;
}

/** With another template a Secret that was recorded without a salt is read again, so that the next record has none of these. */
function stillGood(key: string, recorded: SeenConfig | undefined): SeenConfig | undefined {
  const isPlain = key.startsWith('secret/') && recorded?.checksum !== undefined && saltIdOf(recorded.checksum) === undefined;
  return isPlain ? undefined : recorded;
}

function asPinned(seen: SeenConfigs, recorded: SeenConfigs): SeenConfigs {
  return Object.fromEntries(Object.entries(seen).map(([key, config]) => [key, asRecorded(key, config, recorded[key])]));
}

/** The remembered config at least as new as the watch: it was read after the last watch event. */
function knownOf(
  state: Extract<ConfigState, { state: 'present' | 'absent' }>,
  remembered: readonly (SeenConfig | undefined)[],
): SeenConfig | undefined {
  if (state.state === 'absent') return { resourceVersion: state.resourceVersion };
  const { uid, resourceVersion, isLive } = state;
  if (isLive) return { uid, resourceVersion };
  return remembered.find((known) => known?.uid === uid && !isOlder(known.resourceVersion, resourceVersion));
}

/** API servers number versions upwards (KEP-5504); anything else can only be equal. */
function isOlder(known: string | undefined, seen: string): boolean {
  return known !== seen && !(Number(known) > Number(seen));
}
