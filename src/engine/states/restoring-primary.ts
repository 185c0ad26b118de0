import { isConverged } from '../conditions/hold-ups.ts';
import { isPrimaryReady } from '../conditions/sides.ts';
import { hasRaisedLongEnough, isDue } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import type { Standing } from '../wait.ts';
import { notReady } from './awaited-side.ts';
import { go, on, stay } from './moves.ts';
import { lostCanary } from './shared-deciders.ts';
import { saying, since } from './standing.ts';
import { hasOutcome, neverDue, type State, state } from './state.ts';
import { ended, lacks } from './words.ts';

/** A promotion has failed: the canary serves until the primary is restored (E44). The sentence keeps the cause (E110). */
const restored = {
  awaits: ['restoredPrimary'],
  waits(standing, dueMs) {
    const { canary, facts } = standing;
    return saying(
      `${ended(standing)}. Restoring the last promoted template of the primary ${since(standing)}${refused(standing)}${lacks(facts.primary, 'primary')}. The canary serves until the primary is ready; an edit of ${canary.spec.targetRef.name} waits for that.`,
      notReady(standing, 'primary', dueMs),
    );
  },
  dueMs: neverDue,
} satisfies Partial<State>;

/** First, traffic goes to the side that can serve. */
export const servingFromCanary = state({
  ...restored,
  enter: ['wakeAfterRaise'],
  decide: { first: lostCanary, facts: (input) => (isConverged(input) || hasRaisedLongEnough(input) ? 'advance' : undefined) },
  moves: { routeToPrimary: stay('routeToPrimary'), advance: go('Failed.restoringPrimary') },
});

/** Second, the last promoted template is written. */
export const restoringPrimary = state({
  ...restored,
  enter: ['askRestore'],
  decide: {
    first: lostCanary,
    facts(input) {
      if (isRestored(input)) return 'advance';
      return isDue(input) ? 'repeat' : undefined;
    },
    answer(input) {
      if (hasOutcome(input, 'written')) return 'close';
      return hasOutcome(input, 'refused') ? 'hold' : undefined;
    },
  },
  moves: {
    routeToPrimary: stay('routeToPrimary'),
    advance: go('Failed.returningTraffic', 'returnTraffic'),
    repeat: on('Failed.restoringPrimary', 'forgetWake'),
    close: stay('closeQuestion'),
    hold: stay('poll'),
  },
});

function isRestored(input: Input): boolean {
  const { promotedRevision } = input.context.release;
  return isPrimaryReady(input) && (promotedRevision === undefined || input.event.facts.primary?.carries === promotedRevision);
}

/** Reason for which the restore was refused, if the cause of the failure is recorded separately. */
function refused({ release: { ending, reason } }: Standing): string {
  return ending === undefined || reason === undefined || reason === ending.detail ? '' : `, which is refused (${reason})`;
}
