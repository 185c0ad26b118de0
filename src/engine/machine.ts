import { type StateValue, transition } from 'xstate';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { keptIn, oncePerObject } from '../api/once.ts';
import { Phase } from '../api/phase.ts';
import { allToPrimary } from '../api/routes.ts';
import type { SeenRequest } from '../api/verb-request.ts';
import { adopt } from './adopt.ts';
import { announcementOf } from './changes/verbs.ts';
import { chart } from './chart.ts';
import { harmOf } from './comparison/harm.ts';
import { withReadings } from './comparison/poll.ts';
import type { Context } from './context.ts';
import { decide } from './decide.ts';
import { acknowledged, giveUpDeliveries } from './deliveries.ts';
import type { Facts } from './facts.ts';
import { closedAt, failingDueMs, followed, timed } from './failing.ts';
import { withLeftRoutes } from './left-routes.ts';
import { announcePassed } from './passed-hooks.ts';
import { payloadOf } from './payload.ts';
import { hasMoved, pinOf, seenAgain, seenAtZero } from './pin.ts';
import { answeredPoll, pollOf } from './polls.ts';
import type { EngineEvent, Question, QuestionId } from './questions.ts';
import { withRecentWeight } from './recent.ts';
import { withRollbackPoll } from './rollback-poll.ts';
import { stateNameOf } from './states/lookup.ts';
import type { StateName } from './states/moves.ts';
import { weightOf, withWeight } from './strategy.ts';
import { acknowledged as answered, pendingRequest, refusalOf } from './verbs.ts';
import { answersAwaitedUntilMs, earliest, nextWakeOf, wakeOf } from './wakes.ts';

export type Snapshot = ReturnType<typeof chart.resolveState>;

/**
 * The chart for `transition`, which makes an actor in the chart's initial state for each call and does not read it. To make that state takes
 * four fifths of the call.
 */
const stepping: typeof chart = Object.create(chart, {
  getInitialSnapshot: { value: () => resolve('New', {} as Context) },
});

/** The snapshot that the status remembers; RESUME must be its first event. A status without `release` is adopted (E3). */
export function start(canary: Canary, facts: Facts): Snapshot {
  const { status } = canary;
  const context = { attempt: facts.nowMs, asks: [], frozen: false, blocked: false };
  if (!status || status.phase === '') {
    // A primary that another controller made, before it could say so.
    const taken = facts.adoption && adopt({ phase: '', failedChecks: 0, canaryWeight: 0, iterations: 0 }, facts);
    return resolve('New', { ...context, release: { ...blank(facts), ...taken } });
  }
  const { phase, release: recorded } = status;
  if (!recorded) {
    const adopted = { ...blank(facts), ...adopt(status, facts) };
    return resolve(beginningOf(phase, adopted.step), { ...context, release: adopted });
  }
  // Fields for readers alone are made anew with each status.
  const { blockers: _, dueMs: _due, ...remembered } = recorded;
  const { suspended = false, ...release } = remembered;
  return resolve(beginningOf(phase, release.step), { ...context, frozen: suspended, release, recorded: { phase, release: remembered } });
}

/** A snapshot as a journal holds it; `unknown` names a state that the chart does not have. */
export function restored({ value, context }: { value: unknown; context: object }): Snapshot | { unknown: string } {
  try {
    // Names that a journal invents are not kept.
    const snapshot = resolveAnew(value as StateValue, context as Context);
    // Only a state that is a leaf can take an event.
    if (JSON.stringify(snapshot.value) === JSON.stringify(value)) return snapshot;
  } catch {
    // Falls through: xstate throws where a state does not exist.
  }
  return {
    unknown: pathOf(value as StateValue)
      .join('.')
      .slice(0, 100),
  };
}

