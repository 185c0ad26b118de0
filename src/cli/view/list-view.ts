import { listTable } from '../canaries/list-command.ts';
import type { CanarySummary } from '../output/documents.ts';
import { meaningOf } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { ageText } from './age-text.ts';
import { fitted } from './fitted.ts';

/** How the list is shown. */
export interface ListChoice {
  /** Canaries of all namespaces. */
  ofAll: boolean;
  wide: boolean;
}

/** The live screen of all Canaries: a line each, at most `rows`, none wider than the terminal. Where some have no room, releases in progress come first. Pure. */
export function listView(
  items: readonly CanarySummary[],
  { ofAll, wide }: ListChoice,
  terminal: Terminal,
  rows: number,
  nowMs: number,
): string[] {
  if (items.length === 0) return ['No Canary found.'];
  // One line for the headings, one for the sum, and one for those that have no room.
  const room = Math.max(1, rows - 3);
  const isInProgress = ({ phase }: CanarySummary) => meaningOf(phase) === 'busy';
  const inOrder = items.length <= rows - 2 ? items : [...items.filter(isInProgress), ...items.filter((item) => !isInProgress(item))];
  const shown = items.length <= rows - 2 ? inOrder : inOrder.slice(0, room);
  const since = (item: CanarySummary) => ageText(item.since, nowMs);
  const count = (words: string, chosen: (item: CanarySummary) => boolean) => `${items.filter(chosen).length} ${words}`;
  const sum = [
    items.length === 1 ? '1 Canary' : `${items.length} Canaries`,
    count('in progress', isInProgress),
    count('failed', ({ phase }) => phase === 'Failed'),
  ].join(', ');
  return [
    sum,
    ...listTable(shown, { ofAll, wide, terminal, since }),
    ...(shown.length < items.length ? [`… ${items.length - shown.length} more`] : []),
  ]
    .slice(0, rows)
    .map((line) => fitted(line, terminal));
}
