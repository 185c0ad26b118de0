import type { Verb } from '../../api/verb-request.ts';
import type { ChangeName } from '../changes.ts';
import type { Input } from '../context.ts';
import type { Decision } from '../decision.ts';
import type { Awaited, Standing, Waits } from '../wait.ts';
import type { Moves } from './moves.ts';

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
  /** Moves of the phase or of the state around it, for decisions that have none here. */
  readonly around: Moves;
  /** No release is under way: its pods are at zero. */
  readonly isIdle?: true;
  /** Nothing of the release has started, and its start waits for approval. */
  readonly awaitsApproval?: true;
  /** The pods of the canary have had no check, or cannot have one: it is not promoted on request. */
  readonly isUnfit?: true;
  /** The pods of the canary are to stop. */
  readonly stopsPods?: true;
  /** Asks something every interval by itself: the rollback hooks are asked right before that. */
  readonly polls?: true;
  /** Where it stands, for the author of a request that is not possible; absent: as its phase does. */
  readonly stands?: string;
  /** What can hold the release here, the most important first, for a reader who has the objects alone. */
  readonly awaits: readonly [Awaited, ...Awaited[]];
  /**
   * What the release waits for here; never empty: the first one says in its text what this state is about. `dueMs`: when it ends by itself, also
   * because of what holds every state.
   */
  waits(standing: Standing, dueMs: number | undefined): Waits;
  /**
   * When the release goes on, or is rolled back, by itself: the next check, the end of a pause for proxies, or a deadline. Undefined: it waits for
   * others without limit, or for nothing. Epoch milliseconds.
   */
  dueMs(standing: Standing): number | undefined;
}

/** Parts of a state that decides nothing but what it, or a state around it, has a move for. */
export interface Parts<Own extends Moves, Around> extends Omit<State, 'decide' | 'moves' | 'around'> {
  moves: Own;
  decide: Deciders<NoInfer<Extract<keyof Own | keyof Around, Decision>>>;
}

/** Moves that say which decisions they are for: those of the type `Moves` would allow each of them. */
export type Named<Own extends Moves> = Decision extends keyof Own ? never : Own;

/** A decision without a move does not compile. */
export function state<const Own extends Moves>(parts: Parts<Own, unknown> & { moves: Named<Own> }): State {
  return { ...parts, around: {} };
}

/** The same for a state within a phase, or a state, that has moves. */
export const stateWithin =
  <Around extends Moves>(around: Named<Around>) =>
  <const Own extends Moves>(parts: Parts<Own, Around> & { moves: Named<Own> }): State => ({ ...parts, around });

export const hasOutcome = ({ event }: Input, outcome: 'passed' | 'refused' | 'written' | 'mismatch') =>
  event.type === 'ANSWER' && 'outcome' in event.answer && event.answer.outcome === outcome;

export const asksTo = ({ event }: Input, verb: Verb) => event.type === 'REQUEST' && event.request.verb === verb;

/** Waits for others without limit, or goes on within seconds. */
export const neverDue = (): undefined => undefined;
