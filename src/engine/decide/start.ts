import { isFailingDue } from '../conditions/failing.ts';
import { isHalted, isPaused } from '../conditions/hold-ups.ts';
import { isUnread } from '../conditions/revision.ts';
import {
  canPrimaryTakeAll,
  hasRaisedTarget,
  hasSettled,
  isAllToPrimary,
  isAllToPrimaryNow,
  isGivenLess,
  isShortOfStep,
  isTargetDown,
  isTargetReady,
  mayAdvance,
} from '../conditions/sides.ts';
import { isDue, isDueToAsk, isLate, isRolloutLate, rollsOn } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { isRaised } from '../raise.ts';
import { hasHooks, strategyOf } from '../strategy.ts';
import { isDrained } from './bootstrap.ts';
import { type Decider, type Deciders, hasOutcome } from './decider.ts';
import { isLastFailure } from './failed-checks.ts';
import { interruption, recycling, requested } from './interruptions.ts';

/** Adds to a step of an analysis what all of them decide alike. */
export const running = (own: Deciders, first: Decider = interruption): Deciders => ({
  ...own,
  first: own.first ? (input) => first(input) ?? own.first?.(input) : first,
  request: requested,
  stop: () => 'rollBack',
});

/** A canary that fails while nothing is checked: each interval is a failed check (E27a). */
export const failed: Decider = (input) => {
  if (!isFailingDue(input)) return undefined;
  return isLastFailure(input) ? 'rollBack' : 'countFailing';
};

/** The same for a step that waits, before its own business. */
export const waiting = ({ look, ...own }: Deciders): Deciders => running({ ...own, look: (input) => failed(input) ?? look?.(input) });

/** More pods first, where the next share needs them (E60). */
export function stepOrRaise(input: Input): 'raise' | 'step' {
  return isShortOfStep(input) ? 'raise' : 'step';
}

/** confirm-traffic-increase is asked where weights rise (E81). */
export function isTrafficGated({ event }: Input): boolean {
  const { canary, supports } = event.facts;
  return hasHooks(canary, 'confirm-traffic-increase') && strategyOf(canary, supports) === 'canary';
}

/** The pods that a side was raised to were reached, or lost again. */
export const capacityChange: Decider = (input) => {
  const wasReached = input.context.release.capacity?.reachedMs !== undefined;
  if (wasReached === isRaised(input, input.context.release)) return undefined;
  return wasReached ? 'noteLost' : 'noteReached';
};

/** While pods are raised: a wake before the deadline only sets the next one. */
export const extended: Decider = (input) => (isDue(input) && !isLate(input) ? 'extend' : undefined);

const routed: Decider = (input) => (!isAllToPrimary(input) && canPrimaryTakeAll(input) ? 'routeToPrimary' : undefined);
const fallBackIfDown: Decider = (input) => (isTargetDown(input) ? 'fallBack' : undefined);

/** Every step of an analysis before its first traffic. */
export const starting = {
  recycleRouting: running({ look: (input) => routed(input) ?? (isAllToPrimaryNow(input) ? 'advance' : undefined) }, recycling),
  recycleDraining: running({ look: (input) => (isDrained(input) ? 'advance' : undefined) }, recycling),
  recycleStopping: running(
    {
      look(input) {
        const { target, converged } = input.event.facts;
        if (target?.pods === 0 && converged) return 'advance';
        return isLate(input) ? 'giveUp' : undefined;
      },
    },
    recycling,
  ),
  scalingUp: waiting({
    first: (input) => (isUnread(input) ? 'pin' : undefined),
    look(input) {
      const moved = routed(input);
      if (moved) return moved;
      if (isTargetReady(input) && isAllToPrimaryNow(input)) return 'advance';
      if (isRolloutLate(input, 'target') && !isTargetReady(input)) return 'rollBack';
      return rollsOn(input, 'target') ? 'extend' : undefined;
    },
  }),
  settling: waiting({ first: fallBackIfDown, look: settled }),
  raising: waiting({
    first(input) {
      if (!isTargetDown(input)) return capacityChange(input);
      return isAllToPrimary(input) && input.context.release.iterations === 0 ? 'fallBack' : 'withdrawTraffic';
    },
    look(input) {
      if ((!isHalted(input) && hasRaisedTarget(input)) || isGivenLess(input)) return 'step';
      if (isLate(input) && !hasRaisedTarget(input)) return 'rollBack';
      return extended(input);
    },
  }),
  preRolloutHooks: waiting({
    first: fallBackIfDown,
    look: (input) => (input.context.release.preRolloutPassed === true ? 'askTraffic' : asked(input)),
    answer(input) {
      if (hasOutcome(input, 'refused')) return isLastFailure(input) ? 'rollBack' : 'retry';
      if (hasOutcome(input, 'passed') && isTrafficGated(input)) return 'askTraffic';
      return hasOutcome(input, 'passed') && mayAdvance(input) ? stepOrRaise(input) : 'awaitPods';
    },
  }),
  preRolloutGate: waiting({
    first: fallBackIfDown,
    look: asked,
    answer(input) {
      if (hasOutcome(input, 'refused')) return 'hold';
      return hasOutcome(input, 'passed') && mayAdvance(input) ? stepOrRaise(input) : 'fallBack';
    },
  }),
} satisfies Record<string, Deciders>;

function settled(input: Input) {
  const { preRolloutPassed } = input.context.release;
  if (hasSettled(input) && hasPreRollout(input) && !preRolloutPassed) return 'askHooks';
  // The answer of the gate is of use only where a step may follow.
  if (hasSettled(input) && mayAdvance(input)) return isTrafficGated(input) ? 'askTraffic' : stepOrRaise(input);
  return isDue(input) && !isPaused(input) && !isTargetReady(input) ? 'fallBack' : undefined;
}

function asked(input: Input) {
  if (!isDueToAsk(input)) return undefined;
  return isTargetReady(input) ? 'askAgain' : 'fallBack';
}

export function hasPreRollout({ event }: Input): boolean {
  return hasHooks(event.facts.canary, 'pre-rollout');
}
