import type { Analysis } from '../api/canary.ts';
import { nextWeight } from './next-weight.ts';

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
