import { transition } from 'xstate';
import type { Release } from '../api/canary-status.ts';
import { chart } from './chart.ts';
import type { Context } from './context.ts';
import { decide, hasMove } from './decide.ts';
import type { PollName } from './polls.ts';
import type { EngineEvent, Question } from './questions.ts';
import { nameOf, resolve, type Snapshot } from './snapshot.ts';
import { type Unmoved, unmoved } from './unmoved.ts';

/** One event on its way through the machine: each stage of the pipeline takes it on, and the last one knows everything of the step. */
export interface Passage {
  /** As the step found it. */
  readonly before: Snapshot;
  readonly event: EngineEvent;
  /** As far as it has come. */
  readonly now: Snapshot;
  /** It goes on after a suspend or a blocker: everything is asked again, whatever has come. */
  readonly resumes: boolean;
  /** The poll that the event answers. */
  readonly poll?: PollName | undefined;
  /** The release as it is recorded if anything is. */
  readonly current?: Release;
  /** What waits for the answers of an end is written then. Epoch milliseconds. */
  readonly heldUntilMs?: number | undefined;
  /** Something is worth a record. */
  readonly isNews?: boolean;
  /** When the controller is to wake it. Epoch milliseconds. */
  readonly askedWakeMs?: number | undefined;
  /** In the order in which the controller is given them. */
  readonly questions: readonly Question[];
  /** The first decision that met no move. */
  readonly unmoved?: Unmoved;
}

/** A part of a step, by a name that its order is tested by. */
export interface Stage {
  readonly name: string;
  apply(passage: Passage): Passage;
}

/** What ends the step before the chart is asked. */
export interface Exit {
  readonly name: string;
  /** Undefined: the step goes on. */
  apply(passage: Passage): Passage | undefined;
}

/** The passage with changes to what the chart remembers. */
export function having(passage: Passage, changes: Partial<Context>): Passage {
  return { ...passage, now: { ...passage.now, context: { ...passage.now.context, ...changes } } };
}

/** The same with changes to the release. */
export function releasing(passage: Passage, release: Release): Passage {
  return having(passage, { release });
}

/**
 * The chart for `transition`, which makes an actor in the chart's initial state for each call and does not read it. To make that state takes
 * four fifths of the call.
 */
const stepping: typeof chart = Object.create(chart, {
  getInitialSnapshot: { value: () => resolve('New', {} as Context) },
});

/** Decides once what the event means, then takes the move that the chart has for it in this state. */
export function moveBy(passage: Passage, event: EngineEvent): Passage {
  const { now } = passage;
  const state = nameOf(now.value);
  const decision = decide(state, { context: now.context, event });
  const [next] = transition(stepping, now, { ...event, decision });
  const isLost = passage.unmoved === undefined && !hasMove(state, decision);
  const moved = { ...passage, now: next, ...(isLost && { unmoved: unmoved(state, decision) }) };
  // Traffic of a lost canary is routed before the answer is read, and the step still waits for that answer (E53).
  return event.type === 'ANSWER' && decision === 'routeToPrimary' ? moveBy(moved, event) : moved;
}
