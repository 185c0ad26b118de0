import type { ClusterReader } from '../../kube/cluster.ts';
import { specUnusable, targetNotFound } from '../canary-reading.ts';
import type { Difference } from '../documents/canary-documents.ts';
import { headOf } from '../documents/output-version.ts';
import { ReadingError } from '../reading-error.ts';
import { readSnapshot } from '../snapshot.ts';
import { pendingChanges, pendingConfigChanges } from './pending-changes.ts';
import { pendingScalerChanges } from './pending-scaler.ts';

/** Changes that a promotion of the target would make to the primary now, and notes on objects that could not be read. */
export async function differenceOf(
  cluster: ClusterReader,
  namespace: string,
  name: string,
  selectorLabels?: string,
): Promise<{ difference: Difference; hidden: readonly string[] }> {
  const { raw, canary, workload, target, primary, hidden } = await readSnapshot(cluster, namespace, name);
  if (!canary || !workload) throw specUnusable(name);
  if (!target) throw targetNotFound(canary.spec.targetRef);
  if (!primary) throw new ReadingError('notFound', `the primary of ${name} does not exist yet: serin why ${name} says why`);
  const labels = selectorLabels?.split(',').map((label) => label.trim());
  const changes = pendingChanges(canary, workload, { target, primary, ...(labels && { selectorLabels: labels }) });
  const configs = await pendingConfigChanges(cluster, namespace, workload, { target, primary });
  const scaler = await pendingScalerChanges(cluster, canary);
  const difference: Difference = {
    ...headOf('Difference', { namespace, name: raw.metadata.name }),
    from: canary.status?.release?.promotedRevision ?? canary.status?.lastPromotedSpec ?? '',
    changes: [...changes, ...configs.changes, ...scaler.changes],
  };
  return { difference, hidden: [...hidden, ...configs.hidden, ...scaler.hidden] };
}
