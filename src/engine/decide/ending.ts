import { isConverged } from '../conditions/hold-ups.ts';
import { hasReadConfigs, hasStalePods, isNewAndFree } from '../conditions/revision.ts';
import { canPrimaryTakeAll, isAllToPrimary, isAllToPrimaryNow, isPrimaryReady, isTargetDown } from '../conditions/sides.ts';
import { hasDrained, hasRaisedLongEnough, isDue } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { bearableWeight, isRaised } from '../raise.ts';
import { isDrained } from './bootstrap.ts';
import { type Decider, type Deciders, hasOutcome } from './decider.ts';
import { awaitedPrimary, failedPromotion, lostCanary } from './promotion.ts';

const returned: Decider = (input) => {
  if (mayReturn(input)) return 'routeToPrimary';
  if (bearableWeight(input) !== undefined) return 'routeSome';
  return isAllToPrimaryNow(input) ? 'advance' : undefined;
};

const drained: Decider = (input) => (isDrained(input) ? 'advance' : undefined);

/** The next revision needs the pods that would go, so it does not wait for them to be scaled down first (E50a). */
const overtaken =
  (isStale: (input: Input) => boolean): Decider =>
  (input) => {
    if (!isNewAndFree(input)) return drained(input);
    return isStale(input) ? 'startAfterRecycling' : 'start';
  };

/** Traffic to the primary, then the pods that lost it: proxies learn of routes late. */
export const ending = {
  returning: { look: returned },
  // A wake of before a blocker is due, and the step's own time has begun again.
  returningPromoted: {
    first: failedPromotion,
    look: (input) => returned(input) ?? (hasRaisedLongEnough(input) ? awaitedPrimary(input) : undefined),
  },
  drainingPromoted: {
    first: failedPromotion,
    look: (input) => drained(input) ?? (hasDrained(input) ? awaitedPrimary(input) : undefined),
  },
  // Cancelled, so what is recorded is the promoted revision, and not what the pods may have read.
  drainingCancelled: { look: overtaken(hasReadConfigs) },
  drainingFailed: { look: overtaken(hasStalePods) },
  servingFromCanary: {
    first: lostCanary,
    look: (input) => (isConverged(input) || hasRaisedLongEnough(input) ? 'advance' : undefined),
  },
  restoringPrimary: {
    first: lostCanary,
    look(input) {
      if (isRestored(input)) return 'advance';
      return isDue(input) ? 'askAgain' : undefined;
    },
    answer(input) {
      if (hasOutcome(input, 'written')) return 'close';
      return hasOutcome(input, 'refused') ? 'hold' : undefined;
    },
  },
} satisfies Record<string, Deciders>;

function mayReturn(input: Input): boolean {
  if (isAllToPrimary(input)) return false;
  if (isPrimaryReady(input) && isRaised(input, input.context.release)) return true;
  return canPrimaryTakeAll(input) && (hasRaisedLongEnough(input) || isTargetDown(input));
}

function isRestored(input: Input): boolean {
  const { promotedRevision } = input.context.release;
  return isPrimaryReady(input) && (promotedRevision === undefined || input.event.facts.primary?.carries === promotedRevision);
}
