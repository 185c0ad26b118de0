import type { Verb } from '../../api/verb-request.ts';
import type { Input } from '../context.ts';
import type { Decision } from '../decision.ts';

/** Undefined: nothing to decide here. */
export type Decider = (input: Input) => Decision | undefined;

/** Everything that a step can decide, by what has come. */
export interface Deciders {
  /** Before anything else, whatever the answer and the facts are about. */
  first?: Decider;
  /** When facts have changed, the clock has, or the controller starts. */
  look?: Decider;
  /** When the open question is answered. */
  answer?: Decider;
  /** When a user asks for something that is possible now. */
  request?: Decider;
  /** When a rollback hook asks for the end. */
  stop?: Decider;
}

export const hasOutcome = ({ event }: Input, outcome: 'passed' | 'refused' | 'written' | 'mismatch') =>
  event.type === 'ANSWER' && 'outcome' in event.answer && event.answer.outcome === outcome;

export const asksTo = ({ event }: Input, verb: Verb) => event.type === 'REQUEST' && event.request.verb === verb;
