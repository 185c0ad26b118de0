import type { Comparison } from './comparison.ts';
import { dispersionOf } from './dispersion.ts';
import type { Evidence } from './evidence.ts';
import { STEPS_PER_DOUBLING } from './mixture.ts';
import { wideningOf } from './pod-spread.ts';
import { logAgainstRateAtLeast, logAgainstRateAtMost, rateBounds } from './rate-evidence.ts';
import { FURTHEST, logAgainstAtLeast, logAgainstAtMost, ratioBounds } from './ratio-evidence.ts';
import { type TimeToDecide, timeToDecide } from './time-to-decide.ts';

export type ComparisonVerdict = 'bad' | 'fine' | 'undecided';

/** Evidence for and against a canary. An e-value of 100 is as convincing as odds of 100 to 1; logarithms are natural. */
export interface Weighed {
  verdict: ComparisonVerdict;
  /** Log of the e-value against "not bad": not above the tolerated ratio, or not above `atLeast`. */
  logHarm: number;
  /** Log of the e-value against "bad". */
  logFine: number;
  /** Boundary that `logHarm` must reach. */
  logHarmBoundary: number;
  /** Boundary that `logFine` must reach. */
  logFineBoundary: number;
  /** Excess of the scatter of failures over that of independent requests, 1 or more. */
  dispersion: number;
  /** Steps of the grid by which the tolerated ratio is widened for pods that differ. */
  widened: number;
}

/** A rate with its confidence sequence. */
export interface Interval {
  estimate: number;
  low: number;
  high: number;
}

/** Verdict of the evidence so far, with the numbers that a user wants to see. */
export interface ComparisonJudgement extends Weighed {
  canary: Interval;
  primary: Interval;
  /** Canary's rate divided by the primary's. A bound is undefined while nothing is excluded, the estimate while the primary has no failures. */
  ratio: { estimate: number | undefined; low: number | undefined; high: number | undefined };
  /** The primary is surely above `primaryFailing`: the fault is in the version that already serves, not in the canary. */
  isPrimaryFailing: boolean;
  /** Time from now to a decision; undefined once it is made. */
  toDecide: TimeToDecide | undefined;
}

/** A burst in one window is recognized only next to its neighbours. */
const FEWEST_WINDOWS = 3;

/**
 * Weighs the evidence; valid at every moment, so that a caller can weigh after each window and stop at the first verdict.
 * A canary is not bad when either of two hypotheses holds, so that both must be refuted: the smaller of the two e-values counts. It is bad when both of two
 * hypotheses hold, so that refuting one is enough: the mean of the two e-values counts. `falseAlarm` is divided by the number of metrics, since each can roll
 * back. For "fine" it is not: a release is promoted when all metrics are fine, and the only bad metric would have to fail. By Ville's inequality an e-process
 * passes 1/α with a chance of at most α, at any time of looking (Grünwald, de Heide and Koolen, "Safe Testing", 2024; Johari et al., "Always Valid Inference",
 * 2022).
 */
export function weigh(evidence: Evidence, { atLeast, falseAlarm, metrics }: Comparison): Weighed {
  const dispersion = dispersionOf(evidence.scatter.canary, evidence.scatter.primary);
  const widened = Math.min(FURTHEST, Math.ceil(Math.log2(wideningOf(evidence.pods)) * STEPS_PER_DOUBLING));
  const sides = evidence.pods === undefined ? 1 : 2;
  const byRatio = logAgainstAtMost(evidence.support, widened, dispersion);
  const byRate = atLeast === 0 ? Number.POSITIVE_INFINITY : logAgainstRateAtMost(evidence.canary, atLeast, dispersion);
  const fineByRatio = logAgainstAtLeast(evidence.support, -widened, dispersion);
  const fineByRate = atLeast === 0 ? Number.NEGATIVE_INFINITY : logAgainstRateAtLeast(evidence.canary, atLeast, dispersion);
  const logHarm = Math.min(byRatio, byRate);
  const logFine = logMean(fineByRatio, fineByRate);
  const logHarmBoundary = Math.log((sides * metrics) / falseAlarm);
  const logFineBoundary = Math.log(sides / falseAlarm);
  const isEarly = evidence.windows < FEWEST_WINDOWS;
  const verdict = isEarly ? 'undecided' : logHarm >= logHarmBoundary ? 'bad' : logFine >= logFineBoundary ? 'fine' : 'undecided';
  return { verdict, logHarm, logFine, logHarmBoundary, logFineBoundary, dispersion, widened };
}

/** The same, with intervals, the state of the primary and the time to a decision. */
export function judgeComparison(evidence: Evidence, comparison: Comparison): ComparisonJudgement {
  const weighed = weigh(evidence, comparison);
  const { canary, primary, tolerate, support } = evidence;
  const { dispersion, logHarmBoundary } = weighed;
  // A confidence sequence has two ends, and each gets half of the chance.
  const logBoundary = logHarmBoundary + Math.LN2;
  const ofPrimary = { ...rateBounds(primary, dispersion, logBoundary), estimate: rateOf(primary) };
  const estimate = primary.failures > 0 && canary.requests > 0 ? rateOf(canary) / rateOf(primary) : undefined;
  return {
    ...weighed,
    canary: { ...rateBounds(canary, dispersion, logBoundary), estimate: rateOf(canary) },
    primary: ofPrimary,
    ratio: { estimate, ...ratioBounds(support, { tolerate, dispersion, logBoundary }) },
    isPrimaryFailing: ofPrimary.low > comparison.primaryFailing,
    toDecide: weighed.verdict === 'undecided' ? timeToDecide(evidence, comparison, weighed) : undefined,
  };
}

const rateOf = ({ requests, failures }: Evidence['canary']): number => (requests === 0 ? 0 : failures / requests);

/** Log of the mean of two values that are given by their logs. */
function logMean(one: number, other: number): number {
  const larger = Math.max(one, other);
  if (larger === Number.NEGATIVE_INFINITY) return larger;
  return larger + Math.log((Math.exp(one - larger) + Math.exp(other - larger)) / 2);
}

/** Progress of evidence toward its boundary, 0–1: the logarithm of its e-value divided by that of the boundary, which adds up from window to window. */
export function evidenceShares({
  logHarm,
  logHarmBoundary,
  logFine,
  logFineBoundary,
}: Pick<Weighed, 'logHarm' | 'logHarmBoundary' | 'logFine' | 'logFineBoundary'>): { against: number; inFavour: number } {
  return { against: shareOf(logHarm, logHarmBoundary), inFavour: shareOf(logFine, logFineBoundary) };
}

const shareOf = (log: number, boundary: number): number => Math.min(1, Math.max(0, log / boundary));
