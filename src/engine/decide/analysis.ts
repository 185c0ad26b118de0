import { comparedIn, judgementOf } from '../changes/answer.ts';
import { awaitedEvidence, harmOf } from '../comparison/harm.ts';
import { hasFailed } from '../conditions/failing.ts';
import { isConverged, isHeldUp, isPaused, isWritten } from '../conditions/hold-ups.ts';
import { isGivenLess, isPrimaryReady, isShortOfItsOwn, isTargetDown, isTargetReady, mayAdvance } from '../conditions/sides.ts';
import { hasDrained, isDue, isDueToAsk, isLate, isOver } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import type { Decision } from '../decision.ts';
import { asksRollbackFirst } from '../rollback-poll.ts';
import { hasHooks, type Move, nextMove } from '../strategy.ts';
import { type Decider, type Deciders, hasOutcome } from './decider.ts';
import { isLastFailure, isOverItsLimit, isUnmeasuredTooLong } from './failed-checks.ts';
import { skipsAnalysis } from './interruptions.ts';
import { extended, failed, isTrafficGated, running, stepOrRaise, waiting } from './start.ts';

/** The canary lost its pods, or needs no analysis any more. */
const unfit: Decider = (input) => {
  if (isTargetDown(input)) return 'withdrawTraffic';
  return skipsAnalysis(input) && !isTargetReady(input) ? 'fallBack' : undefined;
};

/** One interval of soaking, then hooks and metrics, then the next step. */
export const analysis = {
  soaking: running({
    first: unfit,
    look(input) {
      if (!isTargetReady(input) && isOver(input, input.context.release.awaitedSinceMs)) return 'rollBack';
      if (!canCheck(input)) return failed(input);
      // A check that is due counts it.
      if (!isDueToAsk(input) && !hasRoutesBack(input)) return isDue(input) ? undefined : failed(input);
      return hasHooks(input.event.facts.canary, 'rollout') ? 'askHooks' : 'measure';
    },
  }),
  callingHooks: running({
    first: unfit,
    answer(input) {
      if (hasOutcome(input, 'refused')) return isLastFailure(input) ? 'rollBack' : 'retry';
      return hasOutcome(input, 'passed') ? 'measure' : undefined;
    },
  }),
  measuring: running({ first: unfit, answer: measured }),
  confirmingTraffic: running({
    first: unfit,
    answer(input) {
      if (hasOutcome(input, 'refused')) return 'hold';
      if (!hasOutcome(input, 'passed') || !mayAdvance(input)) return 'checkAgain';
      const move = moveAfter(input);
      return isGateForPromotion(input, move) ? 'askPromotion' : advanced(input, move);
    },
  }),
  confirmingPromotion: running({
    first: unfit,
    answer(input) {
      if (hasOutcome(input, 'refused')) return 'hold';
      return hasOutcome(input, 'passed') && mayAdvance(input) ? advanced(input, moveAfter(input)) : 'checkAgain';
    },
  }),
  canaryUnavailable: waiting({
    look(input) {
      if (isShortToRecover(input)) return 'raise';
      return (hasRecovered(input) ? 'advance' : undefined) ?? late(input);
    },
  }),
  canaryRecovered: waiting({
    first: (input) => (isTargetDown(input) ? 'fallBack' : undefined),
    look(input) {
      if (isShortToRecover(input)) return 'raise';
      return (hasDrained(input) && hasRecovered(input) ? 'advance' : undefined) ?? late(input);
    },
  }),
} satisfies Record<string, Deciders>;

/** A check that passed under contested routes is asked again as soon as they are corrected: the other writer may be back before the next one. */
function hasRoutesBack(input: Input): boolean {
  return input.context.contest === 'held' && isConverged(input) && !isPaused(input) && !asksRollbackFirst(input);
}

function measured(input: Input): Decision | undefined {
  if (input.event.type === 'ANSWER' && harmOf(comparedIn(input), input.event.facts.canary) !== undefined) return 'rollBack';
  const outcome = judgementOf(input)?.outcome;
  if (outcome === 'hold' && isUnmeasuredTooLong(input)) return 'rollBack';
  // An interval counts once, whatever failed in it.
  switch (outcome !== undefined && hasFailed(input) ? 'failed' : outcome) {
    case undefined:
      return undefined;
    case 'failed':
      return isLastFailure(input) || isOverItsLimit(input) ? 'rollBack' : 'retry';
    case 'hold':
      return 'hold';
    case 'passed':
      return passed(input);
  }
}

/** Hooks are called under a spec that is refused, metrics are not measured (E65). */
function canCheck(input: Input): boolean {
  const { canary, refused } = input.event.facts;
  return isWritten(input) && (hasHooks(canary, 'rollout') || refused?.uncheckedUntilMs === undefined);
}

function passed(input: Input): Decision {
  if (!isPrimaryReady(input)) return 'awaitPrimary';
  if (!isTargetReady(input)) return 'awaitCanary';
  if (isHeldUp(input)) return 'holdUp';
  if (awaitedEvidence(comparedIn(input), input.event.facts.canary, input.event.facts.nowMs) !== undefined) return 'awaitEvidence';
  // Also before the promotion, which ends the wait for more traffic; a release that waits for its promotion was let through (E81).
  if (isTrafficGated(input) && input.context.recorded?.phase === 'Progressing') return 'askTraffic';
  const move = moveAfter(input);
  return isGateForPromotion(input, move) ? 'askPromotion' : advanced(input, move);
}

function moveAfter({ context, event }: Input): Move {
  return nextMove(context.release, event.facts.canary, event.facts);
}

function isGateForPromotion({ event }: Input, { gated }: Move): boolean {
  return gated && hasHooks(event.facts.canary, 'confirm-promotion');
}

function advanced(input: Input, { kind }: Move): Decision {
  return kind === 'promote' ? 'promote' : stepOrRaise(input);
}

function late(input: Input): Decision | undefined {
  return isLate(input) ? 'rollBack' : extended(input);
}

function hasRecovered(input: Input): boolean {
  return isTargetReady(input) && ((isConverged(input) && !isShortOfItsOwn(input)) || isGivenLess(input));
}

function isShortToRecover(input: Input): boolean {
  return isTargetReady(input) && input.context.release.capacity?.side !== 'target' && isShortOfItsOwn(input);
}
