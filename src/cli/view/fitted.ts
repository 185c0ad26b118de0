import { columnsOf } from '../output/columns.ts';
import { betweenColors } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { cut } from '../output/text.ts';

/** A line with its colours, cut where the terminal ends. */
export function fitted(line: string, terminal: Terminal): string {
  let left = terminal.columns;
  return betweenColors(line, terminal, (part) => {
    const shown = left <= 0 ? '' : cut(part, left, terminal);
    left -= columnsOf(part);
    return shown;
  });
}
