import { isLastFailure } from '../conditions/failed-checks.ts';
import { isFailingDue, isUnreadyTooLong } from '../conditions/failing.ts';
import { isConverged, isHeldUp, isPaused, isWritten } from '../conditions/hold-ups.ts';
import { hasReadConfigs, hasStalePods, isBack, isNew, mayHaveReadOthers } from '../conditions/revision.ts';
import { isTargetReady } from '../conditions/sides.ts';
import type { Input } from '../context.ts';
import { progressDeadlineMs } from '../deadlines.ts';
import { counting, type Interruption, type Interruptions, interruptions, type Moves } from './moves.ts';
import { asksTo, type Decider, type Named, type State, type StateParts } from './state.ts';

/**
 * Everything that can end a release from outside, before its own work, in the order of least harm to users (E50, E51). For a newer revision `isStale` decides
 * that the present pods must not be analysed.
 */
const overtaking =
  (isStale: (input: Input) => boolean): Decider<Interruption> =>
  (input) => {
    if (isBack(input)) return 'cancel';
    if (isNew(input)) return isStale(input) ? 'supersedeAfterRecycling' : 'supersede';
    return mayHaveReadOthers(input) ? 'supersedeAfterRecycling' : undefined;
  };

const overtakenInAnalysis = overtaking(hasStalePods);

/** While old pods are recycled: a template that is changed and reverted brings them back, so they are stopped all the same (E56). */
export const recycling = overtaking(hasReadConfigs);

/** A release also ends if it cannot become ready (E27b), be checked (E65) or get routes (E96). */
const interruption: Decider<Interruption> = (input) => {
  const overtaken = overtakenInAnalysis(input);
  if (overtaken) return overtaken;
  if (isPaused(input)) return undefined;
  if (isStalled(input) || isUncheckedForTooLong(input) || isUnroutableForTooLong(input) || isUnreadyTooLong(input)) return 'abort';
  return maySkipAnalysis(input) ? 'skipAnalysis' : undefined;
};

/** Requests to end the analysis, or to hold it (E71, E72, E73); `refusalOf` has checked that they are possible. */
const requested: Decider<Interruption> = (input) => {
  if (asksTo(input, 'promote')) return 'promote';
  if (asksTo(input, 'rollback')) return 'rollBack';
  return pauseOrResume(input);
};

export const pauseOrResume: Decider<'pause' | 'resume'> = (input) => {
  if (asksTo(input, 'pause')) return 'pause';
  return asksTo(input, 'resume') ? 'resume' : undefined;
};

/** A state of an analysis: all decisions with a move in its phase can interrupt it, and rollback hooks (E25, E82). */
export function running<const Own extends Moves, const Around extends Moves = Record<never, never>>(
  parts: StateParts<Own, Interruptions & Around> & { moves: Named<Own>; around?: Named<Around> },
  first?: Decider<Interruption>,
): State {
  return interrupted(parts, first);
}

function interrupted(
  { around, ...parts }: StateParts<Moves, Moves> & { around?: Moves },
  first: Decider<Interruption> = interruption,
): State {
  const { first: own, ...decide } = parts.decide;
  return {
    ...parts,
    around: { ...interruptions, ...around },
    decide: { ...decide, first: own ? (input) => first(input) ?? own(input) : first, request: requested, stop: () => 'rollBack' },
  };
}

/** A canary that fails while nothing is checked: each interval is a failed check (E27a). */
export const failed: Decider<'rollBack' | 'countFailing'> = (input) => {
  if (!isFailingDue(input)) return undefined;
  return isLastFailure(input) ? 'rollBack' : 'countFailing';
};

/** The same for a state that waits: failures count before its own work. */
export function waiting<const Own extends Moves>(parts: StateParts<Own, Interruptions & typeof counting> & { moves: Named<Own> }): State {
  const { facts, ...decide } = parts.decide;
  return interrupted({
    ...parts,
    moves: { ...counting, ...parts.moves },
    decide: { ...decide, facts: (input) => failed(input) ?? facts?.(input) },
  });
}

export function skipsAnalysis(input: Input): boolean {
  return input.event.facts.canary.spec.skipAnalysis === true && !isPaused(input);
}

/** Without an analysis only its pods are evidence for the revision (E83). The primary is not checked, since it can be the side to repair. */
function maySkipAnalysis(input: Input): boolean {
  return skipsAnalysis(input) && !isHeldUp(input) && isTargetReady(input) && isConverged(input);
}

function isStalled(input: Input): boolean {
  return input.event.facts.target?.readiness.state === 'stalled' && isWritten(input);
}

function isUncheckedForTooLong({ event: { facts } }: Input): boolean {
  return facts.nowMs >= (facts.refused?.uncheckedUntilMs ?? Number.POSITIVE_INFINITY);
}

function isUnroutableForTooLong({ context, event: { facts } }: Input): boolean {
  if (facts.unroutable === undefined || facts.refused !== undefined) return false;
  return facts.nowMs >= Math.max(facts.unroutable.sinceMs, context.release.stepStartedMs) + progressDeadlineMs(facts.canary);
}
