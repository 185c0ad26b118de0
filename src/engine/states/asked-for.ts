import { type Rest, toRest } from './moves.ts';
import { saying, since } from './standing.ts';
import { type Decider, hasOutcome, neverDue, type State, state } from './state.ts';

const answered: Decider<'advance'> = (input) => (hasOutcome(input, 'written') || hasOutcome(input, 'refused') ? 'advance' : undefined);

/**
 * The target gets the template of the promotion before the last. Facts are not evaluated before the answer: a change of the target meanwhile can be Serin's own
 * write (E74).
 */
export const undoing = state({
  isIdle: true,
  stands: 'its last promotion is being undone',
  enter: ['askUndo'],
  decide: { answer: answered },
  moves: { advance: toRest('Succeeded', 'endUndo') },
  awaits: ['itself'],
  waits: (standing) =>
    saying(
      `Writing the template of the promotion before the last into ${standing.canary.spec.targetRef.name} ${since(standing)}; it is released as a new revision.`,
    ),
  dueMs: neverDue,
});

/** The pods of the primary start again, with the promoted template (E134). */
export const restartingIn = (phase: Rest): State =>
  state({
    isIdle: true,
    stands: 'its primary is being restarted',
    enter: ['askRestart'],
    decide: { answer: answered },
    moves: { advance: toRest(phase, 'endRestart') },
    awaits: ['itself'],
    waits: (standing) => saying(`Restarting the pods of the primary ${since(standing)}.`),
    dueMs: neverDue,
  });
