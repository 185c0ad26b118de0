import { saying, since, why } from './standing.ts';
import { neverDue, state } from './state.ts';

/** The Canary is being deleted, or was: nothing of its release continues (D1). */
export const terminating = state({
  enter: [],
  decide: {},
  moves: {},
  awaits: ['itself'],
  waits: (standing) => saying(`${standing.phase} ${since(standing)}${why(standing)}.`),
  dueMs: neverDue,
});
