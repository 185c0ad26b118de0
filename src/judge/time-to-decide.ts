import type { Comparison } from './comparison.ts';
import type { Evidence } from './evidence.ts';
import { STEPS } from './mixture.ts';
import { growthOfRate } from './rate-evidence.ts';
import { growthOfRatio } from './ratio-evidence.ts';
import type { Counts } from './window.ts';

/** Time to a decision if rates and traffic do not change. */
export interface TimeToDecide {
  /** At the current weight; undefined when the evidence does not grow. */
  seconds: number | undefined;
  toward: 'bad' | 'fine' | undefined;
  /** The decision comes within the patience of the comparison. */
  isInReach: boolean;
  /**
   * The smallest of the usual weights, in percent, at which a decision comes within the patience; undefined if the current weight is enough or none of them is.
   */
  helpfulWeight: number | undefined;
  /** Time to a decision at `helpfulWeight`. */
  helpfulSeconds: number | undefined;
}

/** Weights that are tried, in percent: above one half the primary becomes the smaller side. */
const WEIGHTS = [1, 2, 5, 10, 15, 20, 25, 30, 40, 50];

/** Estimates the time to a decision from the average growth of the evidence at the rates seen so far. */
export function timeToDecide(
  evidence: Evidence,
  comparison: Comparison,
  weighed: { logHarm: number; logFine: number; logHarmBoundary: number; logFineBoundary: number; dispersion: number; widened: number },
): TimeToDecide {
  const { pace } = evidence;
  const rates = assumedRates(evidence);
  const total = pace.canary + pace.primary;
  const at = (canary: number, primary: number) =>
    soonest({ canary: traffic(canary, rates.canary), primary: traffic(primary, rates.primary) });
  const now = at(pace.canary, pace.primary);
  const isQuick = (seconds: number) => seconds * 1000 <= comparison.patienceMs;
  const isInReach = isQuick(now.seconds);
  const secondsAt = (weight: number) => at((total * weight) / 100, total * (1 - weight / 100)).seconds;
  const helpful = isInReach || total === 0 ? undefined : WEIGHTS.find((weight) => isQuick(secondsAt(weight)));
  return {
    seconds: Number.isFinite(now.seconds) ? now.seconds : undefined,
    toward: Number.isFinite(now.seconds) ? now.toward : undefined,
    isInReach,
    helpfulWeight: helpful,
    helpfulSeconds: helpful && secondsAt(helpful),
  };

  function soonest(second: { canary: Counts; primary: Counts }): { seconds: number; toward: 'bad' | 'fine' } {
    const { tolerate } = evidence;
    const { atLeast } = comparison;
    const byRatio = largest((step) => growthOfRatio(second, { place: weighed.widened, step, tolerate }));
    const byRate = atLeast === 0 ? Number.POSITIVE_INFINITY : largest((step) => growthOfRate(second.canary, atLeast, step));
    const fineByRatio = largest((step) => growthOfRatio(second, { place: -weighed.widened, step: -step, tolerate }));
    const fineByRate = atLeast === 0 ? 0 : largest((step) => growthOfRate(second.canary, atLeast, -step));
    const bad = secondsFor(weighed.logHarmBoundary - weighed.logHarm, Math.min(byRatio, byRate));
    const fine = secondsFor(weighed.logFineBoundary - weighed.logFine, Math.max(fineByRatio, fineByRate));
    return bad < fine ? { seconds: bad, toward: 'bad' } : { seconds: fine, toward: 'fine' };
  }

  function secondsFor(missing: number, growth: number): number {
    return growth > 0 ? (Math.max(0, missing) * weighed.dispersion) / growth : Number.POSITIVE_INFINITY;
  }
}

const traffic = (requests: number, rate: number): Counts => ({ requests, failures: requests * rate });

function largest(growthOf: (step: number) => number): number {
  let most = 0;
  for (let step = 1; step <= STEPS; step += 1) most = Math.max(most, growthOf(step));
  return most;
}

/** Rates of both sides. With few failures the canary's rate leans on the primary's, as if it had one more failure at that rate. */
function assumedRates({ canary, primary }: Evidence): { canary: number; primary: number } {
  const ofPrimary = Math.min(1, (primary.failures + 0.5) / (primary.requests + 1));
  return { canary: (canary.failures + 1) / (canary.requests + 1 / ofPrimary), primary: ofPrimary };
}
