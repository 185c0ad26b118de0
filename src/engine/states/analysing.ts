import { comparedIn, judgementOf } from '../changes/answer.ts';
import type { ChangeName } from '../changes.ts';
import { awaitedEvidence, harmOf } from '../comparison/harm.ts';
import { isLastFailure, isOverItsLimit, isUnmeasuredTooLong } from '../conditions/failed-checks.ts';
import { hasFailed } from '../conditions/failing.ts';
import { isGateOver, isTrafficGated } from '../conditions/gates.ts';
import { isContested, isHeldUp, isMisled, isUnderContest, isWritten } from '../conditions/hold-ups.ts';
import { isPrimaryReady, isTargetDown, isTargetReady, mayAdvance } from '../conditions/sides.ts';
import { isDue, isDueToAsk, isOver } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { judgeChecks } from '../judge-checks.ts';
import { hasHooks, type Move, nextMove } from '../strategy.ts';
import { dueOfCheck, waitsOfCheck } from './awaited-check.ts';
import { failed, running, skipsAnalysis } from './interruptions.ts';
import { type Analysing, analyse, anew, type ChartMove, go, on, raise, withdraw } from './moves.ts';
import { stepOrRaise } from './shared-deciders.ts';
import { type Decider, hasOutcome, type State } from './state.ts';

/** Moves of every part of a check; they belong to the state around the parts. */
export function checkMoves(phase: Analysing) {
  return {
    withdrawTraffic: withdraw(phase, 'withdrawTraffic', 'resumeClock'),
    fallBack: anew(),
    rollBack: go('Failed.returningTraffic', 'keepVerdicts', 'recordRollback'),
    promote: go('Promoting.writingPrimary', 'keepVerdicts', 'startPromotion'),
    raise: raise('keepVerdicts'),
    step: go('Progressing.analysing.soaking', 'keepVerdicts', 'takeStep'),
    retry: soakAgain(phase, 'keepVerdicts', 'countFailure'),
    checkAgain: soakAgain(phase, 'closeQuestion'),
  };
}

function soakAgain(phase: Analysing, ...changes: ChangeName[]): ChartMove {
  return on(`${phase}.analysing.soaking`, ...changes, 'checkNextInterval');
}

/** The canary lost its pods, or needs no analysis any more (E83). */
const first: Decider<'withdrawTraffic' | 'fallBack'> = (input) => {
  if (isTargetDown(input)) return 'withdrawTraffic';
  return skipsAnalysis(input) && !isTargetReady(input) ? 'fallBack' : undefined;
};

/** Waits are the same in all parts of a check. */
const check = {
  polls: true,
  awaits: ['refusedHooks', 'checks', 'servingPrimary', 'shortTarget', 'evidence', 'nextCheck'],
  waits: waitsOfCheck,
  dueMs: dueOfCheck,
} satisfies Partial<State>;

/** One interval of soaking, then hooks and metrics, then the next step (E10); the same in both phases of an analysis. */
export const soaking = (phase: Analysing): State =>
  running({
    ...check,
    enter: ['wakeAtCheck'],
    decide: {
      first,
      facts(input) {
        if (!isTargetReady(input) && isOver(input, input.context.release.awaitedSinceMs)) return 'rollBack';
        if (!canCheck(input)) return failed(input);
        if (isContestNews(input) && !isDueToAsk(input)) return 'noteHeld';
        // A check that is due counts the failure (E27a).
        if (!isDueToAsk(input)) return isDue(input) ? undefined : failed(input);
        return hasHooks(input.event.facts.canary, 'rollout') ? 'callHooks' : 'measure';
      },
    },
    around: checkMoves(phase),
    moves: {
      countFailing: soakAgain(phase, 'countFailing'),
      noteHeld: on(`${phase}.analysing.soaking`, 'holdContest'),
      callHooks: on(`${phase}.analysing.callingHooks`, 'noteReadiness', 'noteContest'),
      measure: on(`${phase}.analysing.measuring`, 'noteReadiness', 'noteContest'),
    },
  });

/** The contest has begun in this interval, or has begun to mislead requests of the canary. */
function isContestNews(input: Input): boolean {
  const { contest, misled } = input.context;
  return isContested(input) && (contest === undefined || (isMisled(input) && misled === undefined));
}

/** Rollout hooks come before the metrics; a hook that refuses is a failed check (E20, E21). */
export const callingHooks = (phase: Analysing): State =>
  running({
    ...check,
    enter: ['askRollout'],
    decide: {
      first,
      answer(input) {
        if (hasOutcome(input, 'refused')) return isLastFailure(input) ? 'rollBack' : 'retry';
        return hasOutcome(input, 'passed') ? 'measure' : undefined;
      },
    },
    around: checkMoves(phase),
    moves: { measure: on(`${phase}.analysing.measuring`) },
  });

