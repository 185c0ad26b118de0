import { columnsOf } from '../output/columns.ts';
import { betweenColors } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';

/** The size of a terminal that does not report it. */
const USUAL = { columns: 80, rows: 24 };
const SMALLEST = { columns: 40, rows: 8 };

/** The terminal that a live screen is drawn on. */
export interface ScreenStream {
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
}

/** Columns of a line without its colours. */
function widthOf(line: string, terminal: Terminal): number {
  let width = 0;
  betweenColors(line, terminal, (text) => {
    width += columnsOf(text);
    return text;
  });
  return width;
}

/** Lines for a terminal and a height. */
export type Drawing = (terminal: Terminal, rows: number) => readonly string[];

// The alternate screen, no cursor, and no wrapping: a character of two columns must not push the last line out.
const OPEN = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const CLOSE = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/**
 * Draws on the alternate screen, so that the previous content comes back at the end. Writes nothing if nothing has changed, and never clears the whole screen:
 * it would flicker.
 */
export class LiveScreen {
  readonly #out: ScreenStream;
  readonly #terminal: Terminal;
  #last = '';
  #isOpen = false;

  constructor(out: ScreenStream, terminal: Terminal) {
    this.#out = out;
    this.#terminal = terminal;
  }

  draw(drawing: Drawing): void {
    // A terminal of size 0 does not know its size.
    const columns = this.#out.columns || USUAL.columns;
    const rows = this.#out.rows || USUAL.rows;
    const isTooSmall = columns < SMALLEST.columns || rows < SMALLEST.rows;
    const lines = isTooSmall
      ? [`Too small: ${SMALLEST.columns}x${SMALLEST.rows} needed`.slice(0, columns)]
      : drawing({ ...this.#terminal, columns }, rows);
    // After the last column, erasing the rest of the line would erase the last character.
    const text = lines
      .slice(0, rows)
      .map((line) => (widthOf(line, this.#terminal) < columns ? `${line}\x1b[K` : line))
      .join('\r\n');
    const size = `${columns}x${rows}`;
    if (`${size} ${text}` === this.#last) return;
    if (!this.#isOpen) this.#out.write(OPEN);
    this.#isOpen = true;
    this.#last = `${size} ${text}`;
    this.#out.write(`\x1b[H${text}\x1b[J`);
  }

  /** Restores the cursor and the screen before. May be called again. */
  close(): void {
    if (this.#isOpen) this.#out.write(CLOSE);
    this.#isOpen = false;
    this.#last = '';
  }
}
