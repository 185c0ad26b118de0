import { isAtHome, reachesCanary } from '../api/routes.ts';
import type { Verb } from '../api/verb-request.ts';
import { hasCapacity, isFewer } from './capacity.ts';
import type { Input } from './context.ts';
import { blindUntilMs, longestRaiseMs, progressDeadlineMs, rolloutDeadlineMs, scalerPatienceMs, settlingMs } from './deadlines.ts';
import { countedFailures, overLimit } from './failure-limits.ts';
import { isBlind, judge, thresholdOf } from './judge.ts';
import { nextPromotionWeight } from './next-weight.ts';
import { areSameConfigs, decidesPods, wereWrittenBetween } from './pin.ts';
import { backNeed, bearableWeight, isRaised, primaryNeed, stepNeed } from './raise.ts';
import { asksRollbackFirst } from './rollback-poll.ts';
import { hasHooks, nextMove, strategyOf, weightOf } from './strategy.ts';

const spec = ({ event }: Input) => event.facts.canary.spec;
const target = ({ event }: Input) => event.facts.target;
const primary = ({ event }: Input) => event.facts.primary;
const outcomeIs = (input: Input, outcome: string) =>
  input.event.type === 'ANSWER' && 'outcome' in input.event.answer && input.event.answer.outcome === outcome;

const isDue = ({ context, event }: Input) => context.wakeAtMs !== undefined && event.facts.nowMs >= context.wakeAtMs;
/** Rollback hooks are asked first of all (E82). */
const isDueToAsk = (input: Input) => isDue(input) && !isPaused(input) && !asksRollbackFirst(input);
/** Nothing is left to write. A provider that does not confirm it holds up what advances, and never what takes back (E63). */
const isWritten = ({ event }: Input) => event.facts.converged || event.facts.unconfirmed !== undefined;
/** Nothing advances under a spec that is not the one that stands (E65), nor by routes that are not in force (E63). */
const isHeldUp = ({ event: { facts } }: Input) =>
  facts.refused !== undefined || facts.unconfirmed !== undefined || facts.unroutable !== undefined;
/** A new share has to be one that the routes can hold (E96). */
const isUnroutable = ({ event }: Input) => event.facts.unroutable !== undefined;
/** A person holds it: nothing advances, nothing is counted, and no deadline ends it (E71). */
export const isPaused = ({ context }: Pick<Input, 'context'>) => context.release.paused !== undefined;
const asks = ({ event }: Input, verb: Verb) => event.type === 'REQUEST' && event.request.verb === verb;
const isRefused = ({ event }: Input) => event.facts.refused !== undefined;
const hasChanged = (input: Input) => {
  const now = target(input);
  return now !== undefined && now.revision !== input.context.release.revision && now.revision !== input.context.release.promotedRevision;
};
const isBack = (input: Input) => {
  const { revision, promotedRevision } = input.context.release;
  return promotedRevision !== undefined && revision !== promotedRevision && target(input)?.revision === promotedRevision;
};
/** `E1`: nothing waits longer than its deadline, except for a blocker that only a person can remove. */
const isPast = (input: Input, deadlineMs: number) =>
  input.event.facts.nowMs >= deadlineMs && input.event.facts.blocker === undefined && !isPaused(input);
const isOver = (input: Input, sinceMs: number | undefined) =>
  sinceMs !== undefined && isPast(input, sinceMs + progressDeadlineMs(input.event.facts.canary));
const isLate = (input: Input) => isOver(input, input.context.release.stepStartedMs);
/** `E100`: a rollout that goes on is not late. */
const rolloutDeadline = ({ context, event: { facts } }: Input, side: 'primary' | 'target') =>
  rolloutDeadlineMs(facts.canary, context.release.stepStartedMs, facts[side]);
