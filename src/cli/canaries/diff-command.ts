import type { ClusterReader } from '../../kube/cluster.ts';
import { changeLines } from '../output/change-lines.ts';
import type { Difference } from '../output/documents.ts';
import { CommandError, type ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { headOf } from '../output/output-version.ts';
import { resourceName, specUnusable, targetNotFound } from './canary-reading.ts';
import { pendingChanges, pendingConfigChanges } from './pending-changes.ts';
import { pendingScalerChanges } from './pending-scaler.ts';
import type { Session } from './session.ts';
import { readSnapshot } from './snapshot.ts';

/** `serin diff NAME`: what a promotion of the target would change in the primary. `no` where there is something. */
export async function diffCommand(
  { cluster, namespace = '', output }: Pick<Session, 'namespace' | 'output'> & { cluster: ClusterReader },
  name: string,
  { selectorLabels }: { selectorLabels?: string },
): Promise<ExitName> {
  const { difference, hidden } = await differenceOf(cluster, namespace, name, selectorLabels);
  for (const what of hidden) output.note(`Note: ${what}.`);
  await output.show(diffAnswer(difference));
  if (difference.changes.length === 0) output.note('Nothing would change: target and primary are the same.');
  return difference.changes.length === 0 ? 'done' : 'no';
}

/** What a promotion of the target would change in the primary now, and notes on what could not be read. */
export async function differenceOf(
  cluster: ClusterReader,
  namespace: string,
  name: string,
  selectorLabels?: string,
): Promise<{ difference: Difference; hidden: readonly string[] }> {
  const { raw, canary, workload, target, primary, hidden } = await readSnapshot(cluster, namespace, name);
  if (!canary || !workload) throw specUnusable(name);
  if (!target) throw targetNotFound(canary.spec.targetRef);
  if (!primary) throw new CommandError('notFound', `the primary of ${name} does not exist yet: serin why ${name} says why`);
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

export function diffAnswer(difference: Difference): CommandAnswer<Difference> {
  return {
    document: difference,
    names: difference.changes.length === 0 ? [] : [resourceName(difference)],
    lines: (terminal) =>
      difference.changes.flatMap(({ field, promoted, target }) => changeLines({ field, before: promoted, after: target }, terminal)),
  };
}
