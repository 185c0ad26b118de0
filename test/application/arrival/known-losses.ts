import type { KindOfLoss } from './kinds-of-loss.ts';

/** Kinds that Serin still loses, with the finding of issue 42 that each belongs to. Delete an entry once its trap no longer shows a loss. */
export const knownLosses: Partial<Record<KindOfLoss, { finding: number }>> = {};