const isRolloutLate = (input: Input, side: 'primary' | 'target') => isPast(input, rolloutDeadline(input, side));
/** A primary that we have raised is as ready as it was before: pods that are still to come make it no worse. */
const isPrimaryReady = (input: Input) => {
  const { capacity } = input.context.release;
  const now = primary(input);
  const isAsBefore = capacity?.side === 'primary' && (now?.readiness.ready ?? 0) >= (capacity.had ?? Number.POSITIVE_INFINITY);
  return now?.serving === true && (now.readiness.state === 'ready' || isAsBefore);
};
export const isTargetReady = (input: Input) => target(input)?.readiness.state === 'ready' && target(input)?.serving === true;
/** Traffic may go to the primary: it serves, or the canary does not either (I5). */
const canPrimaryTakeAll = (input: Input) => primary(input)?.serving === true || target(input)?.serving !== true;
const hasLeft = ({ context }: Input) => isAtHome(context.release.routes);
const isAnswered = (input: Input) => input.event.type === 'ANSWER';
const judged = ({ event }: Input) => {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return undefined;
  return judge(event.answer.verdicts, event.facts.canary.spec.analysis.unmeasured).outcome;
};
/** E22a: what holds a release is waited for no longer than what a step waits for, and a blocker stops this clock, too. */
const isBlindTooLong = ({ context, event }: Input) => {
  const { blindSinceMs } = context.release;
  const { nowMs, canary, blocker } = event.facts;
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure' || blindSinceMs === undefined || blocker !== undefined) return false;
  return isBlind(event.answer) && nowMs >= blindUntilMs(canary, blindSinceMs);
};
const isLastStrike = ({ context, event }: Input) => context.release.failedChecks + 1 >= thresholdOf(event.facts.canary.spec.analysis);
/** One metric has failed more often than it may (E20b). */
const isOverItsLimit = ({ context, event }: Input) => {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return false;
  const { analysis } = event.facts.canary.spec;
  return overLimit(countedFailures(context.release.failures ?? {}, event.answer.verdicts, analysis), analysis) !== undefined;
};
const move = ({ context, event }: Input) => nextMove(context.release, event.facts.canary, event.facts);
const isPrimaryPromoted = (input: Input) => primary(input)?.carries === input.context.release.revision;

/** The primary is not written yet, and the canary is not what would be promoted: it may have lost pods since it passed. */
export const isUnproved = (input: Input) => !isPrimaryPromoted(input) && !isTargetReady(input);

const hasRaisedTarget = (input: Input) =>
  input.event.facts.converged && isTargetReady(input) && isPrimaryReady(input) && hasSettledCapacity(input);

/** The scaler keeps fewer pods than were asked of it, and has had its time: no release fails by that (E102). */
const isGivenLess = (input: Input) => {
  const { capacity, step, stepStartedMs, awaitedSinceMs = stepStartedMs } = input.context.release;
  const { nowMs, canary, scaler } = input.event.facts;
  if (capacity?.side !== 'target' || !scaler || isRefused(input) || isUnroutable(input) || isPaused(input)) return false;
  const isLess = isFewer(target(input)?.replicas ?? 0, Math.min(capacity.pods, scaler.target.max));
  const sinceMs = step === 'comingBack' ? awaitedSinceMs : stepStartedMs;
  return isLess && nowMs >= sinceMs + scalerPatienceMs(canary) && isTargetReady(input) && isPrimaryReady(input);
};

const isNewAndFree = (input: Input) => !isRefused(input) && hasChanged(input) && !hasHooks(input.event.facts.canary, 'confirm-rollout');
const skips = (input: Input) => spec(input).skipAnalysis === true && !isPaused(input);
/** Both sides are ready by their thresholds and nothing holds the release: without this nothing advances, nor is promoted (I13, E80). */
const mayAdvance = (input: Input) => !isHeldUp(input) && isTargetReady(input) && isPrimaryReady(input);
/** The canary is ready, without traffic, and the proxies know its pods. */
const hasSettled = (input: Input) =>
  !isRefused(input) &&
  !isUnroutable(input) &&
  !isPaused(input) &&
  isDue(input) &&
  isTargetReady(input) &&
  input.event.facts.converged &&
  hasLeft(input);
