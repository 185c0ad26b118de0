import { isConverged } from '../conditions/hold-ups.ts';
import { canPrimaryTakeAll } from '../conditions/sides.ts';
import { createPrimary, go } from './moves.ts';
import { saying, since } from './standing.ts';
import { neverDue, state } from './state.ts';

/** The first primary takes all traffic from the target (E4), which nothing has touched before (D2). */
export const takingTraffic = state({
  enter: [],
  decide: {
    facts(input) {
      if (!canPrimaryTakeAll(input)) return 'fallBack';
      return isConverged(input) ? 'advance' : undefined;
    },
  },
  moves: { fallBack: createPrimary, advance: go('Initializing.draining') },
  awaits: ['itself'],
  waits: (standing) => saying(`The primary is ready. Waiting ${since(standing)} for the routes to point at it.`),
  dueMs: neverDue,
});
