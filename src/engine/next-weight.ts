import type { Analysis } from '../api/canary.ts';

/** The weight from which promotion starts, in percent; never above 100, so that it is always reached (rule E11). */
export function maxWeight(analysis: Analysis): number {
  const steps = plannedWeights(analysis);
  if (steps) return steps.at(-1) ?? 100;
  return analysis.maxWeight !== undefined && analysis.maxWeight > 0 ? Math.min(100, analysis.maxWeight) : 100;
}

/**
 * The weight to try next, in percent; undefined when the plan is complete (rules E10–E12). The last step of `stepWeight` may pass
 * `maxWeight`: with 15 and 50 it is 60. With `stepWeights` it is the next greater element, so that a list edited during a run goes
 * on from the weight it finds. A plan without any usable step is one step to the maximum, never a release without an analysis.
 */
export function nextWeight(analysis: Analysis, current: number): number | undefined {
  const max = maxWeight(analysis);
  if (current >= max) return undefined;
  const steps = plannedWeights(analysis);
  if (steps) return steps.find((one) => one > current) ?? undefined;
  if (analysis.stepWeight !== undefined && analysis.stepWeight > 0) return Math.min(100, current + analysis.stepWeight);
  return max;
}

/** The weight left to the canary after one shift to the primary (rule E43); without `stepWeightPromotion` all at once. */
export function nextPromotionWeight(analysis: Analysis, current: number): number {
  const step = analysis.stepWeightPromotion ?? 0;
  return step > 0 ? Math.max(0, current - step) : 0;
}

/** `stepWeights` in rising order within 1–100; undefined when `stepWeight` rules or no element is usable. */
function plannedWeights(analysis: Analysis): readonly number[] | undefined {
  if (analysis.stepWeight !== undefined && analysis.stepWeight > 0) return undefined;
  const usable = (analysis.stepWeights ?? []).filter((one) => one > 0).map((one) => Math.min(100, one));
  if (usable.length === 0) return undefined;
  return [...new Set(usable)].toSorted((a, b) => a - b);
}

/** Reached steps of weight or iterations, of the planned number. */
export function plannedStep(
  analysis: Analysis,
  { weight, iterations }: { weight: number; iterations: number },
): { at: number; of: number } {
  const planned = analysis.iterations ?? 0;
  if (planned > 0) return { at: Math.min(iterations, planned), of: planned };
  const weights: number[] = [];
  for (let next = nextWeight(analysis, 0); next !== undefined; next = nextWeight(analysis, next)) weights.push(next);
  return { at: weights.filter((one) => one <= weight).length, of: weights.length };
}
