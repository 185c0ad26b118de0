import type { HookType } from '../api/canary.ts';
import type { Delivery, Release, Verdict } from '../api/canary-status.ts';
import { type Routes, reachesCanary, weight } from '../api/routes.ts';
import { timestamp } from '../api/timestamp.ts';
import { type Alert, alertDeliveries } from './alerts.ts';
import { type Context, type Seen, withDeliveries } from './context.ts';
import { blindUntilMs, longestHoldMs, progressDeadlineMs, settlingMs } from './deadlines.ts';
import { countedFailures, overLimit } from './failure-limits.ts';
import { isUnread } from './guards.ts';
import { isBlind, judge, thresholdOf } from './judge.ts';
import { nextPromotionWeight } from './next-weight.ts';
import { pinTo, withRevision } from './pin.ts';
import type { Announcement, Question } from './questions.ts';
import {
  backNeed,
  bearableWeight,
  comingHome,
  holdingPrimary,
  holdingTarget,
  podsAtStart,
  stepNeed,
  targetNeed,
  withoutCapacity,
} from './raise.ts';
import { say } from './reasons.ts';
import { withRecent } from './recent.ts';
import { hasHooks, homeRoutes, nextMove, weightOf, withWeight } from './strategy.ts';

type Change = Partial<Context>;
type Ask<Q extends Question = Question> = Q extends Question ? Omit<Q, 'id'> : never;

const now = ({ event }: Seen) => event.facts.nowMs;
const who = ({ event }: Seen) => `${event.facts.canary.metadata.name}.${event.facts.canary.metadata.namespace}`;
const targetName = ({ event }: Seen) => event.facts.canary.spec.targetRef.name;
const primaryServes = ({ event }: Seen) => event.facts.primary?.serving === true || event.facts.target?.serving !== true;

function release(seen: Seen, change: Partial<Release>): Change {
  return { release: { ...seen.context.release, ...change } };
}

type Window = 'measuredFromMs' | 'othersUntilMs';

/** Drops what a change sets to undefined, so that records compare and serialise cleanly. */
function without(
  from: Release,
  ...keys: (
    | 'gate'
    | 'reason'
    | 'wakeAtMs'
    | 'heldRoutes'
    | 'verdicts'
    | 'preRolloutPassed'
    | 'awaitedSinceMs'
    | 'blindSinceMs'
    | 'recent'
    | 'failures'
    | Window
  )[]
): Release {
  const left = { ...from };
  for (const key of keys) delete left[key];
  return left;
}

/** Why a release failed stays until the next one starts; any other reason ends with its step. */
function stepping({ context }: Seen): Release {
  return context.recorded?.phase === 'Failed' ? without(context.release, 'wakeAtMs') : without(context.release, 'reason', 'wakeAtMs');
}

function ask(seen: Seen, question: Ask): Change {
  const attempt = seen.context.attempt + 1;
  const id = `${seen.context.release.run}/${seen.context.release.revision}/${attempt}`;
  const isAnswerable = question.kind !== 'announce' && question.kind !== 'wakeAt' && question.kind !== 'record';
  return { attempt, asks: [...seen.context.asks, { ...question, id } as Question], ...(isAnswerable ? { open: id } : {}) };
}

function tell(seen: Seen, announcement: Announcement): Change {
  return ask(seen, { kind: 'announce', announcement });
}

function refusal({ event }: Seen): string {
  if (event.type !== 'ANSWER' || !('outcome' in event.answer) || event.answer.outcome !== 'refused') return '';
  return event.answer.kind === 'runHooks' ? `${event.answer.webhook}: ${event.answer.reason}` : event.answer.reason;
}

function judgementOf({ event }: Seen) {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return undefined;
  return judge(event.answer.verdicts, event.facts.canary.spec.analysis.unmeasured);
}

function judgement(seen: Seen): string {
  const result = judgementOf(seen);
  return result === undefined || result.outcome === 'passed' ? '' : result.reason;
}

