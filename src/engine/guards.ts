import { isRoutedToPrimary, reachesCanary } from '../api/routes.ts';
import type { Verb } from '../api/verb-request.ts';
import { hasCapacity, isFewer } from './capacity.ts';
import type { Seen } from './context.ts';
import { blindUntilMs, longestRaiseMs, progressDeadlineMs, rolloutDeadlineMs, scalerPatienceMs, settlingMs } from './deadlines.ts';
import { countedFailures, overLimit } from './failure-limits.ts';
import { isBlind, judge, thresholdOf } from './judge.ts';
import { nextPromotionWeight } from './next-weight.ts';
import { areSameConfigs, decidesPods, wereWrittenBetween } from './pin.ts';
import { backNeed, bearableWeight, isRaised, primaryNeed, stepNeed } from './raise.ts';
import { asksRollbackFirst } from './rollback-poll.ts';
import { hasHooks, nextMove, strategyOf, weightOf } from './strategy.ts';

const spec = ({ event }: Seen) => event.facts.canary.spec;
const target = ({ event }: Seen) => event.facts.target;
const primary = ({ event }: Seen) => event.facts.primary;
const outcomeIs = (seen: Seen, outcome: string) =>
  seen.event.type === 'ANSWER' && 'outcome' in seen.event.answer && seen.event.answer.outcome === outcome;

const isDue = ({ context, event }: Seen) => context.wakeAtMs !== undefined && event.facts.nowMs >= context.wakeAtMs;
/** Rollback hooks are asked first of all (E82). */
const isDueToAsk = (seen: Seen) => isDue(seen) && !isPaused(seen) && !asksRollbackFirst(seen);
/** Nothing is left to write. A provider that does not confirm it holds up what advances, and never what takes back (E63). */
const isWritten = ({ event }: Seen) => event.facts.converged || event.facts.unconfirmed !== undefined;
/** Nothing advances under a spec that is not the one that stands (E65), nor by routes that are not in force (E63). */
const isHeldUp = ({ event: { facts } }: Seen) =>
  facts.refused !== undefined || facts.unconfirmed !== undefined || facts.unroutable !== undefined;
/** A new share has to be one that the routes can hold (E96). */
const isUnroutable = ({ event }: Seen) => event.facts.unroutable !== undefined;
/** A person holds it: nothing advances, nothing is counted, and no deadline ends it (E71). */
export const isPaused = ({ context }: Pick<Seen, 'context'>) => context.release.paused !== undefined;
const asks = ({ event }: Seen, verb: Verb) => event.type === 'REQUEST' && event.request.verb === verb;
const isRefused = ({ event }: Seen) => event.facts.refused !== undefined;
const hasChanged = (seen: Seen) => {
  const now = target(seen);
  return now !== undefined && now.revision !== seen.context.release.revision && now.revision !== seen.context.release.promotedRevision;
};
const isBack = (seen: Seen) => {
  const { revision, promotedRevision } = seen.context.release;
  return promotedRevision !== undefined && revision !== promotedRevision && target(seen)?.revision === promotedRevision;
};
/** `E1`: nothing waits longer than its deadline, except for a blocker that only a person can remove. */
const isPast = (seen: Seen, deadlineMs: number) =>
  seen.event.facts.nowMs >= deadlineMs && seen.event.facts.blocker === undefined && !isPaused(seen);
const isOver = (seen: Seen, sinceMs: number | undefined) =>
  sinceMs !== undefined && isPast(seen, sinceMs + progressDeadlineMs(seen.event.facts.canary));
const isLate = (seen: Seen) => isOver(seen, seen.context.release.stepStartedMs);
/** `E100`: a rollout that goes on is not late. */
const rolloutDeadline = ({ context, event: { facts } }: Seen, side: 'primary' | 'target') =>
  rolloutDeadlineMs(facts.canary, context.release.stepStartedMs, facts[side]);
