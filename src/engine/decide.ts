import type { Input } from './context.ts';
import type { Decision } from './decision.ts';
import { states } from './states/index.ts';
import type { StateName } from './states/moves.ts';
import type { Deciders } from './states/state.ts';

/**
 * The single decision of a transition: the reaction of a release in this state to this event. Pure. The chart has one guard for each decision, and its moves
 * define the effect in the state.
 */
export function decide(state: StateName, input: Input): Decision {
  const decided = decidedBy(states[state].decide, input);
  return decided ?? (input.event.type === 'RESUME' ? 'reenter' : 'wait');
}

function decidedBy({ first, facts, answer, request, stop }: Deciders, input: Input): Decision | undefined {
  switch (input.event.type) {
    case 'RESUME':
    case 'FACTS':
    case 'WAKE':
      return first?.(input) ?? facts?.(input);
    case 'ANSWER':
      return first?.(input) ?? answer?.(input);
    case 'REQUEST':
      return request?.(input);
    case 'STOP':
      return stop?.(input);
    case 'DELIVERED':
      return undefined;
    default:
      return input.event satisfies never;
  }
}

/** The chart has a move for a decision, in the state or around it. Waiting needs no move. */
export function hasMove(state: StateName, decision: Decision): boolean {
  const { moves, around } = states[state];
  return decision === 'wait' || decision === 'reenter' || decision in moves || decision in around;
}