/** One event at a time. Pure: the same snapshot and event always give the same step. */
export function step(now: Snapshot, event: EngineEvent): { next: Snapshot; questions: readonly Question[] } {
  const { facts } = event;
  if (facts.canary.spec.suspend === true || facts.canary.metadata.deletionTimestamp !== undefined) {
    const delivered = event.type === 'DELIVERED' ? acknowledged(now.context, event.key) : now.context;
    const context = { ...delivered, release: closedAt(delivered.release, facts.nowMs) };
    const frozen = { ...context, frozen: true, open: undefined, rollback: undefined, comparing: undefined, asks: [] };
    return refuseFrozen(resolve(now.value, frozen), facts);
  }
  if (event.type === 'ANSWER' && !openQuestionsOf(now).includes(event.answer.id)) return { next: now, questions: [] };
  const blocked = facts.blocker !== undefined;
  const unblocked = now.context.blocked && !blocked;
  const resumes = now.context.frozen || unblocked;
  const thawed = now.context.frozen ? thaw(now.context, facts) : unblocked ? restartClock(now.context, facts) : now.context;
  const context = { ...thawed, release: timed(thawed.release, phaseOf(now), facts, resumes || event.type === 'RESUME') };
  const poll = event.type === 'ANSWER' ? pollOf(now.context, event.answer.id) : undefined;
  const answered = poll === undefined ? context : answeredPoll(poll, { context, event });
  const begun = resolve(now.value, { ...answered, blocked, asks: [] });
  const moved = moveBy(begun, resumes ? { type: 'RESUME', facts } : poll === undefined ? event : decided(event, answered));
  const hasStayed = JSON.stringify(moved.value) === JSON.stringify(now.value) && poll === undefined;
  const announced = hasStayed || resumes ? moved : resolve(moved.value, announcePassed(moved.context, event));
  const { value, context: left } = request(announced, facts);
  const path = pathOf(value);
  const polled = withRollbackPoll(giveUpDeliveries(left, facts), path, event);
  const read = withReadings(polled, path, event);
  const known = { ...read, release: followed(read.release, path, facts) };
  return settle(now, value, { ...known, failingDueMs: failingDueMs(known, path, facts) }, event);
}

/** Decides once what the event means, then takes the move that the chart has for it in this state. */
function moveBy(now: Snapshot, event: EngineEvent): Snapshot {
  const decision = decide(nameOf(now.value), { context: now.context, event });
  const [moved] = transition(stepping, now, { ...event, decision });
  // Traffic of a lost canary is routed before the answer is read, and the step still waits for that answer (E53).
  return event.type === 'ANSWER' && decision === 'routeToPrimary' ? moveBy(moved, event) : moved;
}

/** Event for the chart from an answer of a poll: an end, or the time for what has waited for it. */
function decided(event: EngineEvent, { release }: Context): EngineEvent {
  if (event.type !== 'ANSWER') return event;
  const { answer, facts } = event;
  const harm = answer.kind === 'compare' ? harmOf(release, facts.canary) : undefined;
  if (harm !== undefined) return { type: 'STOP', facts, by: { harm } };
  const isYes = answer.kind === 'runHooks' && answer.outcome === 'passed';
  return isYes ? { type: 'STOP', facts, by: { webhook: answer.webhooks[0] ?? '' } } : { type: 'WAKE', facts };
}