const isRolloutLate = (seen: Seen, side: 'primary' | 'target') => isPast(seen, rolloutDeadline(seen, side));
/** A primary that we have raised is as ready as it was before: pods that are still to come make it no worse. */
const isPrimaryReady = (seen: Seen) => {
  const { capacity } = seen.context.release;
  const now = primary(seen);
  const isAsBefore = capacity?.side === 'primary' && (now?.readiness.ready ?? 0) >= (capacity.had ?? Number.POSITIVE_INFINITY);
  return now?.serving === true && (now.readiness.state === 'ready' || isAsBefore);
};
export const isTargetReady = (seen: Seen) => target(seen)?.readiness.state === 'ready' && target(seen)?.serving === true;
/** Traffic may go to the primary: it serves, or the canary does not either (I5). */
const canPrimaryTakeAll = (seen: Seen) => primary(seen)?.serving === true || target(seen)?.serving !== true;
const hasLeft = ({ context }: Seen) => isRoutedToPrimary(context.release.routes);
const isAnswered = (seen: Seen) => seen.event.type === 'ANSWER';
const judged = ({ event }: Seen) => {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return undefined;
  return judge(event.answer.verdicts, event.facts.canary.spec.analysis.unmeasured).outcome;
};
/** E22a: what holds a release is waited for no longer than what a step waits for, and a blocker stops this clock, too. */
const isBlindTooLong = ({ context, event }: Seen) => {
  const { blindSinceMs } = context.release;
  const { nowMs, canary, blocker } = event.facts;
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure' || blindSinceMs === undefined || blocker !== undefined) return false;
  return isBlind(event.answer) && nowMs >= blindUntilMs(canary, blindSinceMs);
};
const isLastStrike = ({ context, event }: Seen) => context.release.failedChecks + 1 >= thresholdOf(event.facts.canary.spec.analysis);
/** One metric has failed more often than it may (E20b). */
const isOverItsLimit = ({ context, event }: Seen) => {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return false;
  const { analysis } = event.facts.canary.spec;
  return overLimit(countedFailures(context.release.failures ?? {}, event.answer.verdicts, analysis), analysis) !== undefined;
};
const move = ({ context, event }: Seen) => nextMove(context.release, event.facts.canary, event.facts);
const isPrimaryPromoted = (seen: Seen) => primary(seen)?.carries === seen.context.release.revision;

/** The primary is not written yet, and the canary is not what would be promoted: it may have lost pods since it passed. */
export const isUnproved = (seen: Seen) => !isPrimaryPromoted(seen) && !isTargetReady(seen);

const hasRaisedTarget = (seen: Seen) =>
  seen.event.facts.converged && isTargetReady(seen) && isPrimaryReady(seen) && hasSettledCapacity(seen);

/** The scaler keeps fewer pods than were asked of it, and has had its time: no release fails by that (E102). */
const isGivenLess = (seen: Seen) => {
  const { capacity, step, stepStartedMs, awaitedSinceMs = stepStartedMs } = seen.context.release;
  const { nowMs, canary, scaler } = seen.event.facts;
  if (capacity?.side !== 'target' || !scaler || isRefused(seen) || isUnroutable(seen) || isPaused(seen)) return false;
  const isLess = isFewer(target(seen)?.replicas ?? 0, Math.min(capacity.pods, scaler.target.max));
  const sinceMs = step === 'comingBack' ? awaitedSinceMs : stepStartedMs;
  return isLess && nowMs >= sinceMs + scalerPatienceMs(canary) && isTargetReady(seen) && isPrimaryReady(seen);
};

const isNewAndFree = (seen: Seen) => !isRefused(seen) && hasChanged(seen) && !hasHooks(seen.event.facts.canary, 'confirm-rollout');
const skips = (seen: Seen) => spec(seen).skipAnalysis === true && !isPaused(seen);
/** Both sides are ready by their thresholds and nothing holds the release: without this nothing advances, nor is promoted (I13, E80). */
const mayAdvance = (seen: Seen) => !isHeldUp(seen) && isTargetReady(seen) && isPrimaryReady(seen);
/** The canary is ready, without traffic, and the proxies know its pods. */
const hasSettled = (seen: Seen) =>
  !isRefused(seen) &&
  !isUnroutable(seen) &&
  !isPaused(seen) &&
  isDue(seen) &&
  isTargetReady(seen) &&
  seen.event.facts.converged &&
  hasLeft(seen);
const isGateForPromotion = (seen: Seen) => move(seen).gated && hasHooks(seen.event.facts.canary, 'confirm-promotion');

