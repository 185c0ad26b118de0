import type { ClusterReader } from '../../kube/cluster.ts';
import { resourceName } from '../../reading/canary-reading.ts';
import { differenceOf } from '../../reading/changes/difference.ts';
import type { Difference } from '../../reading/documents/canary-documents.ts';
import { changeLines } from '../output/change-lines.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import type { Session } from './session.ts';

/** `serin diff NAME`: changes that a promotion of the target would make in the primary. `no` if there are any. */
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

export function diffAnswer(difference: Difference): CommandAnswer<Difference> {
  return {
    document: difference,
    names: difference.changes.length === 0 ? [] : [resourceName(difference)],
    lines: (terminal) =>
      difference.changes.flatMap(({ field, promoted, target }) => changeLines({ field, before: promoted, after: target }, terminal)),
  };
}
