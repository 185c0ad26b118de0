import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import type { Phase } from '../../api/phase.ts';
import type { Verb } from '../../api/verb-request.ts';
import type { ChangeName } from '../changes.ts';
import type { Input } from '../context.ts';
import type { Decision } from '../decision.ts';
import type { Facts } from '../facts.ts';
import type { Wait } from '../wait.ts';
import type { Moves } from './moves.ts';

/** A release as it stands in a state, recorded or about to be. */
export interface Standing {
  canary: Canary;
  phase: Phase;
  release: Release;
  facts: Facts;
}

/** Undefined: nothing to decide here. */
export type Decider<D extends Decision = Decision> = (input: Input) => D | undefined;

/** Everything that a state can decide, by what has come. */
export interface Deciders<D extends Decision = Decision> {
  /** Before anything else, whatever the answer and the facts are about. */
  first?: Decider<D>;
  /** When facts have changed, the clock has, or the controller starts. */
  look?: Decider<D>;
  /** When the open question is answered. */
  answer?: Decider<D>;
  /** When a user asks for something that is possible now. */
  request?: Decider<D>;
  /** When a rollback hook asks for the end. */
  stop?: Decider<D>;
}

/** One state of the chart. Everything that the engine knows of a state is here. */
export interface State {
  /** Changes on entry, and again after RESUME. */
  readonly enter: readonly ChangeName[];
  readonly decide: Deciders;
  /** What each decision means here. */
  readonly moves: Moves;
  /** What the release waits for here, the most urgent first; never empty: the first one says in its text what this state is about. */
  waits(standing: Standing): readonly [Wait, ...Wait[]];
  /**
   * When the release goes on, or is rolled back, by itself: the next check, the end of a pause for proxies, or a deadline. Undefined: it waits for
   * others without limit, or for nothing. Epoch milliseconds.
   */
  dueMs(standing: Standing): number | undefined;
}

/** Parts of a state that decides nothing but what it has a move for; `Shared` are decisions with a move in its phase or around it. */
export interface Parts<Own extends Moves, Shared extends Decision> extends Omit<State, 'decide' | 'moves'> {
  moves: Own;
  decide: Deciders<NoInfer<(keyof Own & Decision) | Shared>>;
}

/** A decision without a move does not compile. */
export function state<const Own extends Moves, Shared extends Decision = never>(parts: Parts<Own, Shared>): State {
  return parts;
}

/** Decisions with a move in the phase, or in a state around this one. */
export const stateWithin =
  <Shared extends Decision>() =>
  <const Own extends Moves>(parts: Parts<Own, Shared>): State =>
    parts;

export const hasOutcome = ({ event }: Input, outcome: 'passed' | 'refused' | 'written' | 'mismatch') =>
  event.type === 'ANSWER' && 'outcome' in event.answer && event.answer.outcome === outcome;

export const asksTo = ({ event }: Input, verb: Verb) => event.type === 'REQUEST' && event.request.verb === verb;

/** Waits for others without limit, or goes on within seconds. */
export const neverDue = (): undefined => undefined;
