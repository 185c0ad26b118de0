import type { CanarySummary } from '../../reading/documents/canary-documents.ts';
import { type ListTableChoice, listTable } from '../canaries/list-command.ts';
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
  /** Number of the first line, after scrolling. */
  from?: number;
}

/** Columns that a name keeps on any terminal. */
const SHORTEST_NAME = 8;
/** Columns between two cells of the table. */
const GAP = 2;

/**
 * The live screen of all Canaries: a line each, at most `rows`, none wider than the terminal. Canaries that need attention come first, and long names are cut before the
 * phase is. Pure.
 */
export function listView({ items, kept }: ShownList, choice: ListChoice, terminal: Terminal, rows: number, nowMs: number): string[] {
  if (items.length + kept.length === 0) return ['No Canary found.'];
  const inOrder = items.toSorted((a, b) => urgency(a) - urgency(b));
  const room = roomFor(items.length, rows - kept.length);
  const from = firstShown(items.length, choice.from, room);
  const shown = inOrder.slice(from, from + room);
  const since = (item: Pick<CanarySummary, 'since'>) => ageText(item.since, nowMs);
  const count = (words: string, chosen: (item: CanarySummary) => boolean) => `${items.filter(chosen).length} ${words}`;
  const sum = [
    items.length === 1 ? '1 Canary' : `${items.length} Canaries`,
    count('in progress', isInProgress),
    count('failed', ({ phase }) => phase === 'Failed'),
    ...(kept.length > 0 ? [`${kept.length} deleted with their primary kept`] : []),
  ].join(', ');
  const below = items.length - from - shown.length;
  const others = [...(from > 0 ? [`${from} above`] : []), ...(below > 0 ? [`${below} more`] : [])];
  const table = { ...choice, terminal, since };
  const named = withShortNames({ items: shown, kept }, table);
  return [sum, ...listTable(named.items, table, named.kept), ...(others.length > 0 ? [`… ${others.join(', ')}`] : [])]
    .slice(0, rows)
    .map((line) => fitted(line, terminal));
}

/** The number of the first line that is shown, if the list begins with this one at the latest. */
export function firstShown(count: number, from: number | undefined, room: number): number {
  return Math.max(0, Math.min(from ?? 0, count - room));
}

/** Lines for Canaries: one line is for the headings, one for the sum, and one for the number of Canaries that have no room. */
export function roomFor(count: number, rows: number): number {
  return count <= rows - 2 ? count : Math.max(1, rows - 3);
}

const isInProgress = ({ phase }: CanarySummary): boolean => meaningOf(phase) === 'busy';

/** Failed releases come first, then releases in progress, then Canaries that are suspended, deleted or left to another controller. */
function urgency({ phase, suspended, deleting, aside }: CanarySummary): number {
  if (phase === 'Failed') return 0;
  if (meaningOf(phase) === 'busy') return 1;
  return suspended || deleting || aside ? 2 : 3;
}

/** The lists with names that leave room for the other columns. Only this screen cuts the end of a name: `serin list` has it whole, to be copied. */
function withShortNames({ items, kept }: ShownList, { ofAll, terminal, ...choice }: ListTableChoice): ShownList {
  const unnamed = <T extends object>(entry: T) => ({ ...entry, namespace: '', name: '' });
  const bare = { ...choice, wide: false, ofAll: false, terminal: { ...terminal, color: false } };
  const others = widest(listTable(items.map(unnamed), bare, kept.map(unnamed))) - 'NAME'.length;
  const all = [...items, ...kept];
  const namespaces = ofAll ? widest(['NAMESPACE', ...all.map(({ namespace }) => namespace)]) : 0;
  const names = widest(['NAME', ...all.map(({ name }) => name)]);
  const free = terminal.columns - others - (ofAll ? GAP : 0);
  const nameWidth = Math.max(SHORTEST_NAME, Math.min(names, Math.max(Math.floor(ofAll ? free / 2 : free), free - namespaces)));
  const namespaceWidth = Math.max(SHORTEST_NAME, free - nameWidth);
  const shortened = <T extends { namespace: string; name: string }>(entry: T): T => ({
    ...entry,
    name: cut(entry.name, nameWidth, terminal),
    namespace: cut(entry.namespace, namespaceWidth, terminal),
  });
  return { items: items.map(shortened), kept: kept.map(shortened) };
}

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => columnsOf(text)));

/** A line with its colours, cut where the terminal ends. */
function fitted(line: string, terminal: Terminal): string {
  let left = terminal.columns;
  return betweenColors(line, terminal, (part) => {
    const shown = left <= 0 ? '' : cut(part, left, terminal);
    left -= columnsOf(part);
    return shown;
  });
}