/** What cannot be measured neither counts nor passes. */
const isHeld = (seen: Seen): boolean => judgementOf(seen)?.outcome === 'hold';

/** With an alert of it listed (rule E64). */
function alerting(seen: Seen, from: Release, alert: Alert): Release {
  return withDeliveries(from, alertDeliveries(seen, from, alert));
}

type Outcome = NonNullable<Delivery['outcome']>;

function terminal(
  seen: Seen,
  from: Release,
  outcome: Outcome,
  message: string,
  alert?: Pick<Alert, 'reason' | 'severity' | 'verdicts'>,
): Release {
  const hooks = outcome === 'Succeeded' || outcome === 'Failed';
  const kinds: Delivery['kind'][] = ['event'];
  if (hooks && hasHooks(seen.event.facts.canary, 'post-rollout')) kinds.push('post-rollout');
  const key = `${seen.event.facts.canary.metadata.uid}/${from.run}/${from.revision}/${outcome}`;
  const listed = withDeliveries(
    from,
    kinds.map((kind) => ({ key: `${key}/${kind}`, kind, outcome, message, sinceMs: now(seen) })),
  );
  return alert ? alerting(seen, listed, { ...alert, outcome, message }) : listed;
}

function hookAsk(type: HookType) {
  return (seen: Seen): Change => ask(seen, { kind: 'runHooks', type, phase: seen.context.recorded?.phase ?? '' });
}

function pinned(seen: Seen, from: Release): Release {
  const { target } = seen.event.facts;
  return target ? pinTo(target, from) : from;
}

function fresh(seen: Seen, from: Release): Release {
  const routes = primaryServes(seen) ? homeRoutes(from.routes) : from.routes;
  // Pods of a revision that nobody has judged get nothing more, so the primary is raised but not waited for.
  const held = podsAtStart(seen, reachesCanary(from.routes) ? holdingPrimary(seen, from) : withoutCapacity(from));
  return {
    ...without(
      held,
      'gate',
      'reason',
      'wakeAtMs',
      'heldRoutes',
      'verdicts',
      'preRolloutPassed',
      'awaitedSinceMs',
      'blindSinceMs',
      'recent',
      'failures',
      'measuredFromMs',
      'othersUntilMs',
    ),
    run: from.run + 1,
    routes,
    failedChecks: 0,
    iterations: 0,
    startedMs: now(seen),
    stepStartedMs: now(seen),
    confirmed: true,
  };
}

/** The last revision had its last requests when its pods went, and proxies heard of that no later than of a route (E20a). */
function restingSince({ context, event }: Seen): number | undefined {
  if (event.facts.target?.replicas !== 0) return undefined;
  return Math.min(event.facts.nowMs, (context.recorded?.release.stepStartedMs ?? event.facts.nowMs) + event.facts.scaleDownDelayMs);
}

function failure(seen: Seen): string {
  const { context, event } = seen;
  const { target } = event.facts;
  if (event.type === 'ANSWER' && event.answer.kind === 'runHooks' && event.answer.outcome === 'passed')
    return 'a rollback hook asked for it';
  if (isHeld(seen)) {
    const { blindSinceMs = event.facts.nowMs } = context.release;
    return `checks could not be measured for ${Math.round((event.facts.nowMs - blindSinceMs) / 1000)} s, since ${timestamp(blindSinceMs)}: ${judgement(seen)}`;
  }
  const over = judgementOf(seen) && overLimit(context.release.failures ?? {}, event.facts.canary.spec.analysis);
  if (over) return `${over.name} failed ${over.failures} times, more than its failureLimit of ${over.limit}, last: ${judgement(seen)}`;
  if (event.type === 'ANSWER') return `${context.release.failedChecks} failed checks, last: ${refusal(seen) || judgement(seen)}`;
  if (target?.readiness.state === 'stalled')
    return `the canary cannot become ready: ${target.readiness.reason ?? 'its rollout is stalled'}`;
  const { refused } = event.facts;
  if (event.facts.nowMs >= (refused?.uncheckedUntilMs ?? Number.POSITIVE_INFINITY))
    return `nobody could check the canary any longer, since its spec is refused: ${refused?.message}`;
  const seconds = progressDeadlineMs(event.facts.canary) / 1000;
  const { capacity } = context.release;
  if (capacity?.side === 'target') {
    return `the canary did not get the ${capacity.pods} pods that its next step needs within ${seconds} s: ${target?.readiness.ready ?? 0} are ready`;
  }
  return `the canary was not ready within ${seconds} s${target?.readiness.reason ? `: ${target.readiness.reason}` : ''}`;
}

