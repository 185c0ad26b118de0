import * as z from 'zod';

/** Flagger's phases; `''` is a Canary that no controller has reconciled yet. */
export const Phase = z.enum([
  '',
  'Initializing',
  'Initialized',
  'Waiting',
  'Progressing',
  'WaitingPromotion',
  'Promoting',
  'Finalising',
  'Succeeded',
  'Failed',
  'Terminating',
  'Terminated',
]);
export type Phase = z.infer<typeof Phase>;

/** A release is under way: a revision was started and has no verdict yet. */
export function isReleasing(phase: Phase): boolean {
  return phase === 'Progressing' || phase === 'WaitingPromotion' || phase === 'Promoting' || phase === 'Finalising';
}
