import { mayLeaveCanary } from '../conditions/hold-ups.ts';
import { hasSettledCapacity, isAllToPrimary, isPrimaryReady, isPrimaryShort, isPromotionComplete } from '../conditions/sides.ts';
import { isDue, isLate } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { nextPromotionWeight } from '../next-weight.ts';
import { isSideReady } from '../sides.ts';
import { weightOf } from '../strategy.ts';
import { noRoom, notReady } from './awaited-side.ts';
import { go, shared, stay } from './moves.ts';
import { awaitedPrimary, capacityChange, unpromoted } from './shared-deciders.ts';
import { comesBy, deadline, deadlineMs, rolloutMs, saying, since } from './standing.ts';
import { neverDue, stateWithin } from './state.ts';
import { lacks, raised } from './words.ts';

const routeToPrimary = stay('routeToPrimary');
const extend = stay('wakeForPrimary');

/** The primary is ready with the promoted revision (E42), or is not by its deadline (E44), which starts over while its rollout progresses (E100). */
export const awaitingPrimary = stateWithin(shared.Promoting)({
  enter: ['wakeAtDeadline'],
  decide: {
    first: unpromoted,
    facts(input) {
      if (!isPromotionComplete(input)) return awaitedPrimary(input);
      return isPrimaryShort(input) ? 'raise' : shifted(input);
    },
  },
  moves: { routeToPrimary, raise: go('Promoting.raising', 'raisePromoted'), extend },
  awaits: ['primary'],
  waits: (standing, dueMs) =>
    saying(
      `Waiting ${since(standing)} for the primary to be ready with the promoted revision${lacks(standing.facts.primary, 'primary')}. Its last template is restored at ${comesBy(standing, standing.facts.primary)} if it is not.`,
      notReady(standing, 'primary', dueMs),
    ),
  dueMs: (standing) => (isSideReady(standing.facts.primary) ? undefined : rolloutMs(standing, standing.facts.primary)),
});

/** The primary gets the pods for all traffic (E61). */
export const raisingPrimary = stateWithin(shared.Promoting)({
  enter: ['wakeAtDeadline'],
  decide: {
    first: (input) => unpromoted(input) ?? capacityChange(input),
    facts(input) {
      const isEnough = isPromotionComplete(input) && (hasSettledCapacity(input) || isLate(input));
      return isEnough ? shifted(input) : awaitedPrimary(input);
    },
  },
  moves: { routeToPrimary, noteLost: stay('noteLost'), noteReached: stay('noteReached'), extend },
  awaits: ['roomForPrimary'],
  waits: (standing, dueMs) =>
    saying(
      `Waiting ${since(standing)} for the primary to have the pods for all traffic${raised(standing.facts.primary, standing)}. At ${deadline(standing)} it gets all traffic with the pods that are ready; add capacity to the cluster before that.`,
      noRoom(standing, 'primary', dueMs),
    ),
  dueMs: deadlineMs,
});

/** The primary gets the traffic, by `stepWeightPromotion` in steps (E43). */
export const shifting = stateWithin(shared.Promoting)({
  enter: ['wakeNextShift'],
  decide: {
    first: unpromoted,
    facts(input) {
      if (!isPrimaryReady(input) || !mayLeaveCanary(input)) return undefined;
      if (isLastShift(input)) return isDue(input) || isAllToPrimary(input) ? 'finish' : undefined;
      return isDue(input) ? 'shift' : undefined;
    },
  },
  moves: { routeToPrimary },
  awaits: ['itself'],
  waits: (standing) => saying(`Routing traffic to the promoted primary ${since(standing)}.`),
  dueMs: neverDue,
});

function shifted(input: Input): 'finish' | 'shift' {
  return isLastShift(input) ? 'finish' : 'shift';
}

function isLastShift({ context, event }: Input): boolean {
  return nextPromotionWeight(event.facts.canary.spec.analysis, weightOf(context.release.routes)) === 0;
}
