import type { Documents } from './documents.ts';
import type { CommandAnswer, Output } from './output.ts';

/** Prints answers one below the other, and leaves out an answer that says nothing new. */
export class Frames {
  readonly #output: Output;
  #last = '';

  constructor(output: Output) {
    this.#output = output;
  }

  async show<D extends Documents>(answer: CommandAnswer<D>): Promise<void> {
    const text = await this.#output.render(answer);
    if (text === this.#last) return;
    const { format } = this.#output;
    const isText = format === undefined || format === 'wide';
    if (this.#last !== '') this.#output.write(format === 'yaml' ? '---\n' : isText ? '\n' : '');
    this.#output.write(text);
    this.#last = text;
  }
}

/** Notes once that the connection is lost, and once that it is back. */
export function lostNotes(output: Output): (lost: string | undefined) => void {
  let isLost = false;
  return (lost) => {
    if ((lost !== undefined) === isLost) return;
    isLost = lost !== undefined;
    output.note(isLost ? `Connection lost, trying again: ${lost}` : 'Connected again.');
  };
}
