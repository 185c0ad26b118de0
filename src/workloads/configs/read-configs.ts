import type { NewBlocker } from '../../api/blocker.ts';
import type { SeenConfig } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError, isForbidden, RequestTimeoutError, UnreachableError } from '../../kube/errors.ts';
import { type ConfigKey, type ConfigRef, configKey, configObjectRef } from './config-ref.ts';

/** `watch`: by name, metadata only; `get`: read by name when a release starts; `off`: Secrets are not tracked. */
export const secretsModes = ['watch', 'get', 'off'] as const;
export type SecretsMode = (typeof secretsModes)[number];

/**
 * Maximum number of ConfigMaps and Secrets of one target: each is remembered in the status, read at a release start and copied at a promotion. The largest pods
 * in public charts name a few dozen.
 */
export const MOST_CONFIGS = 200;

/** Tracking of the Secrets of one namespace. `names`: only these, and no copy of them can be read or listed; all if empty. */
export interface SecretsPolicy {
  mode: SecretsMode;
  names: readonly string[];
}

export interface SecretsSettings {
  secretsMode: SecretsMode;
  secretsNamespaces: readonly string[];
  secretsNames: readonly string[];
}

/** The mode holds in `secretsNamespaces`, or everywhere if that is empty; in other namespaces it is `off`. */
export function secretsPolicy({ secretsMode, secretsNamespaces, secretsNames }: SecretsSettings, namespace: string): SecretsPolicy {
  const isHere = secretsNamespaces.length === 0 || secretsNamespaces.includes(namespace);
  return { mode: isHere ? secretsMode : 'off', names: secretsNames };
}

/** Contents for immediate use: a caller neither keeps nor logs them. Undefined for an optional config that does not exist. */
export type FoundConfigs = ReadonlyMap<ConfigKey, KubeObject | undefined>;
export type ReadConfigs = { found: FoundConfigs } | { problem: NewBlocker };

/**
 * Reads these configs once each. A config that cannot be read now (a required config that does not exist, any error other than 404) is a problem that names the
 * object: no new revision, and no promotion.
 */
export async function readConfigs(
  cluster: Pick<Cluster, 'get'>,
  namespace: string,
  refs: readonly ConfigRef[],
  signal: AbortSignal,
): Promise<ReadConfigs> {
  const reads = await Promise.all(
    refs.map(async (ref) => {
      try {
        const object = await cluster.get(configObjectRef(ref, namespace), { signal });
        return object === undefined && !ref.optional ? { problem: missingConfig(ref, namespace) } : { key: configKey(ref), object };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return { problem: unreadableConfig(ref, namespace, error) };
      }
    }),
  );
  const found = new Map<ConfigKey, KubeObject | undefined>();
  for (const read of reads) {
    if ('problem' in read) return { problem: read.problem };
    found.set(read.key, read.object);
  }
  return { found };
}

/** Reason for which the configs of a target are not read: it is not released until it names fewer. */
export function tooManyConfigs(refs: readonly ConfigRef[]): NewBlocker | undefined {
  if (refs.length <= MOST_CONFIGS) return undefined;
  const detail = `the target's pod template names more than ${MOST_CONFIGS} ConfigMaps and Secrets: put several into one, or mount them as projected volumes of one`;
  return { code: 'TargetUnusable', detail };
}

/** The references that can decide a revision under this policy. */
export function trackable(refs: readonly ConfigRef[], { mode, names }: SecretsPolicy): ConfigRef[] {
  const isTrackedSecret = (name: string) => mode !== 'off' && (names.length === 0 || names.includes(name));
  return refs.filter(({ kind, name }) => kind === 'ConfigMap' || isTrackedSecret(name));
}

/**
 * A Secret that has become live, or is no longer live, counts with its recorded state until the template changes: that starts no release (E131). A Secret that
 * was created again and is no longer live counts with its present state.
 */
export function asRecorded(key: string, seen: SeenConfig, recorded: SeenConfig | undefined): SeenConfig {
  if (!key.startsWith('secret/') || recorded?.uid === undefined || seen.uid === undefined) return seen;
  const hasBecomeLive = recorded.checksum !== undefined && seen.checksum === undefined;
  const isLiveNoMore = recorded.checksum === undefined && seen.checksum !== undefined && recorded.uid === seen.uid;
  return hasBecomeLive || isLiveNoMore ? recorded : seen;
}

type NamedConfig = Pick<ConfigRef, 'kind' | 'name'>;

export function missingConfig({ kind, name }: NamedConfig, namespace: string): NewBlocker {
  return { code: 'ConfigNotFound', object: { apiVersion: 'v1', kind, name, namespace } };
}

/** `why` follows the name of the config. */
export function unknownConfig({ kind, name }: NamedConfig, namespace: string, why: string): NewBlocker {
  return { code: 'ConfigUnreadable', object: { apiVersion: 'v1', kind, name, namespace }, detail: why };
}

/** Only text of our own client: the text of any other error could quote the content. */
export function unreadableConfig(ref: NamedConfig, namespace: string, error: unknown): NewBlocker {
  const isOurs = error instanceof ApiError || error instanceof RequestTimeoutError || error instanceof UnreachableError;
  const why = isOurs ? error.message : 'its answer cannot be understood';
  const instead = ref.kind === 'Secret' ? ', or choose --secrets-mode=off' : '';
  const help = isForbidden(error) ? `: grant it to the service account of Serin${instead}` : '';
  return unknownConfig(ref, namespace, `cannot be read: ${why}${help}`);
}
