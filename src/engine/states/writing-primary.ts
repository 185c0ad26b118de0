import { hasPreRollout } from '../conditions/gates.ts';
import { hasReadConfigs } from '../conditions/revision.ts';
import { isAllToPrimary, isUnproved } from '../conditions/sides.ts';
import { isDue } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { blockedPrimary } from './awaited-side.ts';
import { analyse, anew, go, on, shared, stay, superseding } from './moves.ts';
import { lostCanary } from './shared-deciders.ts';
import { saying, since, why } from './standing.ts';
import { hasOutcome, neverDue, stateWithin } from './state.ts';

/** The pinned revision is written into the primary (E40, E41). A write that another one comes before is made again (E103). */
export const writingPrimary = stateWithin(shared.Promoting)({
  enter: ['askPromote'],
  decide: {
    first: lostCanary,
    // A primary with the pin is not enough: only the answer shows that nothing else was left in it.
    facts(input) {
      if (!isDue(input)) return undefined;
      if (!isUnproved(input)) return 'repeat';
      return isAllToPrimary(input) && isBeforeAnalysis(input) ? 'fallBack' : 'checkAgain';
    },
    answer(input) {
      if (hasOutcome(input, 'written')) return 'advance';
      if (hasOutcome(input, 'mismatch')) return hasReadConfigs(input) ? 'supersedeAfterRecycling' : 'supersede';
      return hasOutcome(input, 'refused') ? 'hold' : undefined;
    },
  },
  moves: {
    routeToPrimary: stay('routeToPrimary'),
    fallBack: anew(),
    checkAgain: analyse('Progressing', 'noteReadiness'),
    repeat: on('Promoting.writingPrimary', 'forgetWake'),
    advance: go('Promoting.awaitingPrimary'),
    supersedeAfterRecycling: superseding.supersedeAfterRecycling,
    supersede: superseding.supersede,
    hold: stay('poll'),
  },
  awaits: ['acceptedPrimary', 'itself'],
  waits(standing) {
    const { canary, release, facts } = standing;
    const text = `The analysis passed. Writing the primary ${since(standing)}${why(standing)}.`;
    if (facts.target === undefined || release.reason === undefined) return saying(text);
    return saying(text, { code: 'PrimaryRejected', object: blockedPrimary(canary), detail: release.reason }, release.refusal);
  },
  dueMs: neverDue,
});

/** The steps before the first traffic are still to come (E8, I2, I10). */
function isBeforeAnalysis(input: Input): boolean {
  const { measuredFromMs, preRolloutPassed } = input.context.release;
  return measuredFromMs === undefined || (hasPreRollout(input) && !preRolloutPassed);
}
