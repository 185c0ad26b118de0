import { numbered, printable } from '../../base/printable.ts';
import type { Documents } from './documents.ts';
import type { OutputFormat } from './output-formats.ts';
import { betweenColors } from './paint.ts';
import { type Terminal, terminalOf } from './terminal.ts';
import { cleaned, wrapped } from './text.ts';

/** Standard streams, or what a test gives for them. */
export interface Streams {
  out: {
    isTTY?: boolean | undefined;
    columns?: number | undefined;
    rows?: number | undefined;
    write(text: string | Uint8Array): unknown;
    on?(event: 'resize', listener: () => void): unknown;
    off?(event: 'resize', listener: () => void): unknown;
  };
  err: { write(text: string): unknown };
}

/** The flags that decide how an answer is shown. */
export interface OutputFlags {
  output?: OutputFormat | undefined;
  color?: boolean | undefined;
  plain?: boolean | undefined;
}

/** One answer in each of its forms: the document is the contract for programs, lines are for users. */
export interface CommandAnswer<D extends Documents> {
  document: D;
  /** `canary.flagger.app/web`, a line each. */
  names: readonly string[];
  lines(terminal: Terminal, wide: boolean): readonly string[];
}

/** Data goes to the standard output, and all else to the standard error. */
export class Output {
  readonly terminal: Terminal;
  readonly format: OutputFormat | undefined;
  readonly #streams: Streams;

  constructor({ output, color = true, plain = false }: OutputFlags, env: NodeJS.ProcessEnv, streams: Streams = processStreams()) {
    this.format = output;
    this.#streams = streams;
    this.terminal = terminalOf({ env, out: streams.out, color, plain });
  }

  async show<D extends Documents>(answer: CommandAnswer<D>): Promise<void> {
    this.write(await this.render(answer));
  }

  /** The text of an answer in the chosen format. */
  async render<D extends Documents>({ document, names, lines }: CommandAnswer<D>): Promise<string> {
    switch (this.format) {
      case 'json':
        return numbered(`${JSON.stringify(document, undefined, 2)}\n`);
      case 'yaml':
        return (await import('./to-yaml.ts')).toYaml(document);
      case 'name':
        return names.map((name) => `${printable(name)}\n`).join('');
      default:
        return lines(this.terminal, this.format === 'wide')
          .map((line) => `${betweenColors(line, this.terminal, printable)}\n`)
          .join('');
    }
  }

  /** The stream for a screen that is redrawn; its size can change. */
  get stream(): Streams['out'] {
    return this.#streams.out;
  }

  write(data: string | Uint8Array): void {
    this.#streams.out.write(data);
  }

  /** Prints a mistake with its place in a file as one line, which editors and CI read. */
  mistake(line: string): void {
    this.#streams.err.write(`${cleaned(line, this.terminal)}\n`);
  }

  /** Prints a hint, a warning or an error beside the data. */
  note(message: string): void {
    for (const line of wrapped(cleaned(message, this.terminal), this.terminal.columns)) this.#streams.err.write(`${line}\n`);
  }
}

/** stdout and stderr of this process. */
export function processStreams(): Streams {
  return { out: process.stdout, err: process.stderr };
}