const isGateForPromotion = (input: Input) => move(input).gated && hasHooks(input.event.facts.canary, 'confirm-promotion');

/** The questions that the chart puts to facts and answers; each is a pure reading of one moment. */
export const guards = {
  always: () => true,
  isDue,
  isDueToAsk,
  isLate,
  isDueAndLate: (input: Input) => isDue(input) && isLate(input),
  isLateAndUnready: (input: Input) => isRolloutLate(input, 'target') && !isTargetReady(input),
  targetRollsOn: (input: Input) => isDue(input) && input.event.facts.nowMs < rolloutDeadline(input, 'target'),
  primaryRollsOn: (input: Input) => isDue(input) && input.event.facts.nowMs < rolloutDeadline(input, 'primary'),
  isDueAndWritten: (input: Input) => isDueToAsk(input) && isWritten(input) && input.event.facts.refused?.uncheckedUntilMs === undefined,
  isRefused,
  wasUnroutableForTooLong: ({ context, event: { facts } }: Input) =>
    !isPaused({ context }) &&
    facts.unroutable !== undefined &&
    facts.refused === undefined &&
    facts.nowMs >= Math.max(facts.unroutable.sinceMs, context.release.stepStartedMs) + progressDeadlineMs(facts.canary),
  wasUncheckedForTooLong: ({ context, event: { facts } }: Input) =>
    !isPaused({ context }) && facts.nowMs >= (facts.refused?.uncheckedUntilMs ?? Number.POSITIVE_INFINITY),
  isConverged: (input: Input) => input.event.facts.converged,
  isConvergedAtHome: (input: Input) => input.event.facts.converged && hasLeft(input),

  primaryCanTakeOver: (input: Input) =>
    input.event.facts.converged &&
    primary(input)?.readiness.state === 'ready' &&
    (primary(input)?.serving === true || target(input)?.serving !== true) &&
    (target(input)?.serving !== true || isEnough(input, 'primary', primaryNeed(input))),
  mustRaiseAtStart: (input: Input) => (primaryNeed(input) ?? 0) > (input.context.release.capacity?.pods ?? 0),
  primaryHasSettled: (input: Input) => isDue(input) && guards.primaryCanTakeOver(input),
  primaryIsLost: (input: Input) => !canPrimaryTakeAll(input),
  isDrained: (input: Input) => hasDrained(input) && input.event.facts.converged && canPrimaryTakeAll(input),

  isNewAndGated: (input: Input) => hasChanged(input) && hasHooks(input.event.facts.canary, 'confirm-rollout'),
  isNewAndFree,
  isNewAndFreeForStalePods: (input: Input) => isNewAndFree(input) && hasStalePods(input),
  isNewAndFreeWithPods: (input: Input) => isNewAndFree(input) && hasReadConfigs(input),
  isNew: hasChanged,
  isNewForStalePods: (input: Input) => hasChanged(input) && hasStalePods(input),
  isInDoubt: (input: Input) => (target(input)?.pods ?? 0) > 0 && (wereWritten(input) || isPinnedBlindly(input)),
  isUnread,
  isNewWithPods: (input: Input) => hasChanged(input) && hasReadConfigs(input),
  passedTooEarly: (input: Input) => outcomeIs(input, 'passed') && isRefused(input),
  passedWithPods: (input: Input) => outcomeIs(input, 'passed') && hasReadConfigs(input),
  isEmpty: (input: Input) => target(input)?.pods === 0 && input.event.facts.converged,
  isBack,
  /** Without an analysis the revision is proved by nothing but its pods (E83). The primary may be what it is to mend. */
  skipsAnalysis: (input: Input) => skips(input) && !isHeldUp(input) && isTargetReady(input) && input.event.facts.converged,
  skipsWhileUnready: (input: Input) => skips(input) && !isTargetReady(input),

  isTargetStalled: (input: Input) => !isPaused(input) && target(input)?.readiness.state === 'stalled' && input.event.facts.converged,
  canStartHooks: (input: Input) => hasSettled(input) && hasPreRollout(input) && !input.context.release.preRolloutPassed,
  /** Its answer is of use only where a step may follow. */
  canStartGate: (input: Input) => hasSettled(input) && mayAdvance(input) && isTrafficGated(input),
  canStart: (input: Input) => hasSettled(input) && mayAdvance(input),
  hasPassedPreRollout: (input: Input) => input.context.release.preRolloutPassed === true,
  canPassToGate: (input: Input) => outcomeIs(input, 'passed') && isTrafficGated(input),
  canPassToStep: (input: Input) => outcomeIs(input, 'passed') && mayAdvance(input),
  targetIsDown: (input: Input) => target(input)?.serving !== true,
  canGoHome: (input: Input) => !hasLeft(input) && canPrimaryTakeAll(input),
  targetIsReady: isTargetReady,
  targetIsBackAtHome: (input: Input) => isTargetReady(input) && input.event.facts.converged && hasLeft(input),
  hasComeBack: (input: Input) => hasDrained(input) && guards.targetIsBack(input),
  targetIsBack: (input: Input) => isTargetReady(input) && ((input.event.facts.converged && !isShortOfItsOwn(input)) || isGivenLess(input)),
  targetIsBackButIsShort: (input: Input) =>
    isTargetReady(input) && input.context.release.capacity?.side !== 'target' && isShortOfItsOwn(input),

  isDueForHooks: (input: Input) => isDueToAsk(input) && isWritten(input) && hasHooks(input.event.facts.canary, 'rollout'),
  isAnswered,
  hasPassed: (input: Input) => outcomeIs(input, 'passed'),
  hasRefused: (input: Input) => outcomeIs(input, 'refused'),
  hasRefusedForLast: (input: Input) => outcomeIs(input, 'refused') && isLastStrike(input),
  checksFailedForLast: (input: Input) => judged(input) === 'failed' && (isLastStrike(input) || isOverItsLimit(input)),
  checksFailed: (input: Input) => judged(input) === 'failed',
  checksHold: (input: Input) => judged(input) === 'hold',
  checksHoldTooLong: (input: Input) => judged(input) === 'hold' && isBlindTooLong(input),
  mustWaitForPrimary: (input: Input) => judged(input) === 'passed' && !isPrimaryReady(input),
  isPassedButHeldUp: (input: Input) => judged(input) === 'passed' && isHeldUp(input),
  mustWaitForTarget: (input: Input) => judged(input) === 'passed' && !isTargetReady(input),
  isUnreadyTooLong: (input: Input) => !isTargetReady(input) && isOver(input, input.context.release.awaitedSinceMs),
  isDueAndUnproved: (input: Input) => isDue(input) && isUnproved(input),
  isDueAndUnprovedAtStart: (input: Input) => guards.isDueAndUnproved(input) && hasLeft(input) && isBeforeAnalysis(input),
  isDueAndShort: (input: Input) => isDue(input) && !isPaused(input) && !isTargetReady(input),
  isDueAndUnready: (input: Input) => isDueToAsk(input) && !isTargetReady(input),
  mustAskPromotion: (input: Input) => judged(input) === 'passed' && isGateForPromotion(input),
  /** Also before the promotion, which ends the wait for more traffic; a release that waits for its promotion was let through (E81). */
  mustAskTraffic: (input: Input) => judged(input) === 'passed' && isTrafficGated(input) && input.context.recorded?.phase === 'Progressing',
  mayPromote: (input: Input) => judged(input) === 'passed' && move(input).kind === 'promote',
  mayStep: (input: Input) => judged(input) === 'passed' && move(input).kind === 'step',
  passedToPromotionGate: (input: Input) => outcomeIs(input, 'passed') && mayAdvance(input) && isGateForPromotion(input),
  passedToPromotion: (input: Input) => outcomeIs(input, 'passed') && mayAdvance(input) && move(input).kind === 'promote',
  passedToStep: (input: Input) => outcomeIs(input, 'passed') && mayAdvance(input) && move(input).kind === 'step',

  primaryIsPromoted: (input: Input) => isPrimaryPromoted(input) && isPrimaryReady(input) && input.event.facts.converged,
  isLastShift: (input: Input) => isPrimaryPromoted(input) && isPrimaryReady(input) && input.event.facts.converged && leavesNothing(input),
  isShiftDue: (input: Input) => isDue(input) && isPrimaryReady(input) && input.event.facts.converged,
  isLastShiftDue: (input: Input) =>
    (isDue(input) || hasLeft(input)) && isPrimaryReady(input) && input.event.facts.converged && leavesNothing(input),
  promotionFailed: (input: Input) =>
    !isPrimaryReady(input) && (primary(input)?.readiness.state === 'stalled' || isRolloutLate(input, 'primary')),
  /** The primary would get more than its pods can bear (E60). */
  primaryIsShort: (input: Input) =>
    guards.primaryIsPromoted(input) && reachesCanary(input.context.release.routes) && !isEnough(input, 'primary', primaryNeed(input)),
  capacityIsReached: (input: Input) => input.context.release.capacity?.reachedMs === undefined && isRaised(input, input.context.release),
  capacityIsLost: (input: Input) => input.context.release.capacity?.reachedMs !== undefined && !isRaised(input, input.context.release),
  isPrimaryRaised: (input: Input) => guards.primaryIsPromoted(input) && (hasSettledCapacity(input) || isLate(input)),
  isPrimaryRaisedForLast: (input: Input) => guards.isPrimaryRaised(input) && leavesNothing(input),
  isTargetRaised: (input: Input) => !isRefused(input) && !isUnroutable(input) && !isPaused(input) && hasRaisedTarget(input),
  isGivenLess,
  isDueInRaise: (input: Input) => isDue(input) && !isLate(input),
  isLateAndShort: (input: Input) => isLate(input) && !hasRaisedTarget(input),
  mayStepButIsShort: (input: Input) => guards.mayStep(input) && isShortOfStep(input),
  passedToStepButIsShort: (input: Input) => guards.passedToStep(input) && isShortOfStep(input),
  canPassToStepButIsShort: (input: Input) => guards.canPassToStep(input) && isShortOfStep(input),
  canStartButIsShort: (input: Input) => guards.canStart(input) && isShortOfStep(input),
  targetIsDownAtStart: (input: Input) => guards.targetIsDown(input) && hasLeft(input) && input.context.release.iterations === 0,
  canReturnSome: (input: Input) => bearableWeight(input) !== undefined,
  wasWritten: (input: Input) => outcomeIs(input, 'written'),
  wasMismatch: (input: Input) => outcomeIs(input, 'mismatch'),
  wasMismatchWithPods: (input: Input) => outcomeIs(input, 'mismatch') && hasReadConfigs(input),
  canaryIsLost: (input: Input) =>
    reachesCanary(input.context.release.routes) && target(input)?.serving !== true && primary(input)?.serving === true,

  asksToPromote: (input: Input) => asks(input, 'promote'),
  asksToRollBack: (input: Input) => asks(input, 'rollback'),
  asksToPause: (input: Input) => asks(input, 'pause'),
  asksToResume: (input: Input) => asks(input, 'resume'),
  asksToUndo: (input: Input) => asks(input, 'undo'),
  approvesWithPods: (input: Input) => asks(input, 'promote') && hasReadConfigs(input),
  retriesGated: (input: Input) => asks(input, 'retry') && hasHooks(input.event.facts.canary, 'confirm-rollout'),
  retriesWithPods: (input: Input) => asks(input, 'retry') && hasReadConfigs(input),
  asksToRetry: (input: Input) => asks(input, 'retry'),

  canReturn: (input: Input) =>
    !hasLeft(input) &&
    ((isPrimaryReady(input) && isRaised(input, input.context.release)) ||
      (canPrimaryTakeAll(input) && (raisedLongEnough(input) || target(input)?.serving !== true))),
  mayRestore: (input: Input) => input.event.facts.converged || raisedLongEnough(input),
  primaryIsRestored: (input: Input) =>
    isPrimaryReady(input) &&
    (input.context.release.promotedRevision === undefined || primary(input)?.carries === input.context.release.promotedRevision),
};
export type GuardName = keyof typeof guards;

