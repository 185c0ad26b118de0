import type { StateValue } from 'xstate';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { allToPrimary } from '../api/routes.ts';
import { isResting } from '../api/step.ts';
import { adopt } from './adopt.ts';
import type { Context } from './context.ts';
import type { Facts } from './facts.ts';
import type { Passage } from './passage.ts';
import { pinOf } from './pin.ts';
import { exits, stages } from './pipeline.ts';
import type { EngineEvent, Question } from './questions.ts';
import { byOwnClock } from './recorded-times.ts';
import { beginningOf, openQuestionsOf, pathOf, resolve, resolveAnew, type Snapshot } from './snapshot.ts';
import type { Unmoved } from './unmoved.ts';
import { wakeOf } from './wakes.ts';

export { openQuestionsOf, phaseOf, type Snapshot } from './snapshot.ts';

/** Result of an event. */
export interface Transition {
  next: Snapshot;
  questions: readonly Question[];
  /** A defect of Serin: a decision was made for which the chart has no move. */
  unmoved?: Unmoved;
}

/** Snapshot from the recorded status; RESUME must be its first event. A status without `release` is adopted (E3). */
export function start(canary: Canary, facts: Facts): Snapshot {
  const { status } = canary;
  const context = { attempt: facts.nowMs, asks: [], frozen: false, blocked: false };
  if (!status || status.phase === '') {
    // A primary that another controller made before it could record that.
    const taken = facts.adoption && adopt({ phase: '', failedChecks: 0, canaryWeight: 0, iterations: 0 }, facts);
    return resolve('New', { ...context, release: { ...blank(facts), ...taken } });
  }
  const { phase, release: recorded } = status;
  if (!recorded) {
    const adopted = { ...blank(facts), ...adopt(status, facts) };
    return resolve(beginningOf(phase, adopted.step), { ...context, release: adopted });
  }
  // Fields that are only for readers are made again with each status.
  const { blockers: _, dueMs: _due, ...remembered } = recorded;
  const { suspended = false, ...stored } = remembered;
  const release = byOwnClock(stored, facts);
  // An idle Canary gets no write for the sake of a clock (I8).
  const known = isResting(stored) ? { ...remembered, ...release } : remembered;
  return resolve(beginningOf(phase, release.step), { ...context, frozen: suspended, release, recorded: { phase, release: known } });
}

/** A snapshot from a journal; `unknown` names a state that the chart does not have. */
export function restored({ value, context }: { value: unknown; context: object }): Snapshot | { unknown: string } {
  try {
    // Names that a journal invents are not kept.
    const snapshot = resolveAnew(value as StateValue, context as Context);
    // Only a leaf state can take an event.
    if (JSON.stringify(snapshot.value) === JSON.stringify(value)) return snapshot;
  } catch {
    // xstate throws if a state does not exist.
  }
  return {
    unknown: pathOf(value as StateValue)
      .join('.')
      .slice(0, 100),
  };
}

/** One event at a time, through each stage of the pipeline. Pure: the same snapshot and event always give the same transition. */
export function handleEvent(before: Snapshot, event: EngineEvent): Transition {
  let passage: Passage = { before, event, now: before, resumes: false, questions: [] };
  for (const { apply } of exits) {
    const ended = apply(passage);
    if (ended !== undefined) return transitionOf(ended);
  }
  for (const { apply } of stages) passage = apply(passage);
  return transitionOf(passage);
}

function transitionOf({ now, questions, unmoved }: Passage): Transition {
  return { next: now, questions, ...(unmoved && { unmoved }) };
}

export function releaseOf(snapshot: Snapshot): Release {
  return snapshot.context.release;
}

/** Nothing is awaited: no wake, no answer, no delivery. */
export function isAtRest(snapshot: Snapshot): boolean {
  return (
    wakeOf(snapshot.context) === undefined &&
    openQuestionsOf(snapshot).length === 0 &&
    (snapshot.context.release.deliveries ?? []).length === 0
  );
}

function blank(facts: Facts): Release {
  const { target, nowMs } = facts;
  return {
    ...(target ? pinOf(target) : { targetUid: '', revision: '', observedGeneration: 0 }),
    run: 0,
    step: '',
    routes: allToPrimary,
    failedChecks: 0,
    iterations: 0,
    startedMs: nowMs,
    stepStartedMs: nowMs,
  };
}
