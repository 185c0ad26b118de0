/** Decides when a call that one namespace causes may begin, beside those of the others (I15). */
export interface Turns {
  /** Does the work when it is its turn. Rejects with `NoTurnError`, or with the reason of the signal. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** No queue: every call begins at once. */
export const atOnce: Turns = { run: (work) => work() };

/** A namespace has too many calls waiting; the message is for users. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';

  /** `underWay`: of the same namespace. */
  constructor(underWay: number, why: string) {
    super(`this namespace has ${underWay} calls under way, and ${why}: give it fewer, or have them answered sooner`);
  }
}
