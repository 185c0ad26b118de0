import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Cluster } from '../kube/cluster.ts';
import { configChecksum } from '../workloads/configs/checksum.ts';
import { type ConfigRef, configKey, configObjectRef } from '../workloads/configs/config-ref.ts';
import type { FoundConfigs } from '../workloads/configs/read-configs.ts';
import { isTracked } from '../workloads/configs/tracking.ts';
import { workloadFor } from '../workloads/index.ts';
import type { Anchors } from './anchors.ts';
import type { ControllerConfig } from './config.ts';
import { ConfigUnavailableError } from './errors.ts';
import { primaryRefOf, targetRefOf } from './gather-facts.ts';
import { readTargetConfigs } from './target-configs.ts';

/** Another controller has run this Canary: its status has a phase, but nothing that we would remember by. */
export function isForeign(canary: Canary): boolean {
  const phase = canary.status?.phase ?? '';
  return phase !== '' && phase !== 'Initializing' && canary.status?.release === undefined;
}

/**
 * Whether the primary that another controller made holds the target as it is now, rewritten: then nothing is new, and the template is
 * kept as the last promoted one (DESIGN Revisions; its hashes cannot be computed by us, 02 §15.4.35). The reads of an adoption happen once.
 */
export async function primaryEqualsTarget(
  canary: Canary,
  { cluster, anchors, config, signal }: { cluster: Cluster; anchors: Anchors; config: ControllerConfig; signal: AbortSignal },
): Promise<boolean | undefined> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return undefined;
  const [target, primary] = await Promise.all([
    cluster.get(targetRefOf(canary), { signal }),
    cluster.get(primaryRefOf(canary), { signal }),
  ]);
  if (!target || !primary) return undefined;
  const selector = workload.selector(target, config.selectorLabels);
  if ('problem' in selector) return undefined;
  const read = await readTargetConfigs(canary, target, workload, { cluster, config, signal });
  if ('problem' in read) throw new ConfigUnavailableError(read.problem);
  const { revision } = read;
  const { selectorLabels, includeLabelPrefix } = config;
  const rendered = workload.primaryTemplate(canary, target, {
    selector,
    selectorLabels,
    includeLabelPrefix,
    revision,
    replicas: 1,
    configs: await establishedCopies(workload.configs?.(target) ?? [], workload.configs?.(primary) ?? [], read.found, (ref) =>
      cluster.get(configObjectRef(ref, canary.metadata.namespace), { signal }),
    ),
  });
  const held = workload.adopts(primary, rendered);
  if (held) {
    await anchors.ensure(canary, target, signal);
    await anchors.keepTemplate(canary, held, revision, signal);
  }
  return held !== undefined;
}

/**
 * Where the primary reads `<name>-primary`, as the established controller names its copies, and that holds what the source holds, the
 * primary reads the same as the target: its copies have no binaryData, and are left alone until our first promotion (03 CT14).
 */
async function establishedCopies(
  refs: readonly ConfigRef[],
  held: readonly ConfigRef[],
  found: FoundConfigs,
  read: (ref: ConfigRef) => Promise<KubeObject | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const ref of refs) {
    const copy = { ...ref, name: `${ref.name}-primary` };
    if (!held.some((other) => configKey(other) === configKey(copy))) continue;
    const key = configKey(ref);
    // Not tracked by us, so that nothing of it is compared.
    const isSame = !found.has(key) || (await holdsTheSame(found.get(key), () => read(copy)));
    if (isSame) names.set(key, copy.name);
  }
  return names;
}

async function holdsTheSame(source: KubeObject | undefined, readCopy: () => Promise<KubeObject | undefined>): Promise<boolean> {
  if (source === undefined || !isTracked(source)) return false;
  const copy = await readCopy();
  return copy !== undefined && configChecksum({ data: copy.data }) === configChecksum({ data: source.data });
}