/** Pods exist, and what they have read when they started is not known. */
function hasReadConfigs(input: Input): boolean {
  const { pods = 0, configs = {}, undetermined } = target(input) ?? {};
  const before = undetermined === undefined ? {} : input.context.release.configs;
  return pods > 0 && Object.values({ ...before, ...configs }).some(decidesPods);
}

/** The analysis began when the configs could not be told (E57): its pods may have read anything since. */
function isPinnedBlindly(input: Input): boolean {
  const now = target(input);
  const { observedGeneration, revision, configs } = input.context.release;
  if (observedGeneration !== 0 || configs !== undefined || now?.undetermined !== undefined) return false;
  return now?.revision === revision && Object.values(now.configs ?? {}).some(decidesPods);
}

/** Pods exist that have read other configs than the ones that are there now, or may have. */
function hasStalePods(input: Input): boolean {
  const { pods = 0, configs = {} } = target(input) ?? {};
  return pods > 0 && (!areSameConfigs(configs, input.context.release.configs ?? {}) || wereWritten(input));
}

/** Configs were written since the pin, or may have come and gone, and there is no pod that could have read them. */
export function isUnread(input: Input): boolean {
  const { pods, revision, undetermined } = target(input) ?? {};
  return pods === 0 && undetermined === undefined && revision === input.context.release.revision && wereWritten(input);
}

