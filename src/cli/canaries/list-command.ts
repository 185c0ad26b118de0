import { listCanaries, resourceName, summaryOf } from '../../reading/canary-reading.ts';
import type { CanarySummary, KeptItem } from '../../reading/documents/canary-documents.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { KEPT, keptSentence, listKept } from '../../reading/kept-primaries.ts';
import type { CanaryList } from '../output/documents.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { bar, meaningOf } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { type Cell, textTable } from '../output/text-table.ts';
import type { Session } from './session.ts';

const BAR = 10;

/** `serin list`: the Canaries of a namespace or of all, a line each, and the primaries that outlive theirs. */
export async function listCommand({ cluster, namespace, output }: Session, { selector }: { selector?: string }): Promise<ExitName> {
  const items = (await listCanaries(cluster, namespace, selector)).map(summaryOf);
  // A kept primary has no labels of its Canary.
  const kept = selector === undefined ? await listKept(cluster, namespace) : [];
  await output.show(listAnswer(items, namespace === undefined, kept));
  for (const one of kept) output.note(`Note: ${keptSentence(one)}.`);
  if (items.length + kept.length === 0)
    output.note(`No Canary found in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}.`);
  return 'done';
}

export function listAnswer(items: readonly CanarySummary[], ofAll: boolean, kept: readonly KeptItem[] = []): CommandAnswer<CanaryList> {
  return {
    document: { apiVersion: outputVersion, kind: 'CanaryList', items: [...items], ...(kept.length > 0 && { kept: [...kept] }) },
    names: items.map(resourceName),
    lines: (terminal, wide) => {
      if (items.length + kept.length === 0) return [];
      return listTable(items, { ofAll, wide, terminal, since: (item) => item.since ?? '-' }, kept);
    },
  };
}

/** Options of the table. */
interface TableChoice {
  /** Canaries of all namespaces: these have a column. */
  ofAll: boolean;
  wide: boolean;
  terminal: Terminal;
  /** The text of the column SINCE. */
  since(item: CanarySummary): string;
}

/** One line for each Canary below the headings, and for each primary that outlives its own. */
export function listTable(
  items: readonly CanarySummary[],
  { ofAll, wide, terminal, since }: TableChoice,
  kept: readonly KeptItem[] = [],
): string[] {
  const headings = ['NAME', 'PHASE', 'CANARY TRAFFIC', 'FAILED', 'SINCE', ...(wide ? ['TARGET', 'PROVIDER', 'MESSAGE'] : [])];
  const rows = items.map((item) => [
    ...(ofAll ? [item.namespace] : []),
    ...cells(item, terminal),
    since(item),
    ...(wide ? wideCells(item) : []),
  ]);
  const keptRows = kept.map((item) => [
    ...(ofAll ? [item.namespace] : []),
    ...[item.name, KEPT, '-', '-', item.since],
    ...(wide ? [item.target, '-', item.next] : []),
  ]);
  return textTable(ofAll ? ['NAMESPACE', ...headings] : headings, [...rows, ...keptRows], terminal, { sentence: wide });
}

function cells(item: CanarySummary, terminal: Terminal): (string | Cell)[] {
  const { name, traffic, failedChecks, threshold } = item;
  return [
    name,
    { text: phaseText(item), meaning: meaningOf(item.phase) },
    traffic.kind === 'weighted' ? bar(traffic.canary, BAR, terminal) : trafficInWords(traffic),
    threshold === undefined ? String(failedChecks) : `${failedChecks} of ${threshold}`,
  ];
}

function wideCells({ target, provider, message }: CanarySummary): string[] {
  return [`${target.kind}/${target.name}`, provider ?? '-', message ?? '-'];
}

/** The phase as the table shows it. */
export function phaseText({ phase, suspended, deleting, aside }: CanarySummary): string {
  const mark = deleting ? 'being deleted' : aside ? 'left to another controller' : suspended ? 'suspended' : undefined;
  return `${phase || 'unseen'}${mark === undefined ? '' : ` (${mark})`}`;
}

/** The canary's traffic, in percent. */
export function trafficInWords({ kind, canary }: CanarySummary['traffic']): string {
  switch (kind) {
    case 'matched':
      return 'requests that match';
    case 'mirrored':
      return `copies of ${canary} %`;
    case 'weighted':
      return `${canary} %`;
    default:
      return kind satisfies never;
  }
}
