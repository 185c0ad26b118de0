/**
 * The alternatives of every test: from 1.19 to 8 times the boundary of the null hypothesis, and the same below it, with equal prior weight. A canary that is
 * worse than 8 times is found by the last of them. Larger ones would win little and let one cluster of failures speak too loudly.
 */
export const STEPS = 12;

/** Steps of the alternatives for each doubling. */
export const STEPS_PER_DOUBLING = 4;

/** The factor of `steps` steps, a whole number, and its logarithm. */
export const gridFactor = (steps: number): number => FACTORS[steps + TABLED] ?? 2 ** (steps / STEPS_PER_DOUBLING);
export const logFactorOf = (steps: number): number => (steps * Math.LN2) / STEPS_PER_DOUBLING;

/** Powers are tabled: each window needs hundreds of them. */
const TABLED = 64;
const FACTORS = Array.from({ length: 2 * TABLED + 1 }, (_, index) => 2 ** ((index - TABLED) / STEPS_PER_DOUBLING));

/** The logarithm of the mean of the exponentials of `STEPS` terms; `termOf` is called with each step from 1 to `STEPS`. */
export function logMeanExp(termOf: (step: number) => number): number {
  const terms: number[] = [];
  let largest = Number.NEGATIVE_INFINITY;
  for (let step = 1; step <= STEPS; step += 1) {
    const term = termOf(step);
    terms.push(term);
    if (term > largest) largest = term;
  }
  if (largest === Number.NEGATIVE_INFINITY) return largest;
  let sum = 0;
  for (const term of terms) sum += Math.exp(term - largest);
  return largest + Math.log(sum / STEPS);
}
