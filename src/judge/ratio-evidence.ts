import { gridFactor, logFactorOf, logMeanExp, STEPS } from './mixture.ts';
import type { Counts } from './window.ts';

/** The grid reaches this many steps to both sides of the tolerated ratio: 128 times more and less. */
const REACH = 28;

/** Log-likelihoods of the ratios on the grid, each less that of the tolerated ratio; in the order of the ratios. */
export type RatioSupport = readonly number[];

export const GRID_SIZE = 2 * REACH + 1;

/**
 * Six decimals are kept: a status stays short, and a restart continues with exactly the stored numbers. Adding 0 turns −0, which JSON cannot express, into 0.
 */
const KEPT = 1e6;
export const kept = (value: number): number => Math.round(value * KEPT) / KEPT + 0;

export const noSupport: RatioSupport = Array.from({ length: GRID_SIZE }, () => 0);

/** The ratio at a place of the grid, 0 for the tolerated one. */
export const ratioAt = (place: number, tolerate: number): number => tolerate * gridFactor(place);

/**
 * Adds a window. Given their sum, failures of the canary are binomial with the share θ(R) = R·n / (R·n + m), for n and m requests of canary and primary and a
 * ratio R of the rates. The rate of the window itself cancels, so that it may drift from window to window. Source of the conditional test: Lindon and Malek,
 * "Anytime-Valid Inference for Multinomial Count Data" (2022); that the windows are strata of their own: Turner and Grünwald, "Safe Sequential Testing and Effect
 * Estimation in Stratified Count Data" (2023).
 */
export function addSupport(
  support: RatioSupport,
  { canary, primary }: { canary: Counts; primary: Counts },
  tolerate: number,
): RatioSupport {
  const failures = canary.failures + primary.failures;
  if (failures === 0) return support;
  const atTolerated = tolerate * canary.requests + primary.requests;
  return support.map((value, index) => {
    const factor = gridFactor(index - REACH);
    const exposed = (factor * tolerate * canary.requests + primary.requests) / atTolerated;
    return kept(value + canary.failures * logFactorOf(index - REACH) - failures * Math.log(exposed));
  });
}

/**
 * Log of the e-value against "the ratio is at most that at `place`". Each term is a likelihood ratio R' against R with R' > R, and its expectation is at most 1 for
 * every pair of rates whose ratio is at most R: a request that fails with probability p multiplies the term by 1 + p(a − 1) ≤ exp(p(a − 1)) on average, and for
 * the rates at the boundary these exponents sum to 0. That holds for Bernoulli and Poisson failures, and whenever one looks. `dispersion` divides the terms.
 */
export const logAgainstAtMost = (support: RatioSupport, place: number, dispersion: number): number =>
  logMeanExp((step) => (at(support, place + step) - at(support, place)) / dispersion);

/** Log of the e-value against "the ratio is at least that at `place`": the same, mirrored. */
export const logAgainstAtLeast = (support: RatioSupport, place: number, dispersion: number): number =>
  logMeanExp((step) => (at(support, place - step) - at(support, place)) / dispersion);

const at = (support: RatioSupport, place: number): number => support[place + REACH] ?? Number.NEGATIVE_INFINITY;

/** The furthest place whose alternatives are all on the grid. */
export const FURTHEST = REACH - STEPS;

/**
 * Confidence sequence of the ratio: the largest ratio that is excluded from below and the smallest that is excluded from above, each when its e-value passes
 * `boundary`. Undefined where none is. A confidence sequence holds at all times at once (Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric,
 * nonasymptotic confidence sequences", 2021).
 */
export function ratioBounds(
  support: RatioSupport,
  { tolerate, dispersion, logBoundary }: { tolerate: number; dispersion: number; logBoundary: number },
): { low: number | undefined; high: number | undefined } {
  const places = Array.from({ length: GRID_SIZE }, (_, index) => index - REACH);
  const low = places.findLast((place) => logAgainstAtMost(support, place, dispersion) >= logBoundary);
  const high = places.find((place) => logAgainstAtLeast(support, place, dispersion) >= logBoundary);
  const ratioOf = (place: number | undefined) => (place === undefined ? undefined : ratioAt(place, tolerate));
  return { low: ratioOf(low), high: ratioOf(high) };
}

/** Log of the likelihood ratio that one second of traffic adds on average, for rates that are taken as true. `place` is that of the null, `step` leads to the alternative. */
export function growthOfRatio(
  traffic: { canary: Counts; primary: Counts },
  { place, step, tolerate }: { place: number; step: number; tolerate: number },
): number {
  const { canary, primary } = traffic;
  const before = ratioAt(place, tolerate) * canary.requests + primary.requests;
  const after = ratioAt(place + step, tolerate) * canary.requests + primary.requests;
  return canary.failures * logFactorOf(step) - (canary.failures + primary.failures) * Math.log(after / before);
}
