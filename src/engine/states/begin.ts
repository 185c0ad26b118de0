import { on } from './moves.ts';
import { saying } from './standing.ts';
import { neverDue, state } from './state.ts';

/** Nothing is recorded yet; the bootstrap begins (E4). */
export const begin = state({
  enter: [],
  decide: { facts: ({ event }) => (event.type === 'WAKE' ? undefined : 'advance') },
  moves: { advance: on('Initializing', 'bindTarget', 'begin') },
  awaits: ['itself'],
  waits: () => saying('Not started yet. Waiting for the controller to see the target.'),
  dueMs: neverDue,
});
