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

/** Lines for a terminal and a height. */
export type Drawing = (terminal: Terminal, rows: number) => readonly string[];

/**
 * Draws on the alternate screen, so that what was there before comes back at the end. Writes nothing where nothing has changed, and never clears the
 * whole screen: it would flicker.
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
    const { columns = USUAL.columns, rows = USUAL.rows } = this.#out;
    const isTooSmall = columns < SMALLEST.columns || rows < SMALLEST.rows;
    const lines = isTooSmall
      ? [`Too small: ${SMALLEST.columns}x${SMALLEST.rows} needed`.slice(0, columns)]
      : drawing({ ...this.#terminal, columns }, rows);
    const text = lines.map((line) => `${line}\x1b[K`).join('\r\n');
    if (text === this.#last) return;
    if (!this.#isOpen) this.#out.write('\x1b[?1049h\x1b[?25l');
    this.#isOpen = true;
    this.#last = text;
    this.#out.write(`\x1b[H${text}\x1b[J`);
  }

  /** Restores the cursor and the screen before. May be called again. */
  close(): void {
    if (this.#isOpen) this.#out.write('\x1b[?25h\x1b[?1049l');
    this.#isOpen = false;
    this.#last = '';
  }
}
