import type { Verb } from '../../api/verb-request.ts';
import type { ChangeName } from '../changes.ts';
import type { Input } from '../context.ts';
import type { Decision } from '../decision.ts';
import type { Awaited, Standing, Waits } from '../wait.ts';
import type { Moves } from './moves.ts';

/** Undefined if nothing is to be decided here. */
export type Decider<D extends Decision = Decision> = (input: Input) => D | undefined;

/** All decisions of a state, by event. */
export interface Deciders<D extends Decision = Decision> {
  /** Before anything else, for any answer and any facts. */
  first?: Decider<D>;
  /** After new facts, at a wake, or at the start of the controller. */
  facts?: Decider<D>;
  /** After an answer to the open question. */
  answer?: Decider<D>;
  /** After a user's request that is possible now. */
  request?: Decider<D>;
  /** After a rollback hook has requested the end. */
  stop?: Decider<D>;
}

/** One state of the chart, with everything that the engine knows of it. */
export interface State {
  /** Changes on entry, and again after RESUME. */
  readonly enter: readonly ChangeName[];
  readonly decide: Deciders;
  /** Effect of each decision here. */
  readonly moves: Moves;
  /** Moves of the phase or of the surrounding state, for decisions without a move here. */
  readonly around: Moves;
  /** No release is in progress: its pods are at zero. */
  readonly isIdle?: true;
  /** Nothing of the release has started, and its start waits for approval. */
  readonly awaitsApproval?: true;
  /** The pods of the canary have had no check, or cannot have one: it is not promoted on request. */
  readonly isUnfit?: true;
  /** The pods of the canary must stop. */
  readonly stopsPods?: true;
  /** Puts a question of its own in every interval: the rollback hooks are called right before that. */
  readonly polls?: true;
  /** State of the release, for the author of a request that is not possible; that of its phase if absent. */
  readonly stands?: string;
  /** Possible waits of the release here, the most important first, for a reader who only has the objects. */
  readonly awaits: readonly [Awaited, ...Awaited[]];
  /**
   * Waits of the release here, at least one: the text of the first describes this state. `dueMs`: time at which the wait ends by itself, also through waits
   * that hold every state.
   */
  waits(standing: Standing, dueMs: number | undefined): Waits;
  /**
   * Time at which the release continues or is rolled back by itself: the next check, the end of a pause for proxies, or a deadline. Undefined if it waits for
   * others without limit, or for nothing. Epoch milliseconds.
   */
  dueMs(standing: Standing): number | undefined;
}

/** Parts of a state whose decisions all have a move in it, or in a state around it. */
export interface StateParts<Own extends Moves, Around> extends Omit<State, 'decide' | 'moves' | 'around'> {
  moves: Own;
  decide: Deciders<NoInfer<Extract<keyof Own | keyof Around, Decision>>>;
}

/** Moves with the exact decisions that they are for: the type `Moves` would allow any decision. */
export type Named<Own extends Moves> = Decision extends keyof Own ? never : Own;

/** A decision without a move does not compile. */
export function state<const Own extends Moves>(parts: StateParts<Own, unknown> & { moves: Named<Own> }): State {
  return { ...parts, around: {} };
}

/** The same for a state within a phase, or within a state, that has moves. */
export const stateWithin =
  <Around extends Moves>(around: Named<Around>) =>
  <const Own extends Moves>(parts: StateParts<Own, Around> & { moves: Named<Own> }): State => ({ ...parts, around });

export const hasOutcome = ({ event }: Input, outcome: 'passed' | 'refused' | 'written' | 'mismatch') =>
  event.type === 'ANSWER' && 'outcome' in event.answer && event.answer.outcome === outcome;

export const asksTo = ({ event }: Input, verb: Verb) => event.type === 'REQUEST' && event.request.verb === verb;

/** Waits for others without limit, or continues within seconds. */
export const neverDue = (): undefined => undefined;
