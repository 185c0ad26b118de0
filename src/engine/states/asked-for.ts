import { go } from './moves.ts';
import { saying, since } from './standing.ts';
import { type Decider, hasOutcome, neverDue, type State, state } from './state.ts';

const answered: Decider<'advance'> = (input) => (hasOutcome(input, 'written') || hasOutcome(input, 'refused') ? 'advance' : undefined);

/** The target gets the template of the promotion before the last. No look before the answer: a target that changes meanwhile may be our own doing (E74). */
export const undoing = state({
  enter: ['askUndo'],
  decide: { answer: answered },
  moves: { advance: go('Succeeded.resting', 'endUndo') },
  awaits: ['itself'],
  waits: (standing) =>
    saying(
      `Writing the template of the promotion before the last into ${standing.canary.spec.targetRef.name} ${since(standing)}; it is released as a new revision.`,
    ),
  dueMs: neverDue,
});

/** The pods of the primary start again, with what is promoted (E134). */
export const restartingIn = (phase: 'Initialized' | 'Succeeded' | 'Failed'): State =>
  state({
    enter: ['askRestart'],
    decide: { answer: answered },
    moves: { advance: go(`${phase}.resting`, 'endRestart') },
    awaits: ['itself'],
    waits: (standing) => saying(`Restarting the pods of the primary ${since(standing)}.`),
    dueMs: neverDue,
  });
