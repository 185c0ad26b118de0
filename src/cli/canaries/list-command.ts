import { imageChangeText } from '../../api/container-image.ts';
import { systemClock } from '../../base/clock.ts';
import { listCanaries, resourceName, summaryOf } from '../../reading/canary-reading.ts';
import type { CanarySummary, KeptItem } from '../../reading/documents/canary-documents.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { KEPT, keptSentence, listKept } from '../../reading/kept-primaries.ts';
import type { CanaryList } from '../output/documents.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { bar, meaningOf } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { ageText } from '../output/text.ts';
import { type Cell, textTable } from '../output/text-table.ts';
import type { Session } from './session.ts';

const BAR = 10;

/** `serin list`: the Canaries of a namespace or of all, a line each, and the primaries that outlive theirs. */
export async function listCommand(
  { cluster, namespace, output, clock = systemClock }: Session,
  { selector }: { selector?: string },
): Promise<ExitName> {
  const items = (await listCanaries(cluster, namespace, selector)).map(summaryOf);
  // A kept primary has no labels of its Canary.
  const kept = selector === undefined ? await listKept(cluster, namespace) : [];
  await output.show(listAnswer(items, namespace === undefined, { kept, nowMs: clock.nowMs() }));
  for (const one of kept) output.note(`Note: ${keptSentence(one)}.`);
  if (items.length + kept.length === 0)
    output.note(`No Canary found in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}.`);
  return 'done';
}

/** `nowMs`: for ages; wide output has the times themselves. */
export function listAnswer(
  items: readonly CanarySummary[],
  ofAll: boolean,
  { kept = [], nowMs }: { kept?: readonly KeptItem[]; nowMs: number },
): CommandAnswer<CanaryList> {
  return {
    document: { apiVersion: outputVersion, kind: 'CanaryList', items: [...items], ...(kept.length > 0 && { kept: [...kept] }) },
    names: items.map(resourceName),
    lines: (terminal, wide) => {
      if (items.length + kept.length === 0) return [];
      const since = (item: Pick<CanarySummary, 'since'>) => (wide ? (item.since ?? '-') : ageText(item.since, nowMs));
      return listTable(items, { ofAll, wide, terminal, since }, kept);
    },
  };
}

/** Options of the table. */
export interface ListTableChoice {
  /** Canaries of all namespaces: these have a column. */
  ofAll: boolean;
  wide: boolean;
  terminal: Terminal;
  /** The text of the column SINCE. */
  since(item: Pick<CanarySummary, 'since'>): string;
}

/** One line for each Canary below the headings, and for each primary that outlives its own. */
export function listTable(
  items: readonly CanarySummary[],
  { ofAll, wide, terminal, since }: ListTableChoice,
  kept: readonly KeptItem[] = [],
): string[] {
  const headings = [
    'NAME',
    'PHASE',
    'CANARY TRAFFIC',
    'STEP',
    'FAILED',
    'SINCE',
    ...(wide ? ['TARGET', 'PROVIDER', 'IMAGES', 'MESSAGE'] : []),
  ];
  const rows = items.map((item) => [
    ...(ofAll ? [item.namespace] : []),
    ...cells(item, terminal),
    since(item),
    ...(wide ? wideCells(item) : []),
  ]);
  const keptRows = kept.map((item) => [
    ...(ofAll ? [item.namespace] : []),
    ...[item.name, KEPT, '-', '-', '-', since(item)],
    ...(wide ? [item.target, '-', '-', item.next] : []),
  ]);
  return textTable(ofAll ? ['NAMESPACE', ...headings] : headings, [...rows, ...keptRows], terminal, { sentence: wide });
}

function cells(item: CanarySummary, terminal: Terminal): (string | Cell)[] {
  const { name, traffic, failedChecks, threshold } = item;
  const { steps } = item.release ?? {};
  return [
    name,
    { text: phaseText(item), meaning: meaningOf(item.phase) },
    isDrawn(item) ? bar(traffic.canary, BAR, terminal) : isIterating(item) ? 'iterations' : trafficInWords(traffic),
    steps ? `${steps.at} of ${steps.of}` : '-',
    threshold === undefined ? String(failedChecks) : `${failedChecks} of ${threshold}`,
  ];
}

function wideCells({ target, provider, release, message }: CanarySummary): string[] {
  return [`${target.kind}/${target.name}`, provider ?? '-', imagesText(release) || '-', message ?? '-'];
}

/** The release counts iterations, and its canary has no traffic of its own yet: a bar would stay at 0 until the end. */
export const isIterating = ({ traffic, release }: CanarySummary): boolean =>
  release?.steps?.unit === 'iteration' && traffic.kind === 'weighted' && traffic.canary === 0;

const isDrawn = (item: CanarySummary): boolean => item.traffic.kind === 'weighted' && !isIterating(item);

/** `registry/web 1.2.0 → 1.3.0`; empty if no image is known to change. */
export const imagesText = (release: CanarySummary['release']): string => (release?.images ?? []).map(imageChangeText).join(', ');

/** The phase as the table shows it. */
export function phaseText({ phase, suspended, deleting, aside, release }: CanarySummary): string {
  const held = suspended ? 'suspended' : release?.paused ? 'paused' : undefined;
  const mark = deleting ? 'being deleted' : aside ? 'left to another controller' : held;
  return `${phase || 'unseen'}${mark === undefined ? '' : ` (${mark})`}`;
}

/** The canary's traffic, in percent. */
export function trafficInWords({ kind, canary }: CanarySummary['traffic']): string {
  switch (kind) {
    case 'matched':
      return 'requests that match';
    case 'mirrored':
      return `copies of ${canary}%`;
    case 'weighted':
      return `${canary}%`;
    default:
      return kind satisfies never;
  }
}