/** The questions that the chart puts to facts and answers; each is a pure reading of one moment. */
export const guards = {
  always: () => true,
  isDue,
  isDueToAsk,
  isLate,
  isDueAndLate: (seen: Seen) => isDue(seen) && isLate(seen),
  isLateAndUnready: (seen: Seen) => isRolloutLate(seen, 'target') && !isTargetReady(seen),
  targetRollsOn: (seen: Seen) => isDue(seen) && seen.event.facts.nowMs < rolloutDeadline(seen, 'target'),
  primaryRollsOn: (seen: Seen) => isDue(seen) && seen.event.facts.nowMs < rolloutDeadline(seen, 'primary'),
  isDueAndWritten: (seen: Seen) => isDueToAsk(seen) && isWritten(seen) && seen.event.facts.refused?.uncheckedUntilMs === undefined,
  isRefused,
  wasUnroutableForTooLong: ({ context, event: { facts } }: Seen) =>
    !isPaused({ context }) &&
    facts.unroutable !== undefined &&
    facts.refused === undefined &&
    facts.nowMs >= Math.max(facts.unroutable.sinceMs, context.release.stepStartedMs) + progressDeadlineMs(facts.canary),
  wasUncheckedForTooLong: ({ context, event: { facts } }: Seen) =>
    !isPaused({ context }) && facts.nowMs >= (facts.refused?.uncheckedUntilMs ?? Number.POSITIVE_INFINITY),
  isConverged: (seen: Seen) => seen.event.facts.converged,
  isConvergedAtHome: (seen: Seen) => seen.event.facts.converged && hasLeft(seen),

  primaryCanTakeOver: (seen: Seen) =>
    seen.event.facts.converged &&
    primary(seen)?.readiness.state === 'ready' &&
    (primary(seen)?.serving === true || target(seen)?.serving !== true) &&
    (target(seen)?.serving !== true || isEnough(seen, 'primary', primaryNeed(seen))),
  mustRaiseAtStart: (seen: Seen) => (primaryNeed(seen) ?? 0) > (seen.context.release.capacity?.pods ?? 0),
  primaryHasSettled: (seen: Seen) => isDue(seen) && guards.primaryCanTakeOver(seen),
  primaryIsLost: (seen: Seen) => !canPrimaryTakeAll(seen),
  isDrained: (seen: Seen) => hasDrained(seen) && seen.event.facts.converged && canPrimaryTakeAll(seen),

  isNewAndGated: (seen: Seen) => hasChanged(seen) && hasHooks(seen.event.facts.canary, 'confirm-rollout'),
  isNewAndFree,
  isNewAndFreeForStalePods: (seen: Seen) => isNewAndFree(seen) && hasStalePods(seen),
  isNewAndFreeWithPods: (seen: Seen) => isNewAndFree(seen) && hasReadConfigs(seen),
  isNew: hasChanged,
  isNewForStalePods: (seen: Seen) => hasChanged(seen) && hasStalePods(seen),
  isInDoubt: (seen: Seen) => (target(seen)?.pods ?? 0) > 0 && (wereWritten(seen) || isPinnedBlindly(seen)),
  isUnread,
  isNewWithPods: (seen: Seen) => hasChanged(seen) && hasReadConfigs(seen),
  passedTooEarly: (seen: Seen) => outcomeIs(seen, 'passed') && isRefused(seen),
  passedWithPods: (seen: Seen) => outcomeIs(seen, 'passed') && hasReadConfigs(seen),
  isEmpty: (seen: Seen) => target(seen)?.pods === 0 && seen.event.facts.converged,
  isBack,
  /** Without an analysis the revision is proved by nothing but its pods (E83). The primary may be what it is to mend. */
  skipsAnalysis: (seen: Seen) => skips(seen) && !isHeldUp(seen) && isTargetReady(seen) && seen.event.facts.converged,
  skipsWhileUnready: (seen: Seen) => skips(seen) && !isTargetReady(seen),

  isTargetStalled: (seen: Seen) => !isPaused(seen) && target(seen)?.readiness.state === 'stalled' && seen.event.facts.converged,
  canStartHooks: (seen: Seen) => hasSettled(seen) && hasPreRollout(seen) && !seen.context.release.preRolloutPassed,
  /** Its answer is of use only where a step may follow. */
  canStartGate: (seen: Seen) => hasSettled(seen) && mayAdvance(seen) && isTrafficGated(seen),
  canStart: (seen: Seen) => hasSettled(seen) && mayAdvance(seen),
  hasPassedPreRollout: (seen: Seen) => seen.context.release.preRolloutPassed === true,
  canPassToGate: (seen: Seen) => outcomeIs(seen, 'passed') && isTrafficGated(seen),
  canPassToStep: (seen: Seen) => outcomeIs(seen, 'passed') && mayAdvance(seen),
  targetIsDown: (seen: Seen) => target(seen)?.serving !== true,
  canGoHome: (seen: Seen) => !hasLeft(seen) && canPrimaryTakeAll(seen),
  targetIsReady: isTargetReady,
  targetIsBackAtHome: (seen: Seen) => isTargetReady(seen) && seen.event.facts.converged && hasLeft(seen),
  hasComeBack: (seen: Seen) => hasDrained(seen) && guards.targetIsBack(seen),
  targetIsBack: (seen: Seen) => isTargetReady(seen) && ((seen.event.facts.converged && !isShortOfItsOwn(seen)) || isGivenLess(seen)),
  targetIsBackButIsShort: (seen: Seen) => isTargetReady(seen) && seen.context.release.capacity?.side !== 'target' && isShortOfItsOwn(seen),

  isDueForHooks: (seen: Seen) => isDueToAsk(seen) && isWritten(seen) && hasHooks(seen.event.facts.canary, 'rollout'),
  isAnswered,
  hasPassed: (seen: Seen) => outcomeIs(seen, 'passed'),
  hasRefused: (seen: Seen) => outcomeIs(seen, 'refused'),
  hasRefusedForLast: (seen: Seen) => outcomeIs(seen, 'refused') && isLastStrike(seen),
  checksFailedForLast: (seen: Seen) => judged(seen) === 'failed' && (isLastStrike(seen) || isOverItsLimit(seen)),
  checksFailed: (seen: Seen) => judged(seen) === 'failed',
  checksHold: (seen: Seen) => judged(seen) === 'hold',
  checksHoldTooLong: (seen: Seen) => judged(seen) === 'hold' && isBlindTooLong(seen),
  mustWaitForPrimary: (seen: Seen) => judged(seen) === 'passed' && !isPrimaryReady(seen),
  isPassedButHeldUp: (seen: Seen) => judged(seen) === 'passed' && isHeldUp(seen),
  mustWaitForTarget: (seen: Seen) => judged(seen) === 'passed' && !isTargetReady(seen),
  isUnreadyTooLong: (seen: Seen) => !isTargetReady(seen) && isOver(seen, seen.context.release.awaitedSinceMs),
  isDueAndUnproved: (seen: Seen) => isDue(seen) && isUnproved(seen),
  isDueAndUnprovedAtStart: (seen: Seen) => guards.isDueAndUnproved(seen) && hasLeft(seen) && isBeforeAnalysis(seen),
  isDueAndShort: (seen: Seen) => isDue(seen) && !isPaused(seen) && !isTargetReady(seen),
  isDueAndUnready: (seen: Seen) => isDueToAsk(seen) && !isTargetReady(seen),
  mustAskPromotion: (seen: Seen) => judged(seen) === 'passed' && isGateForPromotion(seen),
  /** Also before the promotion, which ends the wait for more traffic; a release that waits for its promotion was let through (E81). */
  mustAskTraffic: (seen: Seen) => judged(seen) === 'passed' && isTrafficGated(seen) && seen.context.recorded?.phase === 'Progressing',
  mayPromote: (seen: Seen) => judged(seen) === 'passed' && move(seen).kind === 'promote',
  mayStep: (seen: Seen) => judged(seen) === 'passed' && move(seen).kind === 'step',
  passedToPromotionGate: (seen: Seen) => outcomeIs(seen, 'passed') && mayAdvance(seen) && isGateForPromotion(seen),
  passedToPromotion: (seen: Seen) => outcomeIs(seen, 'passed') && mayAdvance(seen) && move(seen).kind === 'promote',
  passedToStep: (seen: Seen) => outcomeIs(seen, 'passed') && mayAdvance(seen) && move(seen).kind === 'step',

  primaryIsPromoted: (seen: Seen) => isPrimaryPromoted(seen) && isPrimaryReady(seen) && seen.event.facts.converged,
  isLastShift: (seen: Seen) => isPrimaryPromoted(seen) && isPrimaryReady(seen) && seen.event.facts.converged && leavesNothing(seen),
  isShiftDue: (seen: Seen) => isDue(seen) && isPrimaryReady(seen) && seen.event.facts.converged,
  isLastShiftDue: (seen: Seen) =>
    (isDue(seen) || hasLeft(seen)) && isPrimaryReady(seen) && seen.event.facts.converged && leavesNothing(seen),
  promotionFailed: (seen: Seen) =>
    !isPrimaryReady(seen) && (primary(seen)?.readiness.state === 'stalled' || isRolloutLate(seen, 'primary')),
  /** The primary would get more than its pods can bear (E60). */
  primaryIsShort: (seen: Seen) =>
    guards.primaryIsPromoted(seen) && reachesCanary(seen.context.release.routes) && !isEnough(seen, 'primary', primaryNeed(seen)),
  capacityIsReached: (seen: Seen) => seen.context.release.capacity?.reachedMs === undefined && isRaised(seen, seen.context.release),
  capacityIsLost: (seen: Seen) => seen.context.release.capacity?.reachedMs !== undefined && !isRaised(seen, seen.context.release),
  isPrimaryRaised: (seen: Seen) => guards.primaryIsPromoted(seen) && (hasSettledCapacity(seen) || isLate(seen)),
  isPrimaryRaisedForLast: (seen: Seen) => guards.isPrimaryRaised(seen) && leavesNothing(seen),
  isTargetRaised: (seen: Seen) => !isRefused(seen) && !isUnroutable(seen) && !isPaused(seen) && hasRaisedTarget(seen),
  isGivenLess,
  isDueInRaise: (seen: Seen) => isDue(seen) && !isLate(seen),
  isLateAndShort: (seen: Seen) => isLate(seen) && !hasRaisedTarget(seen),
  mayStepButIsShort: (seen: Seen) => guards.mayStep(seen) && isShortOfStep(seen),
  passedToStepButIsShort: (seen: Seen) => guards.passedToStep(seen) && isShortOfStep(seen),
  canPassToStepButIsShort: (seen: Seen) => guards.canPassToStep(seen) && isShortOfStep(seen),
  canStartButIsShort: (seen: Seen) => guards.canStart(seen) && isShortOfStep(seen),
  targetIsDownAtStart: (seen: Seen) => guards.targetIsDown(seen) && hasLeft(seen) && seen.context.release.iterations === 0,
  canReturnSome: (seen: Seen) => bearableWeight(seen) !== undefined,
  wasWritten: (seen: Seen) => outcomeIs(seen, 'written'),
  wasMismatch: (seen: Seen) => outcomeIs(seen, 'mismatch'),
  wasMismatchWithPods: (seen: Seen) => outcomeIs(seen, 'mismatch') && hasReadConfigs(seen),
  canaryIsLost: (seen: Seen) =>
    reachesCanary(seen.context.release.routes) && target(seen)?.serving !== true && primary(seen)?.serving === true,

  asksToPromote: (seen: Seen) => asks(seen, 'promote'),
  asksToRollBack: (seen: Seen) => asks(seen, 'rollback'),
  asksToPause: (seen: Seen) => asks(seen, 'pause'),
  asksToResume: (seen: Seen) => asks(seen, 'resume'),
  asksToUndo: (seen: Seen) => asks(seen, 'undo'),
  approvesWithPods: (seen: Seen) => asks(seen, 'promote') && hasReadConfigs(seen),
  retriesGated: (seen: Seen) => asks(seen, 'retry') && hasHooks(seen.event.facts.canary, 'confirm-rollout'),
  retriesWithPods: (seen: Seen) => asks(seen, 'retry') && hasReadConfigs(seen),
  asksToRetry: (seen: Seen) => asks(seen, 'retry'),

  canReturn: (seen: Seen) =>
    !hasLeft(seen) &&
    ((isPrimaryReady(seen) && isRaised(seen, seen.context.release)) ||
      (canPrimaryTakeAll(seen) && (raisedLongEnough(seen) || target(seen)?.serving !== true))),
  mayRestore: (seen: Seen) => seen.event.facts.converged || raisedLongEnough(seen),
  primaryIsRestored: (seen: Seen) =>
    isPrimaryReady(seen) &&
    (seen.context.release.promotedRevision === undefined || primary(seen)?.carries === seen.context.release.promotedRevision),
};
export type GuardName = keyof typeof guards;

