import type { CanaryRow } from '../wire.ts';
import { words } from './words.ts';

/** Iterations of Blue/Green in place of a weight, which stays at 0 until the end; undefined otherwise. */
export function iterationText({ steps, traffic }: Pick<CanaryRow, 'steps' | 'traffic'>): string | undefined {
  const isIterating = steps?.unit === 'iteration' && traffic.kind === 'weighted' && traffic.canary === 0;
  return isIterating ? words.iteration(steps.at, steps.of) : undefined;
}
