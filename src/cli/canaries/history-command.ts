import { imageChangeText } from '../../api/container-image.ts';
import { getCanary } from '../../reading/canary-reading.ts';
import type { History } from '../../reading/documents/canary-documents.ts';
import { historyOf, recordsInCluster } from '../../reading/history.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import type { Terminal } from '../output/terminal.ts';
import { durationText } from '../output/text.ts';
import { textTable } from '../output/text-table.ts';
import type { Session } from './session.ts';
import { shortRevision } from './status-screen.ts';

/** `serin history NAME`: promoted revisions, and releases that ended without a promotion, the newest first. */
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
      const promoted = promotedLines(history.items, terminal, wide);
      const others = unpromotedLines(history.releases, terminal, wide);
      return [...promoted, ...(promoted.length > 0 && others.length > 0 ? [''] : []), ...others];
    },
  };
}

function promotedLines(items: History['items'], terminal: Terminal, wide: boolean): string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ number, revision, current, recorded = '-', images, record: name }) => [
    String(number),
    wide ? revision : shortRevision(revision),
    recorded,
    current ? 'serves' : '',
    ...(wide ? [name] : []),
    images.join(', '),
  ]);
  return textTable(['NUMBER', 'REVISION', 'FIRST PROMOTED', 'NOW', ...(wide ? ['RECORD'] : []), 'IMAGES'], rows, terminal, {
    sentence: true,
  });
}

/** Releases that ended otherwise, in a table of their own: none of them can be put back. */
function unpromotedLines(releases: History['releases'] = [], terminal: Terminal, wide: boolean): string[] {
  if (releases.length === 0) return [];
  const rows = releases.map(({ number, revision, ended = '-', seconds, code, images, reason }) => [
    String(number),
    ...(wide ? [revision] : []),
    ended,
    durationText(seconds),
    code,
    images.map(imageChangeText).join(', ') || '-',
    reason,
  ]);
  const headings = ['RELEASE', ...(wide ? ['REVISION'] : []), 'ENDED', 'TOOK', 'END', 'IMAGES', 'REASON'];
  return ['Ended without a promotion', ...textTable(headings, rows, terminal, { sentence: !wide })];
}
