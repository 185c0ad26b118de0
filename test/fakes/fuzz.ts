import { Script } from 'node:vm';
import fc from 'fast-check';
import { prototypesNow } from './prototypes.ts';
import { countSteps } from './step-meter.ts';

/** One reader, what it is fed with, and which errors its caller handles. */
export interface Fuzzed {
  feed: fc.Arbitrary<unknown>;
  read(value: never): unknown;
  /** Steps for each character or entry, for a reader that serves only the user who started it. */
  stepsEach?: number;
  throws?: readonly (abstract new (...args: never[]) => Error)[];
}

/** Steps for any input, and for each character or entry of it: the budget of the worst cases, and what small inputs cost at least. */
const STEPS_AT_LEAST = 200_000;
const STEPS_EACH = 400;
/** A guard against hanging, where a loop indexes by itself and takes no steps that are counted. */
const HANG_MS = 60_000;

/** Number of inputs: `numRuns`, and as many again from the next seed until `forMs` have passed. A busy machine tries no fewer. */
export interface Effort {
  numRuns: number;
  forMs?: number;
  seed: number;
}

/** Returns the number of inputs; the error contains the input that failed, with its seed. */
export function fuzz({ feed, read, throws = [], stepsEach = STEPS_EACH }: Fuzzed, { numRuns, forMs = 0, seed }: Effort): number {
  let runs = 0;
  const before = prototypesNow();
  const one = (value: unknown) => {
    runs += 1;
    const text = JSON.stringify(value) ?? '';
    let result: unknown;
    const work = () => {
      try {
        result = read(value as never);
      } catch (error) {
        if (!throws.some((type) => error instanceof type)) throw error;
      }
    };
    guarded(() => countSteps(work, STEPS_AT_LEAST + stepsEach * text.length));
    before.expectSame();
    before.expectNoneFrom(result);
  };
  const startedMs = performance.now();
  for (let round = 0; round === 0 || performance.now() - startedMs < forMs; round += 1)
    fc.assert(fc.property(feed, one), { seed: seed + round, includeErrorInReport: true, numRuns });
  return runs;
}

/** The same of a reader that waits for others, whose steps are not counted: it never throws. */
export async function fuzzAnswers(
  { feed, ask }: { feed: fc.Arbitrary<unknown>; ask(value: unknown): Promise<unknown> },
  { numRuns, forMs = 0, seed }: Effort,
): Promise<number> {
  let runs = 0;
  const before = prototypesNow();
  const one = async (value: unknown) => {
    runs += 1;
    const result = await ask(value);
    before.expectSame();
    before.expectNoneFrom(result);
  };
  const startedMs = performance.now();
  for (let round = 0; round === 0 || performance.now() - startedMs < forMs; round += 1)
    await fc.assert(fc.asyncProperty(feed, one), { seed: seed + round, includeErrorInReport: true, numRuns });
  return runs;
}

const script = new Script('globalThis[Symbol.for("serin.fuzz")]()');
const slot = Symbol.for('serin.fuzz');

function guarded(work: () => void): void {
  const holder = globalThis as unknown as Record<symbol, unknown>;
  holder[slot] = work;
  script.runInThisContext({ timeout: HANG_MS });
}