/** Pods exist, and what they have read when they started is not known. */
function hasReadConfigs(seen: Seen): boolean {
  const { pods = 0, configs = {}, undetermined } = target(seen) ?? {};
  const before = undetermined === undefined ? {} : seen.context.release.configs;
  return pods > 0 && Object.values({ ...before, ...configs }).some(decidesPods);
}

/** The analysis began when the configs could not be told (E57): its pods may have read anything since. */
function isPinnedBlindly(seen: Seen): boolean {
  const now = target(seen);
  const { observedGeneration, revision, configs } = seen.context.release;
  if (observedGeneration !== 0 || configs !== undefined || now?.undetermined !== undefined) return false;
  return now?.revision === revision && Object.values(now.configs ?? {}).some(decidesPods);
}

/** Pods exist that have read other configs than the ones that are there now, or may have. */
function hasStalePods(seen: Seen): boolean {
  const { pods = 0, configs = {} } = target(seen) ?? {};
  return pods > 0 && (!areSameConfigs(configs, seen.context.release.configs ?? {}) || wereWritten(seen));
}

/** Configs were written since the pin, or may have come and gone, and there is no pod that could have read them. */
export function isUnread(seen: Seen): boolean {
  const { pods, revision, undetermined } = target(seen) ?? {};
  return pods === 0 && undetermined === undefined && revision === seen.context.release.revision && wereWritten(seen);
}

