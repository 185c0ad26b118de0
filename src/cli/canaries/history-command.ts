import { getCanary } from '../../reading/canary-reading.ts';
import type { History } from '../../reading/documents/canary-documents.ts';
import { historyOf, recordsInCluster } from '../../reading/history.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { textTable } from '../output/text-table.ts';
import type { Session } from './session.ts';
import { shortRevision } from './status-screen.ts';

/** `serin history NAME`: promoted revisions, the newest first. */
export async function historyCommand({ cluster, namespace = '', output }: Session, name: string): Promise<ExitName> {
  const raw = await getCanary(cluster, namespace, name);
  const history = historyOf(raw, await recordsInCluster(cluster, raw));
  await output.show(historyAnswer(history));
  if (history.items.length === 0) output.note('No promoted revision is recorded yet.');
  return 'done';
}

function historyAnswer(history: History): CommandAnswer<History> {
  return {
    document: history,
    names: history.items.map(({ record: name }) => `controllerrevision.apps/${name}`),
    lines: (terminal, wide) => {
      const rows = history.items.map(({ number, revision, current, recorded = '-', images, record: name }) => [
        String(number),
        wide ? revision : shortRevision(revision),
        recorded,
        current ? 'serves' : '',
        ...(wide ? [name] : []),
        images.join(', '),
      ]);
      if (rows.length === 0) return [];
      return textTable(['NUMBER', 'REVISION', 'FIRST PROMOTED', 'NOW', ...(wide ? ['RECORD'] : []), 'IMAGES'], rows, terminal, {
        sentence: true,
      });
    },
  };
}
