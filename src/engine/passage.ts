import { transition } from 'xstate';
import type { Release } from '../api/canary-status.ts';
import { chart } from './chart.ts';
import type { Context } from './context.ts';
import { decide, hasMove } from './decide.ts';
import type { PollName } from './polls.ts';
import type { EngineEvent, Question } from './questions.ts';
import { resolve, type Snapshot, stateNameIn } from './snapshot.ts';
import { type Unmoved, unmoved } from './unmoved.ts';

/** One event on its way through the machine: each stage of the pipeline passes it on, and the last stage has the whole transition. */
export interface Passage {
  /** Snapshot before the event. */
  readonly before: Snapshot;
  readonly event: EngineEvent;
  /** Snapshot after the last stage. */
  readonly now: Snapshot;
  /** The Canary continues after a suspend or a blocker: for any event, all questions are put again. */
  readonly resumes: boolean;
  /** The poll that the event answers. */
  readonly poll?: PollName | undefined;
  /** The release that a record would contain. */
  readonly current?: Release;
  /** Until this time a write waits for the answers to the messages of an end. Epoch milliseconds. */
  readonly heldUntilMs?: number | undefined;
  /** A change needs a record. */
  readonly isNews?: boolean;
  /** Time at which the controller must wake the chart. Epoch milliseconds. */
  readonly askedWakeMs?: number | undefined;
  /** In the order for the controller. */
  readonly questions: readonly Question[];
  /** The first decision without a move. */
  readonly unmoved?: Unmoved;
}

/** A part of a transition, with a name for the test of its order. */
export interface Stage {
  readonly name: string;
  apply(passage: Passage): Passage;
}

/** A part that can end the transition before the chart decides. */
export interface Exit {
  readonly name: string;
  /** Undefined if the transition continues. */
  apply(passage: Passage): Passage | undefined;
}

/** The passage with changes to the memory of the chart. */
export function having(passage: Passage, changes: Partial<Context>): Passage {
  return { ...passage, now: { ...passage.now, context: { ...passage.now.context, ...changes } } };
}

/** The same with changes to the release. */
export function releasing(passage: Passage, release: Release): Passage {
  return having(passage, { release });
}

/**
 * The chart for `transition`, which creates an actor in the chart's initial state for each call and does not read it. Creating that state takes four fifths of
 * the call.
 */
const stepping: typeof chart = Object.create(chart, {
  getInitialSnapshot: { value: () => resolve('New', {} as Context) },
});

/** Makes the decision about the event once, then takes the move of the chart for it in this state. */
export function moveBy(passage: Passage, event: EngineEvent): Passage {
  const { now } = passage;
  const state = stateNameIn(now.value);
  const decision = decide(state, { context: now.context, event });
  const [next] = transition(stepping, now, { ...event, decision });
  const isLost = passage.unmoved === undefined && !hasMove(state, decision);
  const moved = { ...passage, now: next, ...(isLost && { unmoved: unmoved(state, decision) }) };
  // Traffic of a lost canary is routed before the answer is read, and the step still waits for that answer (E53).
  return event.type === 'ANSWER' && decision === 'routeToPrimary' ? moveBy(moved, event) : moved;
}
