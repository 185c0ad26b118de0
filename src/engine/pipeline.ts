import { harmOf } from './comparison/harm.ts';
import { withReadings } from './comparison/poll.ts';
import type { Context } from './context.ts';
import { giveUpDeliveries } from './deliveries.ts';
import type { Facts } from './facts.ts';
import { failingDueMs, followed, timed } from './failing.ts';
import { freeze } from './frozen.ts';
import { type Exit, having, moveBy, type Passage, releasing, type Stage } from './passage.ts';
import { announcePassed } from './passed-hooks.ts';
import { answeredPoll, pollOf } from './polls.ts';
import type { EngineEvent } from './questions.ts';
import { recordingStages } from './recording.ts';
import { carryOutRequest } from './requests.ts';
import { withRollbackPoll } from './rollback-poll.ts';
import { isSamePlace, openQuestionsOf, pathOf, phaseOf, stateNameIn } from './snapshot.ts';
import { states } from './states/index.ts';
import { weightOf, withWeight } from './strategy.ts';

/** The chart decides nothing here: a frozen Canary puts no question, and an answer that no one awaits is dropped. */
export const exits: readonly Exit[] = [
  { name: 'freeze', apply: freeze },
  { name: 'dropAnswer', apply: (passage) => (isAwaited(passage) ? undefined : passage) },
];

/** Changes before the move. */
const beforeMove: readonly Stage[] = [
  { name: 'goOn', apply: goOn },
  { name: 'timed', apply: withTime },
  { name: 'answeredPoll', apply: closePoll },
];

/** The move for the event in its state, and a user's request in the resulting state. */
const moving: readonly Stage[] = [
  { name: 'moveBy', apply: move },
  { name: 'announcePassed', apply: announce },
  { name: 'request', apply: carryOutRequest },
];

/** Work beside the steps, in the resulting state. */
const afterMove: readonly Stage[] = [
  { name: 'giveUpDeliveries', apply: (passage) => having(passage, giveUpDeliveries(passage.now.context, passage.event.facts)) },
  { name: 'withRollbackPoll', apply: askRollback },
  { name: 'withReadings', apply: readCounts },
  { name: 'followed', apply: follow },
  { name: 'failingDueMs', apply: (passage) => having(passage, { failingDueMs: failingDue(passage) }) },
];

/** Each stage of a transition, from top to bottom. */
export const stages: readonly Stage[] = [...beforeMove, ...moving, ...afterMove, ...recordingStages];

const isAwaited = ({ event, now }: Passage): boolean => event.type !== 'ANSWER' || openQuestionsOf(now).includes(event.answer.id);

/** The Canary continues after a suspend or a blocker. */
function goOn(passage: Passage): Passage {
  const { context } = passage.now;
  const { facts } = passage.event;
  const blocked = facts.blocker !== undefined;
  const isUnblocked = context.blocked && !blocked;
  const going = context.frozen ? thaw(context, facts) : isUnblocked ? restartClock(context, facts) : context;
  return { ...having(passage, { ...going, blocked, asks: [] }), resumes: context.frozen || isUnblocked };
}

function withTime(passage: Passage): Passage {
  const { now, before, event, resumes } = passage;
  return releasing(passage, timed(now.context.release, phaseOf(before), event.facts, resumes || event.type === 'RESUME'));
}

function closePoll(passage: Passage): Passage {
  const { before, event, now } = passage;
  const poll = event.type === 'ANSWER' ? pollOf(before.context, event.answer.id) : undefined;
  return poll === undefined ? passage : { ...having(passage, answeredPoll(poll, { context: now.context, event })), poll };
}

function move(passage: Passage): Passage {
  const { event, resumes, poll, now } = passage;
  if (resumes) return moveBy(passage, { type: 'RESUME', facts: event.facts });
  return moveBy(passage, poll === undefined ? event : decided(event, now.context));
}

/** Event for the chart from an answer of a poll: an end, or a wake for waiting steps. */
function decided(event: EngineEvent, { release }: Context): EngineEvent {
  if (event.type !== 'ANSWER') return event;
  const { answer, facts } = event;
  const harm = answer.kind === 'compare' ? harmOf(release, facts.canary) : undefined;
  if (harm !== undefined) return { type: 'STOP', facts, by: { harm } };
  const isYes = answer.kind === 'runHooks' && answer.outcome === 'passed';
  return isYes ? { type: 'STOP', facts, by: { webhook: answer.webhooks[0] ?? '' } } : { type: 'WAKE', facts };
}

function announce(passage: Passage): Passage {
  const { before, now, poll, resumes, event } = passage;
  const hasStayed = isSamePlace(now, before) && poll === undefined;
  return hasStayed || resumes ? passage : having(passage, announcePassed(now.context, event));
}

/** Also removes a poll that is no longer needed. */
function askRollback(passage: Passage): Passage {
  const { now, event } = passage;
  const polls = states[stateNameIn(now.value)].polls === true;
  return { ...passage, now: { ...now, context: withRollbackPoll(now.context, phaseOf(now), polls, event) } };
}

function readCounts(passage: Passage): Passage {
  const { now, event } = passage;
  return { ...passage, now: { ...now, context: withReadings(now.context, pathOf(now.value), event) } };
}

function follow(passage: Passage): Passage {
  const { now, event } = passage;
  return releasing(passage, followed(now.context.release, pathOf(now.value), event.facts));
}

function failingDue({ now, event }: Passage): number | undefined {
  return failingDueMs(now.context, pathOf(now.value), event.facts);
}

/** After a suspend a canary weight that was lowered by hand becomes the recorded one (E52). */
function thaw(context: Context, facts: Facts): Context {
  const { routes } = context.release;
  const live = facts.liveRoutes;
  const { blindSinceMs, gateClosed, ...known } = context.release;
  // Nothing was measured or called meanwhile, so the time does not count as unmeasured or closed.
  const release = {
    ...known,
    ...(blindSinceMs !== undefined && { blindSinceMs: facts.nowMs }),
    ...(gateClosed && { gateClosed: { ...gateClosed, sinceMs: facts.nowMs } }),
  };
  const rested = { ...context, frozen: false, open: undefined, rollback: undefined, comparing: undefined, release };
  if (!live || 'unreadable' in live || live.kind !== 'weighted' || live.canary >= weightOf(routes)) return rested;
  return { ...rested, release: { ...release, routes: withWeight(routes, live.canary, facts.canary, facts) } };
}

/** Time under a blocker does not count against any deadline (E9). */
function restartClock(context: Context, facts: Facts): Context {
  const { awaitedSinceMs, blindSinceMs, gateClosed } = context.release;
  const clocks = {
    stepStartedMs: facts.nowMs,
    ...(awaitedSinceMs === undefined ? {} : { awaitedSinceMs: facts.nowMs }),
    ...(blindSinceMs === undefined ? {} : { blindSinceMs: facts.nowMs }),
    ...(gateClosed && { gateClosed: { ...gateClosed, sinceMs: facts.nowMs } }),
  };
  return { ...context, open: undefined, rollback: undefined, comparing: undefined, release: { ...context.release, ...clocks } };
}