function wereWritten(input: Input): boolean {
  return wereWrittenBetween(target(input)?.configs ?? {}, input.context.release.configs ?? {});
}

function isEnough({ event }: Input, side: 'primary' | 'target', pods: number | undefined): boolean {
  return pods === undefined || hasCapacity(event.facts[side], pods);
}

function isShortOfStep(input: Input): boolean {
  return !isEnough(input, 'target', stepNeed(input));
}

function isShortOfItsOwn(input: Input): boolean {
  const { capacity } = input.context.release;
  return capacity?.side === 'target' ? !isRaised(input, input.context.release) : !isEnough(input, 'target', backNeed(input));
}

/** Proxies have had time to learn of the pods that were added (E6a). */
function hasSettledCapacity({ context, event }: Input): boolean {
  const { reachedMs, side = 'primary' } = context.release.capacity ?? {};
  return reachedMs !== undefined && event.facts.nowMs >= reachedMs + settlingMs(side, event.facts.scaleDownDelayMs);
}

/** The steps before the first traffic are still to come (I2, I10). */
function isBeforeAnalysis(input: Input): boolean {
  const { measuredFromMs, preRolloutPassed } = input.context.release;
  return measuredFromMs === undefined || (hasPreRollout(input) && !preRolloutPassed);
}

/** The pause for proxies is over, counted from when the step began (E5, E6a): a wake for something else does not begin it anew. */
function hasDrained({ context, event: { facts } }: Input): boolean {
  return facts.nowMs >= context.release.stepStartedMs + facts.scaleDownDelayMs;
}

function hasPreRollout({ event }: Input): boolean {
  return hasHooks(event.facts.canary, 'pre-rollout');
}

function isTrafficGated({ event }: Input): boolean {
  const { canary, supports } = event.facts;
  return hasHooks(canary, 'confirm-traffic-increase') && strategyOf(canary, supports) === 'canary';
}

function leavesNothing({ context, event }: Input): boolean {
  return nextPromotionWeight(event.facts.canary.spec.analysis, weightOf(context.release.routes)) === 0;
}

function raisedLongEnough({ context, event }: Input): boolean {
  return event.facts.nowMs >= context.release.stepStartedMs + longestRaiseMs(event.facts.intervalMs);
}
