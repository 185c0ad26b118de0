import type { Canary } from '../api/canary.ts';
import type { Cluster } from '../kube/cluster.ts';
import { workloadFor } from '../workloads/index.ts';
import type { Anchors } from './anchors.ts';
import type { ControllerConfig } from './config.ts';
import { primaryRefOf, targetRefOf } from './gather-facts.ts';

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
  const revision = workload.revision(target);
  const { selectorLabels, includeLabelPrefix } = config;
  const rendered = workload.primaryTemplate(canary, target, { selector, selectorLabels, includeLabelPrefix, revision, replicas: 1 });
  const held = workload.adopts(primary, rendered);
  if (held) {
    await anchors.ensure(canary, target, signal);
    await anchors.keepTemplate(canary, held, revision, signal);
  }
  return held !== undefined;
}
