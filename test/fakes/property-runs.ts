/** Lives of one property in `npm test`. */
const QUICK_RUNS = 120;
const LONGEST_QUICK_MS = 180_000;

const wanted = Number(process.env.PROPERTY_RUNS ?? QUICK_RUNS);

/**
 * How often a property is tried, and from which seed: 120 times from seed 7 in `npm test`, so that a failure is everybody's; as
 * `PROPERTY_RUNS` and `PROPERTY_SEED` say in the long tier. `share` is below 1 for a property whose single life costs more, and a
 * test of what has to be found has a seed of its own that finds it soon.
 */
export function propertyRuns(share = 1, usualSeed = 7): { numRuns: number; seed: number } {
  return { numRuns: Math.max(1, Math.round(wanted * share)), seed: Number(process.env.PROPERTY_SEED ?? usualSeed) };
}

/** Milliseconds that a property's test may take; a bound against a life that never ends, not a measurement. */
export const propertyTimeoutMs = LONGEST_QUICK_MS * Math.max(1, wanted / QUICK_RUNS);
