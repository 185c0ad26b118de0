import { isConverged } from '../conditions/hold-ups.ts';
import { hasReadConfigs } from '../conditions/revision.ts';
import {
  hasSettledCapacity,
  isAllToPrimary,
  isCanaryLost,
  isPrimaryReady,
  isPrimaryShort,
  isPromotionComplete,
  isUnproved,
} from '../conditions/sides.ts';
import { isDue, isLate, isRolloutLate, rollsOn } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { nextPromotionWeight } from '../next-weight.ts';
import { weightOf } from '../strategy.ts';
import { type Decider, type Deciders, hasOutcome } from './decider.ts';
import { capacityChange, hasPreRollout } from './start.ts';

export const lostCanary: Decider = (input) => (isCanaryLost(input) ? 'routeToPrimary' : undefined);

export const failedPromotion: Decider = (input) => {
  if (isPrimaryReady(input)) return undefined;
  const isStalled = input.event.facts.primary?.readiness.state === 'stalled';
  return isStalled || isRolloutLate(input, 'primary') ? 'failPromotion' : undefined;
};

export const awaitedPrimary: Decider = (input) => (rollsOn(input, 'primary') ? 'extend' : undefined);

const first: Decider = (input) => lostCanary(input) ?? failedPromotion(input);

/** From the first write of the primary until it has all traffic (E40–E44). */
export const promotion = {
  writingPrimary: {
    first: lostCanary,
    // That it carries the pin is not enough: the answer says whether anything was left in it.
    look(input) {
      if (!isDue(input)) return undefined;
      if (!isUnproved(input)) return 'askAgain';
      return isAllToPrimary(input) && isBeforeAnalysis(input) ? 'fallBack' : 'checkAgain';
    },
    answer(input) {
      if (hasOutcome(input, 'written')) return 'advance';
      if (hasOutcome(input, 'mismatch')) return hasReadConfigs(input) ? 'supersedeAfterRecycling' : 'supersede';
      return hasOutcome(input, 'refused') ? 'hold' : undefined;
    },
  },
  awaitingPrimary: {
    first,
    look(input) {
      if (!isPromotionComplete(input)) return awaitedPrimary(input);
      return isPrimaryShort(input) ? 'raise' : shifted(input);
    },
  },
  raising: {
    first: (input) => first(input) ?? capacityChange(input),
    look(input) {
      const isRaised = isPromotionComplete(input) && (hasSettledCapacity(input) || isLate(input));
      return isRaised ? shifted(input) : awaitedPrimary(input);
    },
  },
  shifting: {
    first,
    look(input) {
      if (!isPrimaryReady(input) || !isConverged(input)) return undefined;
      if (isLastShift(input)) return isDue(input) || isAllToPrimary(input) ? 'finish' : undefined;
      return isDue(input) ? 'shift' : undefined;
    },
  },
} satisfies Record<string, Deciders>;

function shifted(input: Input): 'finish' | 'shift' {
  return isLastShift(input) ? 'finish' : 'shift';
}

function isLastShift({ context, event }: Input): boolean {
  return nextPromotionWeight(event.facts.canary.spec.analysis, weightOf(context.release.routes)) === 0;
}

/** The steps before the first traffic are still to come (I2, I10). */
function isBeforeAnalysis(input: Input): boolean {
  const { measuredFromMs, preRolloutPassed } = input.context.release;
  return measuredFromMs === undefined || (hasPreRollout(input) && !preRolloutPassed);
}
