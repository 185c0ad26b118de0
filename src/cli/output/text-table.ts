import { columnsOf, padded } from './columns.ts';
import { type Meaning, paint } from './paint.ts';
import type { Terminal } from './terminal.ts';
import { cleaned, cut } from './text.ts';

/** A cell with a colour. */
export interface Cell {
  text: string;
  meaning: Meaning;
}

const GAP = 2;

/**
 * Columns under their headings. A name or a count is never cut, so that it can be copied. A `sentence` in the last column is cut, on a terminal where the line
 * would be too long.
 */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
  terminal: Terminal,
  { sentence = false, indent = 0 }: { sentence?: boolean; indent?: number } = {},
): string[] {
  const table = [...(headings.length > 0 ? [headings] : []), ...rows].map((row) => row.map((cell) => cellOf(cell, terminal)));
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => columnsOf(row[column]?.text ?? ''))));
  const available = terminal.columns - indent - widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  return table.map((row) => {
    const cells = row.map(({ text, meaning }, column) => {
      if (column < row.length - 1)
        return `${paint(text, meaning, terminal)}${padded(text, (widths[column] ?? 0) + GAP).slice(text.length)}`;
      return paint(sentence && terminal.live ? cut(text, Math.max(10, available), terminal) : text, meaning, terminal);
    });
    return `${' '.repeat(indent)}${cells.join('')}`.trimEnd();
  });
}

function cellOf(cell: string | Cell, terminal: Terminal): Cell {
  const { text, meaning } = typeof cell === 'string' ? { text: cell, meaning: 'plain' as const } : cell;
  return { text: cleaned(text, terminal), meaning };
}
