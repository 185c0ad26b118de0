import { canPrimaryTakeAll, isAllToPrimary, isCanaryLost, isPrimaryReady, isShortOfStep, isTargetDown } from '../conditions/sides.ts';
import { isDue, isLate, isRolloutLate, rollsOn } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { isRaised } from '../raise.ts';
import type { Decider } from './state.ts';

/** More pods first, where the next share needs them (E60). */
export function stepOrRaise(input: Input): 'raise' | 'step' {
  return isShortOfStep(input) ? 'raise' : 'step';
}

/** The pods that a side was raised to were reached, or lost again. */
export const capacityChange: Decider<'noteLost' | 'noteReached'> = (input) => {
  const wasReached = input.context.release.capacity?.reachedMs !== undefined;
  if (wasReached === isRaised(input, input.context.release)) return undefined;
  return wasReached ? 'noteLost' : 'noteReached';
};

/** While pods are raised: a wake before the deadline only sets the next one. */
export const extended: Decider<'extend'> = (input) => (isDue(input) && !isLate(input) ? 'extend' : undefined);

/** Traffic that is still at the canary, before its first step. */
export const routed: Decider<'routeToPrimary'> = (input) =>
  !isAllToPrimary(input) && canPrimaryTakeAll(input) ? 'routeToPrimary' : undefined;
export const fallBackIfDown: Decider<'fallBack'> = (input) => (isTargetDown(input) ? 'fallBack' : undefined);

export const lostCanary: Decider<'routeToPrimary'> = (input) => (isCanaryLost(input) ? 'routeToPrimary' : undefined);

export const failedPromotion: Decider<'failPromotion'> = (input) => {
  if (isPrimaryReady(input)) return undefined;
  const isStalled = input.event.facts.primary?.readiness.state === 'stalled';
  return isStalled || isRolloutLate(input, 'primary') ? 'failPromotion' : undefined;
};

export const awaitedPrimary: Decider<'extend'> = (input) => (rollsOn(input, 'primary') ? 'extend' : undefined);

/** Before each step of a promotion. */
export const unpromoted: Decider<'routeToPrimary' | 'failPromotion'> = (input) => lostCanary(input) ?? failedPromotion(input);
