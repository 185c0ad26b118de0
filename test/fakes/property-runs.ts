/** Lives of one property in `npm test`. */
const QUICK_RUNS = 120;
const LONGEST_QUICK_MS = 180_000;

const wanted = Number(process.env.PROPERTY_RUNS ?? QUICK_RUNS);

interface Quick {
  /** Share for the 120 runs in `npm test`; default `share`. */
  quickShare?: number;
  /** Finds soon what has to be found; default 7. */
  usualSeed?: number;
}

/**
 * Number of runs of a property, and their seed. `npm test` runs it 120 times from seed 7, so that a failure is the same on every machine. The long tier sets
 * `PROPERTY_RUNS` and `PROPERTY_SEED`. `share` is below 1 for a property with expensive lives.
 */
export function propertyRuns(share = 1, { quickShare = share, usualSeed = 7 }: Quick = {}): { numRuns: number; seed: number } {
  const runs = process.env.PROPERTY_RUNS === undefined ? wanted * quickShare : wanted * share;
  return { numRuns: Math.max(1, Math.round(runs)), seed: Number(process.env.PROPERTY_SEED ?? usualSeed) };
}

/** Timeout of a property's test, in milliseconds; a bound against a life that never ends, not a measurement. */
export const propertyTimeoutMs = LONGEST_QUICK_MS * Math.max(1, wanted / QUICK_RUNS);
