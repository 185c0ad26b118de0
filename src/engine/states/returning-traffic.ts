import { sendsAllToPrimary } from '../../api/routes.ts';
import { timestamp } from '../../base/timestamp.ts';
import { canPrimaryTakeAll, isAllToPrimary, isAllToPrimaryNow, isPrimaryReady, isTargetDown } from '../conditions/sides.ts';
import { hasRaisedLongEnough } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { longestRaiseMs } from '../deadlines.ts';
import { bearableWeight, isRaised } from '../raise.ts';
import { go, shared, stay } from './moves.ts';
import { awaitedPrimary, failedPromotion } from './shared-deciders.ts';
import { saying, since } from './standing.ts';
import { type Decider, neverDue, type State, state, stateWithin } from './state.ts';
import { ended, raised } from './words.ts';

const returned: Decider<'routeToPrimary' | 'routeSome' | 'advance'> = (input) => {
  if (mayReturn(input)) return 'routeToPrimary';
  if (bearableWeight(input) !== undefined) return 'routeSome';
  return isAllToPrimaryNow(input) ? 'advance' : undefined;
};

/** All traffic goes to the primary, before that as much as its pods can bear (E31). */
const returning = {
  enter: ['wakeAfterRaise'],
  awaits: ['itself'],
  waits(standing) {
    const { phase, release, facts } = standing;
    if (phase !== 'Failed') return saying(`Waiting ${since(standing)} for the routes to send all traffic to the primary.`);
    // Blue/Green that failed before its switch, or a rollback that was written and is not confirmed yet.
    if (sendsAllToPrimary(release.routes))
      return saying(`${ended(standing)}. The primary has all traffic; waiting for the routes to show it.`);
    const allMs = release.stepStartedMs + longestRaiseMs(facts.intervalMs);
    return saying(
      `${ended(standing)}. Traffic returns to the primary as its pods become ready${raised(facts.primary, standing)}, and all of it at ${timestamp(allMs)} if the primary serves.`,
    );
  },
  dueMs: neverDue,
} satisfies Pick<State, 'enter' | 'awaits' | 'waits' | 'dueMs'>;
const moves = { routeToPrimary: stay('routeToPrimary'), routeSome: stay('routeSome') };

/** After a promotion, whose primary can still fail (E44) or roll out (E100). */
export const returningPromoted = stateWithin(shared.Finalising)({
  ...returning,
  decide: {
    first: failedPromotion,
    // A wake from before a blocker is due, although the step's own time has started over.
    facts: (input) => returned(input) ?? (hasRaisedLongEnough(input) ? awaitedPrimary(input) : undefined),
  },
  moves: { extend: stay('wakeForPrimary'), ...moves, advance: go('Finalising.draining') },
});

/** After a release that was cancelled or has failed. */
export const returningFrom = (phase: 'Succeeded' | 'Failed'): State =>
  state({ ...returning, decide: { facts: returned }, moves: { ...moves, advance: go(`${phase}.draining`) } });

function mayReturn(input: Input): boolean {
  if (isAllToPrimary(input)) return false;
  if (isPrimaryReady(input) && isRaised(input, input.context.release)) return true;
  return canPrimaryTakeAll(input) && (hasRaisedLongEnough(input) || isTargetDown(input));
}
