import { performance } from 'node:perf_hooks';

/** Texts that differ from one rehearsal to the next, each with its replacement. */
export type Names = readonly (readonly [found: string | RegExp, shown: string])[];

const DIGITS: Names = [
  [/sha256:[0-9a-f]{64}/g, 'sha256:…'],
  [/sha512-[\w+/=]{86,}/g, 'sha512-…'],
  [/\b[0-9a-f]{40}\b/g, 'COMMIT'],
  [/--timestamp \d+/g, '--timestamp SECONDS'],
  [/\(\d+ bytes\)/g, '(… bytes)'],
  [/\/storage\d+\/\d+/g, '/storage…/…'],
  [/serin-release-[0-9a-f]{12}/g, 'serin-release-COMMIT'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
];

/** Prints the progress of a rehearsal, and keeps the lines that the docs show: parts with their seconds, commands, and pushes. */
export class Transcript {
  readonly #lines: string[] = [];
  readonly #startedMs = performance.now();
  #names: Names = DIGITS;

  /** From here on these replace texts that differ from run to run. */
  name(names: Names): void {
    this.#names = [...names, ...this.#names];
  }

  /** A part of the rehearsal; a line says how long it took. */
  async part<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
    const beganMs = performance.now();
    this.#keep(`==> ${title}`);
    const result = await work();
    this.#keep(`<== ${seconds(beganMs)} s`);
    return result;
  }

  /** A line of a program. */
  said(line: string): void {
    if (/^(?:\$ |pushed |published )/.test(line)) this.#keep(line);
    else process.stdout.write(`${line}\n`);
  }

  end(): void {
    this.#keep(`whole after ${seconds(this.#startedMs)} s`);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  plain(text: string): string {
    return this.#names.reduce((all, [found, shown]) => all.replaceAll(found, shown), text);
  }

  #keep(line: string): void {
    process.stdout.write(`${line}\n`);
    this.#lines.push(this.plain(line));
  }
}

const seconds = (sinceMs: number): number => Math.round((performance.now() - sinceMs) / 1000);