function goHome(seen: Seen): Change {
  const { release: now } = seen.context;
  const held = now.capacity?.side === 'primary' || !reachesCanary(now.routes) ? now : holdingPrimary(seen, now);
  return { release: { ...held, routes: homeRoutes(now.routes) } };
}

/** What each transition does to the memory; the chart names them. */
export const changes = {
  begin: (seen: Seen): Change => ({
    release: { ...stepping(seen), stepStartedMs: now(seen) },
    open: undefined,
    wakeAtMs: undefined,
  }),

  bindTarget: (seen: Seen) => ({ release: pinned(seen, seen.context.release) }),
  reportLatePrimary: (seen: Seen) => {
    const message = `Primary of ${targetName(seen)} is not ready yet; ${targetName(seen)} keeps serving until it is`;
    return { ...tell(seen, say('PrimaryLate', message, { warning: true })), ...release(seen, { reason: message }), wakeAtMs: undefined };
  },
  initialize: (seen: Seen) => {
    const { release: known } = seen.context;
    const { primary, target } = seen.event.facts;
    // What another controller left in the primary is what serves: a target that is something else by now is released (E3).
    const revision = known.promotedRevision ?? primary?.carries ?? target?.revision ?? known.revision;
    const message = `${who(seen)} is initialized: its primary serves`;
    const initialized = { ...withRevision(withoutCapacity(known), revision), promotedRevision: revision };
    return {
      ...tell(seen, say('Initialized', message)),
      release: alerting(seen, initialized, { reason: 'Initialized', severity: 'info', message, isDetailed: true }),
    };
  },

  pin: (seen: Seen) => ({ release: pinned(seen, seen.context.release) }),
  /** No pod has read anything yet, so what there is now is what they will read. */
  pinUnread: (seen: Seen) => (isUnread(seen) ? { release: pinned(seen, seen.context.release) } : {}),
  noteReturn: (seen: Seen) => ({ release: without(pinned(seen, seen.context.release), 'gate') }),
  startRun: (seen: Seen) => {
    const message = `New revision of ${targetName(seen)} found, its release begins`;
    const begun = fresh(seen, pinned(seen, seen.context.release));
    const othersUntilMs = restingSince(seen);
    const started = { ...begun, ...(othersUntilMs === undefined ? {} : { othersUntilMs }) };
    return {
      ...tell(seen, say('NewRevision', message)),
      release: alerting(seen, started, { reason: 'NewRevision', severity: 'info', message, isDetailed: true }),
    };
  },
  supersede: (seen: Seen) => {
    const { release: old } = seen.context;
    const isNewer = seen.event.facts.target !== undefined && seen.event.facts.target.revision !== old.revision;
    const ended = isNewer ? terminal(seen, old, 'superseded', `A newer revision of ${targetName(seen)} takes the place of this one`) : old;
    return { release: fresh(seen, pinned(seen, ended)), open: undefined, wakeAtMs: undefined };
  },
  cancel: (seen: Seen) => {
    const ended = terminal(seen, seen.context.release, 'cancelled', `${targetName(seen)} is back at the promoted revision`);
    return { release: comingHome(seen, without(pinned(seen, ended), 'heldRoutes', 'gate', 'blindSinceMs'), primaryServes(seen)) };
  },

  askConfirmRollout: hookAsk('confirm-rollout'),
  askPreRollout: hookAsk('pre-rollout'),
  askConfirmTraffic: hookAsk('confirm-traffic-increase'),
  askConfirmPromotion: hookAsk('confirm-promotion'),
  askRollout: hookAsk('rollout'),
  askRollback: hookAsk('rollback'),
  askMeasure: (seen: Seen) => ask(seen, { kind: 'measure' }),
  askPromote: (seen: Seen) => ask(seen, { kind: 'promote', revision: seen.context.release.revision }),
  askRestore: (seen: Seen) => {
    const revision = seen.context.release.promotedRevision;
    return revision === undefined ? {} : ask(seen, { kind: 'restorePrimary', revision });
  },

  wakeAtDeadline: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + progressDeadlineMs(seen.event.facts.canary) }),
  wakeAfterDrain: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + seen.event.facts.scaleDownDelayMs }),
  wakeAtCheck: (seen: Seen) => ({ wakeAtMs: seen.context.release.wakeAtMs ?? now(seen) }),
  wakeNextInterval: (seen: Seen) => ({ wakeAtMs: now(seen) + seen.event.facts.intervalMs }),
  wakeNextShift: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + seen.event.facts.intervalMs }),
  wakeAfterRaise: (seen: Seen) => ({ wakeAtMs: seen.context.release.stepStartedMs + Math.min(seen.event.facts.intervalMs, 30_000) }),

  /** A closed gate or a refused write: again in one interval. Told once for each reason; an alert once for each gate (A3–A5, W5). */
  poll: (seen: Seen) => {
    const reason = refusal(seen);
    const isNews = seen.context.release.reason !== reason && reason !== '';
    const gate = closedGate(seen);
    const told = { ...seen.context.release, ...(reason === '' ? {} : { reason }), ...(gate === undefined ? {} : { gate }) };
    const isAlert = gate !== undefined && gate !== seen.context.release.gate && gateNamed(seen, gate)?.muteAlert !== true;
    return {
      ...(isNews ? tell(seen, say(gate === undefined ? 'PrimaryRefused' : 'GateClosed', reason, { warning: true })) : {}),
      release: isAlert ? alerting(seen, told, { reason: 'GateClosed', severity: 'warn', message: gateMessage(seen, gate, reason) }) : told,
      open: undefined,
      wakeAtMs: now(seen) + seen.event.facts.intervalMs,
    };
  },
  countFailure: (seen: Seen) => {
    const { analysis } = seen.event.facts.canary.spec;
    const failedChecks = seen.context.release.failedChecks + 1;
    const reason = refusal(seen) || judgement(seen);
    const message = `Check failed (${failedChecks} of ${thresholdOf(analysis)}): ${reason}`;
    return { ...tell(seen, say('CheckFailed', message, { warning: true })), ...release(seen, { failedChecks, reason }), open: undefined };
  },
  /** Told once for each reason: since when, until when, and what happens then (E22a). The last look is at the deadline. */
  hold: (seen: Seen) => {
    const { facts } = seen.event;
    const { reason: before, blindSinceMs } = seen.context.release;
    const reason = judgement(seen);
    const next = now(seen) + facts.intervalMs;
    if (blindSinceMs === undefined) return { ...release(seen, { reason, wakeAtMs: next }), open: undefined };
    const untilMs = blindUntilMs(facts.canary, blindSinceMs);
    const message = `Holding since ${timestamp(blindSinceMs)}, nothing is counted: ${reason}; unless it can be measured by ${timestamp(untilMs)}, the release is taken back`;
    return {
      ...(before === reason ? {} : tell(seen, say('Unmeasured', message, { warning: true }))),
      ...release(seen, { reason, wakeAtMs: untilMs > now(seen) ? Math.min(next, untilMs) : next }),
      open: undefined,
    };
  },
  waitForPrimary: (seen: Seen) => ({
    ...release(seen, { reason: `primary is not ready: ${seen.event.facts.primary?.readiness.reason ?? 'it has no serving pods'}` }),
    open: undefined,
  }),
  tellHoldUp: (seen: Seen) => {
    const { refused, unconfirmed = '' } = seen.event.facts;
    // What is refused is told by every sentence as it is (E65).
    return refused
      ? { release: without(seen.context.release, 'reason'), open: undefined }
      : { ...release(seen, { reason: unconfirmed }), open: undefined };
  },
  checkNextInterval: (seen: Seen) => release(seen, { wakeAtMs: now(seen) + seen.event.facts.intervalMs }),
  keepVerdicts: (seen: Seen) => {
    if (seen.event.type !== 'ANSWER' || seen.event.answer.kind !== 'measure') return {};
    const { verdicts } = seen.event.answer;
    const isBlindNow = seen.event.facts.canary.spec.analysis.unmeasured === 'hold' && isBlind({ verdicts });
    const { blindSinceMs = now(seen), recent: before = {}, failures: counted = {}, ...known } = seen.context.release;
    const failures = countedFailures(counted, verdicts, seen.event.facts.canary.spec.analysis);
    return {
      release: {
        ...known,
        verdicts: [...verdicts],
        ...(verdicts.length === 0 ? {} : { recent: withRecent(before, verdicts, now(seen)) }),
        ...(Object.keys(failures).length === 0 ? {} : { failures }),
        ...(isBlindNow ? { blindSinceMs } : {}),
      },
    };
  },
  /** The pods of this revision alone answer from here on (E20a). A canary that comes back after a fall keeps its own past. */
  isolate: (seen: Seen) => ({
    release: {
      ...without(seen.context.release, 'awaitedSinceMs'),
      measuredFromMs: seen.context.release.measuredFromMs ?? now(seen),
    },
  }),
  /** Before `begin`: what follows belongs to the same wait, should the canary fall again (E1). */
  keepClock: (seen: Seen) => release(seen, { awaitedSinceMs: seen.context.release.stepStartedMs }),
  /** After `begin`: a canary that was ready for a moment is waited for no longer than one that never was. */
  resumeClock: (seen: Seen) => ({
    release: {
      ...without(seen.context.release, 'awaitedSinceMs'),
      stepStartedMs: seen.context.release.awaitedSinceMs ?? seen.context.release.stepStartedMs,
    },
  }),
  passPreRollout: (seen: Seen) => release(seen, { preRolloutPassed: true }),
  closeQuestion: () => ({ open: undefined }),
  /** Asked again: until it is answered nothing is due, or every event would ask once more and drop the answer under way. */
  forgetWake: () => ({ wakeAtMs: undefined }),

  takeStep: (seen: Seen) => {
    const { facts } = seen.event;
    const move = nextMove(seen.context.release, facts.canary, facts);
    if (move.kind === 'promote') return {};
    const what = describe(move.routes, move.iterations);
    return {
      ...tell(seen, say('Stepped', `${who(seen)}: ${what}`)),
      release: {
        ...without(heldThroughStep(seen), 'gate'),
        routes: move.routes,
        iterations: move.iterations,
        wakeAtMs: now(seen) + facts.intervalMs,
      },
    };
  },
  goHome,
  /** The primary is raised before it gets more (E60): to what the sides that carry the load have now. */
  raisePrimary: (seen: Seen) => ({ release: holdingPrimary(seen, seen.context.release) }),
  /** The same for a primary whose promoted revision is complete: only then its present pods prove anything. */
  raisePromoted: (seen: Seen) => {
    const held = holdingPrimary(seen, seen.context.release);
    const had = seen.event.facts.primary?.readiness.ready ?? 0;
    return { release: held.capacity ? { ...held, capacity: { ...held.capacity, had } } : held };
  },
  raiseTarget: (seen: Seen) => ({ release: holdingTarget(seen.context.release, stepNeed(seen)), open: undefined }),
  raiseToGiveBack: (seen: Seen) => ({ release: holdingTarget(seen.context.release, backNeed(seen)) }),
  noteReached: (seen: Seen) => {
    const { capacity } = seen.context.release;
    if (!capacity) return {};
    return {
      ...release(seen, { capacity: { ...capacity, reachedMs: now(seen) } }),
      wakeAtMs: now(seen) + settlingMs(capacity.side, seen.event.facts.scaleDownDelayMs),
    };
  },
  noteLost: (seen: Seen) => {
    const { reachedMs: _, ...capacity } = seen.context.release.capacity ?? { side: 'primary', pods: 0 };
    return { ...release(seen, { capacity }), wakeAtMs: seen.context.release.stepStartedMs + progressDeadlineMs(seen.event.facts.canary) };
  },
  /** As much as the pods that are ready can bear (E31). */
  returnSome: (seen: Seen) => {
    const { facts } = seen.event;
    const { routes } = seen.context.release;
    return release(seen, { routes: withWeight(routes, bearableWeight(seen) ?? weightOf(routes), facts.canary, facts) });
  },
  comeHome: (seen: Seen) => ({ release: comingHome(seen, seen.context.release, true) }),
  forgetCapacity: (seen: Seen) => ({ release: withoutCapacity(seen.context.release) }),
  holdBack: (seen: Seen) => ({
    ...tell(seen, say('CanaryDown', `Canary of ${who(seen)} has no serving pods; its traffic goes to the primary`, { warning: true })),
    release: {
      ...(reachesCanary(seen.context.release.routes) ? holdingPrimary(seen, seen.context.release) : withoutCapacity(seen.context.release)),
      heldRoutes: seen.context.release.routes,
      routes: homeKeepingCookies(seen.context.release.routes),
    },
  }),
  giveBack: (seen: Seen) => {
    const { heldRoutes, routes } = seen.context.release;
    return {
      ...tell(seen, say('CanaryBack', `Canary of ${who(seen)} serves again and has its traffic back`)),
      release: {
        ...withoutCapacity(without(seen.context.release, 'heldRoutes', 'awaitedSinceMs')),
        routes: heldRoutes ?? routes,
        wakeAtMs: now(seen) + seen.event.facts.intervalMs,
      },
    };
  },

  rollBack: (seen: Seen) => {
    const isAsked = seen.event.type === 'ANSWER' && seen.event.answer.kind === 'runHooks' && seen.event.answer.outcome === 'passed';
    const counted = seen.event.type === 'ANSWER' && !isAsked && !isHeld(seen);
    const { failedChecks } = seen.context.release;
    const bare = {
      ...without(seen.context.release, 'heldRoutes', 'awaitedSinceMs', 'gate', 'blindSinceMs'),
      failedChecks: failedChecks + (counted ? 1 : 0),
    };
    const reason = failure({
      ...seen,
      context: { ...seen.context, release: { ...seen.context.release, failedChecks: bare.failedChecks } },
    });
    // Asked for by a hook it is no fault of the release, unless its checks had failed already (A6, A7).
    const isWanted = isAsked && failedChecks < thresholdOf(seen.event.facts.canary.spec.analysis);
    const ended = terminal(seen, bare, 'Failed', `Release of ${who(seen)} was taken back: ${reason}`, {
      reason: 'Failed',
      severity: isWanted ? 'warn' : 'error',
      verdicts: decisive(seen),
    });
    const isFit = seen.event.facts.primary?.readiness.state === 'ready' && seen.event.facts.primary.serving;
    return { release: { ...comingHome(seen, ended, isFit), reason } };
  },
  startPromotion: (seen: Seen) => ({
    ...tell(seen, say('Promoting', `${who(seen)} is promoted: its primary takes the new revision`)),
    release: without(withoutCapacity(seen.context.release), 'gate', 'blindSinceMs'),
  }),
  shift: (seen: Seen) => {
    const { facts } = seen.event;
    const left = nextPromotionWeight(facts.canary.spec.analysis, weightOf(seen.context.release.routes));
    const routes = withWeight(seen.context.release.routes, left, facts.canary, facts);
    return {
      ...tell(seen, say('Shifted', `${who(seen)}: ${100 - left}% of traffic is on the promoted primary`)),
      release: { ...(isPrimaryHeld(seen) ? seen.context.release : holdingPrimary(seen, seen.context.release)), routes },
    };
  },
  failPromotion: (seen: Seen) => {
    const { facts } = seen.event;
    const why = facts.primary?.readiness.reason ?? 'it was not ready in time';
    const reason = `the primary could not take the promoted revision: ${why}`;
    const ended = terminal(seen, seen.context.release, 'Failed', `Promotion of ${who(seen)} failed: ${reason}`, {
      reason: 'PromotionFailed',
      severity: 'error',
    });
    const canServe = facts.supports.weights && facts.target?.serving === true;
    const routes: Routes = canServe ? { kind: 'weighted', canary: weight(100) } : ended.routes;
    const held = canServe ? holdingTarget(ended, targetNeed(seen)) : withoutCapacity(ended);
    return {
      ...tell(seen, say('PromotionFailed', reason, { warning: true })),
      release: { ...held, routes, reason },
    };
  },
  explainRestore: (seen: Seen) => release(seen, { reason: 'the last promoted template is being put back into the primary' }),
  succeed: (seen: Seen) => {
    const { release: done } = seen.context;
    const ended = terminal(seen, done, 'Succeeded', `${who(seen)} is promoted and its canary rests`, {
      reason: 'Succeeded',
      severity: 'info',
    });
    return { release: { ...withoutCapacity(ended), promotedRevision: done.revision, iterations: 0 } };
  },

  acknowledge: (seen: Seen) => {
    const { event, context } = seen;
    if (event.type !== 'DELIVERED') return {};
    const left = (context.release.deliveries ?? []).filter((one) => one.key !== event.key);
    return release(seen, { deliveries: left });
  },
};
export type ChangeName = keyof typeof changes;

