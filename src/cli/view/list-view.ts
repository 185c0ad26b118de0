import type { CanarySummary } from '../../reading/documents/canary-documents.ts';
import { listTable } from '../canaries/list-command.ts';
import type { ShownList } from '../canaries/watched-list.ts';
import { columnsOf } from '../output/columns.ts';
import { betweenColors, meaningOf } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { ageText, cut } from '../output/text.ts';

/** Options of the list. */
export interface ListChoice {
  /** Canaries of all namespaces. */
  ofAll: boolean;
  wide: boolean;
}

/** The live screen of all Canaries: a line each, at most `rows`, none wider than the terminal. Where some have no room, releases in progress come first. Pure. */
export function listView(
  { items, kept }: ShownList,
  { ofAll, wide }: ListChoice,
  terminal: Terminal,
  rows: number,
  nowMs: number,
): string[] {
  if (items.length + kept.length === 0) return ['No Canary found.'];
  // One line for the headings, one for the sum, and one for the Canaries that have no room.
  const free = rows - kept.length;
  const room = Math.max(1, free - 3);
  const isInProgress = ({ phase }: CanarySummary) => meaningOf(phase) === 'busy';
  const inOrder = items.length <= free - 2 ? items : [...items.filter(isInProgress), ...items.filter((item) => !isInProgress(item))];
  const shown = items.length <= free - 2 ? inOrder : inOrder.slice(0, room);
  const since = (item: CanarySummary) => ageText(item.since, nowMs);
  const count = (words: string, chosen: (item: CanarySummary) => boolean) => `${items.filter(chosen).length} ${words}`;
  const sum = [
    items.length === 1 ? '1 Canary' : `${items.length} Canaries`,
    count('in progress', isInProgress),
    count('failed', ({ phase }) => phase === 'Failed'),
    ...(kept.length > 0 ? [`${kept.length} deleted with their primary kept`] : []),
  ].join(', ');
  return [
    sum,
    ...listTable(shown, { ofAll, wide, terminal, since }, kept),
    ...(shown.length < items.length ? [`… ${items.length - shown.length} more`] : []),
  ]
    .slice(0, rows)
    .map((line) => fitted(line, terminal));
}

/** A line with its colours, cut where the terminal ends. */
function fitted(line: string, terminal: Terminal): string {
  let left = terminal.columns;
  return betweenColors(line, terminal, (part) => {
    const shown = left <= 0 ? '' : cut(part, left, terminal);
    left -= columnsOf(part);
    return shown;
  });
}
