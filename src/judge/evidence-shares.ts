import type { Weighed } from './judge-comparison.ts';

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