export function phaseOf(snapshot: Snapshot): Phase {
  const [phase] = pathOf(snapshot.value);
  return phase === 'New' ? '' : Phase.parse(phase);
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

/** The questions that an ANSWER would belong to; every other one still under way may be cancelled. */
export function openQuestionsOf({ context }: Snapshot): readonly QuestionId[] {
  return [context.open, context.rollback?.open, context.comparing?.open].filter((id) => id !== undefined);
}

/** Carries a request of a user out, or refuses it, in the step that first sees it, and records the outcome (E70). */
function request(now: Snapshot, facts: Facts): { value: StateValue; context: Context } {
  const { value, context } = now;
  const asked = pendingRequest(context.release, facts);
  const [top = 'New', step = ''] = pathOf(value);
  if (asked === undefined || top === 'New') return now;
  const reason = refusalOf(asked, Phase.parse(top), { ...context.release, step }, facts);
  // Of these the controller says later what came of them.
  const isAsked = reason === undefined && 'verb' in asked && (asked.verb === 'undo' || asked.verb === 'restart');
  const answeredNow = isAsked ? context : withAnswer(context, asked, facts.nowMs, reason);
  if (reason !== undefined || 'problem' in asked) return { value, context: answeredNow };
  const moved = moveBy(resolve(value, answeredNow), { type: 'REQUEST', facts, request: asked });
  // A pause drops what was asked, and a resumed release begins the step's own part again.
  const isHeld = asked.verb === 'pause' || asked.verb === 'resume';
  const stood = isHeld ? moveBy(resolve(beginningOf(Phase.parse(top), step), moved.context), { type: 'RESUME', facts }) : moved;
  const asks = stood.context.asks.filter((one) => one.kind === 'announce' || one.id === stood.context.open);
  return { value: stood.value, context: { ...stood.context, asks } };
}

function withAnswer(context: Context, asked: SeenRequest, nowMs: number, reason?: string): Context {
  const attempt = context.attempt + 1;
  const release = answered(context.release, asked, nowMs, reason);
  const id = `${release.run}/${release.revision}/${attempt}`;
  return { ...context, attempt, release, asks: [...context.asks, { kind: 'announce', id, announcement: announcementOf(asked, reason) }] };
}

/** A suspended Canary refuses every request, and says so. */
function refuseFrozen(now: Snapshot, facts: Facts): { next: Snapshot; questions: readonly Question[] } {
  const { context, value } = now;
  const asked = pendingRequest(context.release, facts);
  if (asked === undefined || context.recorded === undefined || facts.canary.metadata.deletionTimestamp !== undefined)
    return { next: now, questions: [] };
  const { phase } = context.recorded;
  const refused = withAnswer(context, asked, facts.nowMs, refusalOf(asked, phase, context.release, facts));
  const attempt = refused.attempt + 1;
  const record: Question = {
    kind: 'record',
    id: `${refused.release.run}/${refused.release.revision}/${attempt}`,
    phase,
    release: refused.release,
  };
  const next = resolve(value, { ...refused, attempt, asks: [], recorded: { phase, release: refused.release } });
  return { next, questions: [record, ...refused.asks] };
}

/** Compares before and after: what is new is recorded first, then the questions of the new state are asked. */
function settle(
  now: Snapshot,
  value: StateValue,
  context: Context,
  event: EngineEvent,
): { next: Snapshot; questions: readonly Question[] } {
  const [top = 'New', child = ''] = pathOf(value);
  const phase = top === 'New' ? '' : Phase.parse(top);
  const wake = wakeOf(context);
  const scaled = withScaler({ ...context.release, step: child }, event.facts);
  const stepped: Release = withLeftRoutes(scaled, context.recorded?.release, event.facts);
  const { target, converged } = event.facts;
  // Written along with other news, and once more while resting: what moves it then is rare.
  const current = seenAtZero(target, seenAgain(target, stepped));
  // One that was made again is recorded at once; of an older version's status that kept no uid, with other news.
  const isReplaced = stepped.scaledDownUid !== undefined && current.scaledDownUid !== stepped.scaledDownUid;
  const isMoved =
    target !== undefined && current !== stepped && (hasMoved(target, stepped) || isReplaced) && child === 'resting' && converged;
  // The messages of the end are answered soon as a rule, and one write then says both.
  const heldUntilMs = isMoved && !isReplaced ? answersAwaitedUntilMs(context.release, event.facts.nowMs) : undefined;
  const isNews =
    phase !== '' &&
    ((isMoved && heldUntilMs === undefined) ||
      context.recorded?.phase !== phase ||
      memoryOnce(context.recorded.release) !== memory(stepped));
  const release: Release = isNews ? withRecentWeight(current, weightOf(current.routes), event.facts.nowMs) : stepped;
  if (isNews && wake !== undefined) release.wakeAtMs = wake;
  if (isNews && wake === undefined) delete release.wakeAtMs;
  const id = `${release.run}/${release.revision}/`;
  let { attempt } = context;
  const record: Question[] = isNews ? [{ kind: 'record', id: `${id}${++attempt}`, phase, release }] : [];
  const isElsewhere = JSON.stringify(value) !== JSON.stringify(now.value);
  const next = earliest([nextWakeOf(context, now.context, event, isElsewhere), heldUntilMs]);
  const isWakeDue = next !== undefined && (next !== context.askedWakeMs || event.type === 'RESUME' || event.type === 'WAKE');
  const wakes: Question[] = isWakeDue ? [{ kind: 'wakeAt', id: `${id}${++attempt}`, atMs: next }] : [];
  const asks = context.asks.map((one) => (one.kind === 'runHooks' ? { ...one, ...payloadOf(one.type, phase, release) } : one));
  const settled = resolve(value, {
    ...context,
    attempt,
    release,
    asks: [],
    askedWakeMs: next,
    ...(isNews ? { recorded: { phase, release } } : {}),
  });
  return { next: settled, questions: [...record, ...asks, ...wakes] };
}

/**
 * Once the primary's scaler stands and the one before is gone, it is the one to be replaced next (03-B14). One that the spec still names has a scaler of
 * the primary, though it is deleted itself.
 */
function withScaler({ scaler, ...release }: Release, facts: Facts): Release {
  const { autoscalerRef } = facts.canary.spec;
  const isNamed = autoscalerRef !== undefined && scaler === `${autoscalerRef.kind}/${autoscalerRef.name}`;
  const name = facts.converged ? (facts.scaler?.name ?? (isNamed ? scaler : undefined)) : scaler;
  return name === undefined ? release : { ...release, scaler: name };
}

/**
 * Text of all that makes a status write worth it: a later wake alone does not, since RESUME asks again anyway, and counts that were read
 * do not, since they can be read again. Failings are recorded when they count.
 */
function memory({ comparison: _, failing: _failing, ...release }: Release): string {
  return JSON.stringify(
    Object.entries({ ...release, wakeAtMs: release.step === 'analysing' ? release.wakeAtMs : 0 }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Of a release that was recorded, which is never changed. */
const memoryOnce = oncePerObject(memory);

/** After a suspend a canary weight that someone lowered by hand is the recorded one (E52). */
function thaw(context: Context, facts: Facts): Context {
  const { routes } = context.release;
  const live = facts.liveRoutes;
  const { blindSinceMs, ...known } = context.release;
  // Nothing was measured meanwhile, so it is not known that it could not be.
  const release = blindSinceMs === undefined ? known : { ...known, blindSinceMs: facts.nowMs };
  const rested = { ...context, frozen: false, open: undefined, rollback: undefined, comparing: undefined, release };
  if (!live || 'unreadable' in live || live.kind !== 'weighted' || live.canary >= weightOf(routes)) return rested;
  return { ...rested, release: { ...release, routes: withWeight(routes, live.canary, facts.canary, facts) } };
}

/** Time while blocked counts against no deadline (E9). */
function restartClock(context: Context, facts: Facts): Context {
  const { awaitedSinceMs, blindSinceMs } = context.release;
  const clocks = {
    stepStartedMs: facts.nowMs,
    ...(awaitedSinceMs === undefined ? {} : { awaitedSinceMs: facts.nowMs }),
    ...(blindSinceMs === undefined ? {} : { blindSinceMs: facts.nowMs }),
  };
  return { ...context, open: undefined, rollback: undefined, comparing: undefined, release: { ...context.release, ...clocks } };
}

/** One snapshot of each state that was entered: the chart resolves a state alike whatever its context, and takes longest for it. */
const resolved = new Map<string, Snapshot>();

function resolve(value: StateValue, context: Context): Snapshot {
  return { ...keptIn(resolved, JSON.stringify(value), () => resolveAnew(value, {} as Context)), context };
}

function resolveAnew(value: StateValue, context: Context): Snapshot {
  return chart.resolveState({ value: value as Snapshot['value'], context });
}

/** First two levels of a state value, and what lies deeper. */
function pathOf(value: StateValue): string[] {
  const path: string[] = [];
  let rest: unknown = value;
  while (typeof rest === 'object' && rest !== null) {
    const [entry] = Object.entries(rest);
    if (!entry) return path;
    path.push(entry[0]);
    rest = entry[1];
  }
  return typeof rest === 'string' ? [...path, rest] : path;
}

/** The state in which a recorded step begins. */
const beginningOf = (phase: Phase, recorded: string): StateValue => nestedOf(stateNameOf(phase, recorded).split('.'));

function nestedOf([first = 'New', ...rest]: readonly string[]): StateValue {
  return rest.length === 0 ? first : { [first]: nestedOf(rest) };
}

/** The state of a snapshot. */
const nameOf = (value: StateValue): StateName => pathOf(value).join('.') as StateName;

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