/** Its scaler sees the load of a step later than the pods do, and would take them away meanwhile (E62). */
function heldThroughStep(seen: Seen): Release {
  const { release: before } = seen.context;
  const pods = before.capacity?.side === 'target' && before.step === 'raising' ? before.capacity.pods : stepNeed(seen);
  const { capacity, ...held } = holdingTarget(before, pods);
  const untilMs = now(seen) + longestHoldMs(seen.event.facts.intervalMs);
  return capacity ? { ...held, capacity: { ...capacity, untilMs } } : held;
}

function isPrimaryHeld({ context }: Seen): boolean {
  return context.release.capacity?.side === 'primary' || !reachesCanary(context.release.routes);
}

/** Held back is not the end of a release: its cookies stay valid for when it returns. */
function homeKeepingCookies(routes: Routes): Routes {
  return reachesCanary(routes) || routes.kind === 'mirrored' ? { kind: 'weighted', canary: weight(0) } : routes;
}

/** The webhook that holds the release. */
function closedGate({ event }: Seen): string | undefined {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'runHooks' || event.answer.outcome !== 'refused') return undefined;
  return event.answer.webhook;
}

function gateNamed({ event }: Seen, gate: string) {
  return event.facts.canary.spec.analysis.webhooks?.find(({ name, type }) => name === gate && type?.startsWith('confirm-'));
}

function gateMessage(seen: Seen, gate: string, reason: string): string {
  const type = gateNamed(seen, gate)?.type;
  const what = type === 'confirm-rollout' ? 'its start' : type === 'confirm-promotion' ? 'its promotion' : 'more traffic';
  return `${who(seen)} waits for approval of ${what}: ${reason}`;
}

/** What the checks of this tick have found against the canary. */
function decisive({ event }: Seen): readonly Verdict[] {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return [];
  const decided = event.answer.verdicts.filter(({ observed, early }) => observed !== true && early !== true);
  return decided.filter(({ verdict }) => verdict !== 'passed');
}

function describe(routes: Routes, iterations: number): string {
  if (routes.kind === 'mirrored') return `a copy of ${routes.share}% of requests goes to the canary`;
  if (routes.kind === 'matched') return `matching requests go to the canary, iteration ${iterations}`;
  return iterations > 0 && routes.canary === 0 ? `iteration ${iterations}` : `canary weight is now ${routes.canary}%`;
}