function wereWritten(seen: Seen): boolean {
  return wereWrittenBetween(target(seen)?.configs ?? {}, seen.context.release.configs ?? {});
}

function isEnough({ event }: Seen, side: 'primary' | 'target', pods: number | undefined): boolean {
  return pods === undefined || hasCapacity(event.facts[side], pods);
}

function isShortOfStep(seen: Seen): boolean {
  return !isEnough(seen, 'target', stepNeed(seen));
}

function isShortOfItsOwn(seen: Seen): boolean {
  const { capacity } = seen.context.release;
  return capacity?.side === 'target' ? !isRaised(seen, seen.context.release) : !isEnough(seen, 'target', backNeed(seen));
}

/** Proxies have had time to learn of the pods that were added (E6a). */
function hasSettledCapacity({ context, event }: Seen): boolean {
  const { reachedMs, side = 'primary' } = context.release.capacity ?? {};
  return reachedMs !== undefined && event.facts.nowMs >= reachedMs + settlingMs(side, event.facts.scaleDownDelayMs);
}

/** The steps before the first traffic are still to come (I2, I10). */
function isBeforeAnalysis(seen: Seen): boolean {
  const { measuredFromMs, preRolloutPassed } = seen.context.release;
  return measuredFromMs === undefined || (hasPreRollout(seen) && !preRolloutPassed);
}

/** The pause for proxies is over, counted from when the step began (E5, E6a): a wake for something else does not begin it anew. */
function hasDrained({ context, event: { facts } }: Seen): boolean {
  return facts.nowMs >= context.release.stepStartedMs + facts.scaleDownDelayMs;
}

function hasPreRollout({ event }: Seen): boolean {
  return hasHooks(event.facts.canary, 'pre-rollout');
}

function isTrafficGated({ event }: Seen): boolean {
  const { canary, supports } = event.facts;
  return hasHooks(canary, 'confirm-traffic-increase') && strategyOf(canary, supports) === 'canary';
}

function leavesNothing({ context, event }: Seen): boolean {
  return nextPromotionWeight(event.facts.canary.spec.analysis, weightOf(context.release.routes)) === 0;
}

function raisedLongEnough({ context, event }: Seen): boolean {
  return event.facts.nowMs >= context.release.stepStartedMs + longestRaiseMs(event.facts.intervalMs);
}
