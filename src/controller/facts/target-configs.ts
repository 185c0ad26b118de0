import type { NewBlocker } from '../../api/blocker.ts';
import type { Canary } from '../../api/canary.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type ConfigRef, configKey } from '../../workloads/configs/config-ref.ts';
import { type ConfigCopies, copiesOf } from '../../workloads/configs/copies.ts';
import { type FoundConfigs, readConfigs, secretsPolicy, tooManyConfigs, trackable } from '../../workloads/configs/read-configs.ts';
import { allMarked, allUnsalted, hasTrackedSecret, marksOf, type ReadMarks } from '../../workloads/configs/read-marks.ts';
import { revisionWithConfigs, type SeenConfigs } from '../../workloads/configs/revision.ts';
import { countOf } from '../../workloads/pods/sides.ts';
import { isUncounted, recordedFor } from '../../workloads/recorded-template.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { ControllerConfig } from '../config.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { UNCOUNTED } from './target-facts.ts';

export interface ReadTarget {
  /** Revision of the template and of the configs just read: only this is the content of `copies`. */
  revision: string;
  /** The same with plain checksums of Secrets, as Serin recorded it until 0.2. */
  unsalted: string;
  found: FoundConfigs;
  marks: ReadMarks;
  /** The configs that count beside the record. */
  configs: SeenConfigs;
  copies: ConfigCopies;
}

interface ReadTargetDeps {
  cluster: Pick<Cluster, 'get'>;
  config: ControllerConfig;
  salts: Pick<ControllerDeps['salts'], 'of'>;
  signal: AbortSignal;
}

/**
 * Reads the configs of a target once, at the moment in which a primary is made from it: the bytes that are compared with the pin are the
 * bytes that are copied. A problem names what cannot be read; then nothing is made.
 */
export async function readTargetConfigs(
  canary: Canary,
  target: KubeObject,
  workload: Workload,
  { cluster, config, salts, signal }: ReadTargetDeps,
): Promise<ReadTarget | { problem: NewBlocker }> {
  const { uid = '', generation } = target.metadata;
  const revision = workload.revision(target);
  const seen = { uid, revision, ...(generation === undefined ? {} : { generation }), ...countOf(workload, target) };
  if (isUncounted(canary, seen))
    return { problem: { ...UNCOUNTED, object: refOf(target), detail: `${target.kind} ${target.metadata.name}: ${UNCOUNTED.detail}` } };
  const recorded = recordedFor(canary, seen);
  const refs = workload.configs?.(target) ?? [];
  // Recorded configs count, also when a flag has been changed since.
  const counted = recorded
    ? refs.filter((ref) => recorded.configs?.[configKey(ref)] !== undefined)
    : newlyCounted(refs, config, canary.metadata.namespace);
  const tooMany = tooManyConfigs(counted);
  if (tooMany !== undefined) return { problem: tooMany };
  const read = await readConfigs(cluster, canary.metadata.namespace, counted, signal);
  if ('problem' in read) return read;
  const { found } = read;
  const secretMarks = hasTrackedSecret(found) ? await salts.of(canary, signal) : undefined;
  if (secretMarks && 'problem' in secretMarks) return secretMarks;
  const marks = await marksOf(found, recorded?.configs ?? {}, secretMarks);
  const configs = allMarked(marks, recorded?.configs ?? {});
  const template = recorded?.template ?? recorded?.revision ?? revision;
  return {
    revision: revisionWithConfigs(template, configs),
    unsalted: revisionWithConfigs(template, allUnsalted(marks)),
    ...{ found, marks, configs },
    copies: copiesOf(canary, found, Object.fromEntries([...marks].map(([key, { seen }]) => [key, seen])), config.includeLabelPrefix),
  };
}

/** The configs that count for a template that was not recorded yet. */
export function newlyCounted(
  refs: readonly ConfigRef[],
  config: Pick<ControllerConfig, 'enableConfigTracking' | 'secretsMode' | 'secretsNamespaces' | 'secretsNames'>,
  namespace: string,
): ConfigRef[] {
  return config.enableConfigTracking ? trackable(refs, secretsPolicy(config, namespace)) : [];
}
