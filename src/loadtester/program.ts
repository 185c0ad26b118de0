import type { BoundedOutput } from './bounded-output.ts';

/** Result of a program; `why` is a sentence for the Canary's event. */
export type ProgramResult = { ok: true } | { ok: false; why: string };

export interface ProgramContext {
  output: BoundedOutput;
  /** Aborting ends the program soon; its result then means nothing. */
  signal: AbortSignal;
}

/** Something that a task runs: one of ours, or a process. */
export interface Program {
  /** For logs, which never show its arguments. */
  name: string;
  /** Texts that nothing may show, such as a password among its arguments. */
  secrets: readonly string[];
  run(context: ProgramContext): Promise<ProgramResult>;
}
