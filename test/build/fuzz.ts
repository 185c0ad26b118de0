import { Script } from 'node:vm';
import fc from 'fast-check';
import { prototypesNow } from './prototypes.ts';
import { countSteps } from './step-meter.ts';

/** One reader, what it is fed with, and which errors its caller handles. */
export interface Fuzzed {
  feed: fc.Arbitrary<unknown>;
  read(value: never): unknown;
  /** Of a reader that serves only the one who started it. */
  stepsEach?: number;
  throws?: readonly (abstract new (...args: never[]) => Error)[];
}

/** Steps for any input, and for each character or entry of it: the budget of the worst cases, and what small inputs cost at least. */
const STEPS_AT_LEAST = 200_000;
const STEPS_EACH = 400;
/** A guard against hanging, where a loop indexes by itself and takes no steps that are counted. */
const HANG_MS = 60_000;

/** Runs one property until so many runs, or so long; the counterexample is in the error. Returns how many were run. */
export function fuzz(
  { feed, read, throws = [], stepsEach = STEPS_EACH }: Fuzzed,
  { numRuns, forMs, seed }: { numRuns?: number; forMs?: number; seed: number },
): number {
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
  fc.assert(fc.property(feed, one), {
    seed,
    includeErrorInReport: true,
    numRuns: numRuns ?? Number.MAX_SAFE_INTEGER,
    ...(forMs !== undefined && { interruptAfterTimeLimit: forMs, markInterruptAsFailure: false }),
  });
  return runs;
}

/** The same of a reader that waits for others, whose steps are not counted: it never throws. */
export async function fuzzAnswers(
  { feed, ask }: { feed: fc.Arbitrary<unknown>; ask(value: unknown): Promise<unknown> },
  { numRuns, forMs, seed }: { numRuns?: number; forMs?: number; seed: number },
): Promise<number> {
  let runs = 0;
  const before = prototypesNow();
  const one = async (value: unknown) => {
    runs += 1;
    const result = await ask(value);
    before.expectSame();
    before.expectNoneFrom(result);
  };
  await fc.assert(fc.asyncProperty(feed, one), {
    seed,
    includeErrorInReport: true,
    numRuns: numRuns ?? Number.MAX_SAFE_INTEGER,
    ...(forMs !== undefined && { interruptAfterTimeLimit: forMs, markInterruptAsFailure: false }),
  });
  return runs;
}

const script = new Script('globalThis[Symbol.for("serin.fuzz")]()');
const slot = Symbol.for('serin.fuzz');

function guarded(work: () => void): void {
  const holder = globalThis as unknown as Record<symbol, unknown>;
  holder[slot] = work;
  script.runInThisContext({ timeout: HANG_MS });
}
