import type { NewBlocker } from '../../api/blocker.ts';
import type { Canary } from '../../api/canary.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type ConfigRef, configKey } from '../../workloads/configs/config-ref.ts';
import { type ConfigCopies, copiesOf } from '../../workloads/configs/copies.ts';
import {
  type FoundConfigs,
  readConfigs,
  secretsPolicy,
  seenConfigs,
  tooManyConfigs,
  trackable,
} from '../../workloads/configs/read-configs.ts';
import { revisionWithConfigs } from '../../workloads/configs/revision.ts';
import { countOf } from '../../workloads/pods/sides.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { ControllerConfig } from '../config.ts';
import { isUncounted, recordedFor, UNCOUNTED } from './target-facts.ts';

export interface ReadTarget {
  /** Of the template and of what was just read: only this is what `copies` hold. */
  revision: string;
  found: FoundConfigs;
  copies: ConfigCopies;
}

/**
 * Reads the configs of a target once, at the moment in which a primary is made from it: the bytes that are compared with the pin are the
 * bytes that are copied. A problem names what cannot be read; then nothing is made.
 */
export async function readTargetConfigs(
  canary: Canary,
  target: KubeObject,
  workload: Workload,
  { cluster, config, signal }: { cluster: Pick<Cluster, 'get'>; config: ControllerConfig; signal: AbortSignal },
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
  const template = recorded?.template ?? recorded?.revision ?? revision;
  return {
    revision: revisionWithConfigs(template, seenConfigs(read.found, recorded?.configs)),
    found: read.found,
    copies: copiesOf(canary, read.found, config.includeLabelPrefix),
  };
}

/** Which configs count for a template that was not recorded yet. */
export function newlyCounted(
  refs: readonly ConfigRef[],
  config: Pick<ControllerConfig, 'enableConfigTracking' | 'secretsMode' | 'secretsNamespaces' | 'secretsNames'>,
  namespace: string,
): ConfigRef[] {
  return config.enableConfigTracking ? trackable(refs, secretsPolicy(config, namespace)) : [];
}