/** The metrics are measured, and decide if the release continues. */
export const measuring = (phase: Analysing): State =>
  running({
    ...check,
    enter: ['askMeasure'],
    decide: { first, answer: measured },
    around: checkMoves(phase),
    moves: {
      hold: on(`${phase}.analysing.soaking`, 'keepVerdicts', 'hold'),
      awaitPrimary: soakAgain(phase, 'keepVerdicts', 'waitForPrimary'),
      awaitCanary: on(`${phase}.analysing.soaking`, 'keepVerdicts', 'waitForTarget'),
      awaitEvidence: soakAgain(phase, 'keepVerdicts', 'noteEvidence'),
      holdUp: soakAgain(phase, 'keepVerdicts', 'noteHoldUp'),
      confirmTraffic: on(`${phase}.analysing.confirmingTraffic`, 'keepVerdicts'),
      confirmPromotion: on(`${phase}.analysing.confirmingPromotion`, 'keepVerdicts'),
    },
  });

/** A closed gate keeps the weight (E23). */
export const confirmingTraffic = (phase: Analysing): State =>
  running({
    ...check,
    enter: ['askConfirmTraffic'],
    decide: {
      first,
      answer(input) {
        if (hasOutcome(input, 'refused')) return isGateOver(input) ? 'rollBack' : 'hold';
        if (!hasOutcome(input, 'passed') || !mayAdvance(input)) return 'checkAgain';
        const move = moveAfter(input);
        return isGateForPromotion(input, move) ? 'confirmPromotion' : advanced(input, move);
      },
    },
    around: checkMoves(phase),
    moves: { hold: soakAgain(phase, 'poll'), confirmPromotion: on(`${phase}.analysing.confirmingPromotion`) },
  });

/** A closed gate is WaitingPromotion (E24). Blue/green calls it before all traffic goes to the canary (E16). */
export const confirmingPromotion = (phase: Analysing): State =>
  running({
    ...check,
    enter: ['askConfirmPromotion'],
    decide: {
      first,
      answer(input) {
        if (hasOutcome(input, 'refused')) return isGateOver(input) ? 'rollBack' : 'hold';
        return hasOutcome(input, 'passed') && mayAdvance(input) ? advanced(input, moveAfter(input)) : 'checkAgain';
      },
    },
    around: checkMoves(phase),
    moves: { hold: phase === 'Progressing' ? analyse('WaitingPromotion', 'poll', 'checkNextInterval') : soakAgain(phase, 'poll') },
  });

/**
 * A check of metrics without evidence: another writer had routed the canary's requests elsewhere, or contested routes made it unmeasurable (E63a). Failures of
 * the canary's own pods count all the same.
 */
function isVoid(input: Input): boolean {
  if (input.event.type !== 'ANSWER' || input.event.answer.kind !== 'measure' || hasFailed(input) || !isUnderContest(input)) return false;
  const { decisive } = judgeChecks(input.event.answer.verdicts);
  const isBlind = decisive.length > 0 && decisive.every(({ verdict }) => verdict === 'unmeasured');
  return isBlind || input.context.misled === true;
}

/**
 * The release ends if the comparison finds the canary bad (E123), if checks fail too often (E20, E20b, E21), or if they cannot be measured for too long (E22a).
 */
function measured(input: Input) {
  if (input.event.type === 'ANSWER' && harmOf(comparedIn(input), input.event.facts.canary) !== undefined) return 'rollBack';
  const outcome = judgementOf(input)?.outcome;
  if (isVoid(input) && outcome !== 'passed') return 'holdUp';
  if (outcome === 'hold' && isUnmeasuredTooLong(input)) return 'rollBack';
  // An interval counts once, for any number of failures.
  switch (outcome !== undefined && hasFailed(input) ? 'failed' : outcome) {
    case undefined:
      return undefined;
    case 'failed':
      return isLastFailure(input) || isOverItsLimit(input) ? 'rollBack' : 'retry';
    case 'hold':
      return 'hold';
    case 'passed':
      return passed(input);
  }
}

/** Under a refused spec hooks are called, but metrics are not measured (E65). */
function canCheck(input: Input): boolean {
  const { canary, refused } = input.event.facts;
  return isWritten(input) && (hasHooks(canary, 'rollout') || refused?.uncheckedUntilMs === undefined);
}

/** Reasons that hold a passed check: a side that is below its threshold (E80), the routes, the comparison (E124), and gates. */
function passed(input: Input) {
  if (!isPrimaryReady(input)) return 'awaitPrimary';
  if (!isTargetReady(input)) return 'awaitCanary';
  if (isHeldUp(input)) return 'holdUp';
  if (awaitedEvidence(comparedIn(input), input.event.facts.canary, input.event.facts.nowMs) !== undefined) return 'awaitEvidence';
  // Also before the promotion, which ends the wait for more traffic; a release that waits for its promotion has passed this gate (E81).
  if (isTrafficGated(input) && input.context.recorded?.phase === 'Progressing') return 'confirmTraffic';
  const move = moveAfter(input);
  return isGateForPromotion(input, move) ? 'confirmPromotion' : advanced(input, move);
}

function moveAfter({ context, event }: Input): Move {
  return nextMove(context.release, event.facts.canary, event.facts);
}

function isGateForPromotion({ event }: Input, { gated }: Move): boolean {
  return gated && hasHooks(event.facts.canary, 'confirm-promotion');
}

function advanced(input: Input, { kind }: Move): 'promote' | 'raise' | 'step' {
  return kind === 'promote' ? 'promote' : stepOrRaise(input);
}
