/** The terminal of the recording. */
export const SIZE = { columns: 80, rows: 24 } as const;

/** Paint of a line: red, green, bold or none. */
export type Paint = 'failed' | 'passed' | 'phase' | '';

/** One line of a terminal, in one paint. */
export type Line = readonly [text: string, paint: Paint];

const PAINTS: Readonly<Record<string, Paint>> = { 1: 'phase', 31: 'failed', 32: 'passed' };
const ESCAPE = '\u001b';
const UP_AND_ERASE = new RegExp(`^${ESCAPE}\\[(\\d+)A${ESCAPE}\\[0J`);
const PAINTED = new RegExp(`^${ESCAPE}\\[(\\d+)m(.*)${ESCAPE}\\[0m$`);

/** The part of a terminal that the demo needs: whole lines, going up to erase the lines below, and paint of a whole line. */
export class TerminalModel {
  readonly #lines: Line[] = [];
  #begun = '';

  write(text: string): void {
    const [...lines] = `${this.#begun}${text}`.split('\n');
    this.#begun = lines.pop() ?? '';
    for (const line of lines) this.#add(line);
  }

  /** The last lines that fit. */
  screen(rows: number): readonly Line[] {
    return this.#lines.slice(-rows);
  }

  /** All lines that were not erased. */
  lines(): readonly Line[] {
    return this.#lines;
  }

  #add(written: string): void {
    const up = UP_AND_ERASE.exec(written);
    if (up) this.#lines.length -= Math.min(this.#lines.length, Number(up[1]));
    const line = up ? written.slice(up[0].length) : written;
    const [, code = '', text = line] = PAINTED.exec(line) ?? [];
    if (text.includes(ESCAPE)) throw new Error(`the recording does not know what a terminal makes of ${JSON.stringify(text)}`);
    this.#lines.push([text, PAINTS[code] ?? '']);
  }
}
