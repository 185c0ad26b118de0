/** Decides when a call for one namespace starts, in turn with those of other namespaces (I15). */
export interface Turns {
  /** Runs the work in its turn. Rejects with `NoTurnError`, or with the reason of the signal. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Without a queue every call starts at once. */
export const atOnce: Turns = { run: (work) => work() };

/** Too many calls of a namespace are waiting; the message is for users. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';

  /** `underWay`: calls of the same namespace. */
  constructor(underWay: number, why: string) {
    super(`this namespace has ${underWay} calls under way, and ${why}: give it fewer, or have them answered sooner`);
  }
}
