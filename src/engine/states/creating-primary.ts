import { timestamp } from '../../base/timestamp.ts';
import { canPrimaryTakeAll, canPrimaryTakeOver } from '../conditions/sides.ts';
import { isDue, isLate } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { primaryNeed } from '../raise.ts';
import type { Standing } from '../wait.ts';
import { notReady } from './awaited-side.ts';
import { createPrimary, go, stay } from './moves.ts';
import { deadlineMs, drained, drainedMs, saying, since } from './standing.ts';
import { neverDue, state } from './state.ts';
import { lacks, missing } from './words.ts';

const raise = (input: Input) => ((primaryNeed(input) ?? 0) > (input.context.release.capacity?.pods ?? 0) ? ('raise' as const) : undefined);

/** The first primary is made, and has as many pods as the target's traffic needs (E4, E60). */
export const creatingPrimary = state({
  enter: ['wakeAtDeadline'],
  decide: {
    first: raise,
    facts(input) {
      if (canPrimaryTakeOver(input)) return 'advance';
      return isDue(input) && isLate(input) ? 'reportLate' : undefined;
    },
  },
  moves: {
    raise: stay('raisePrimary'),
    advance: go('Initializing.settling'),
    reportLate: stay('reportLatePrimary'),
  },
  awaits: ['firstPrimary'],
  waits(standing, dueMs) {
    const { canary, facts } = standing;
    const { name } = canary.spec.targetRef;
    if (facts.target === undefined)
      return saying(`Waiting ${since(standing)} for ${missing(standing)}. Create it, or correct spec.targetRef. No deadline ends this.`);
    const lacking = lacks(facts.primary ?? facts.target, facts.primary ? 'primary' : 'target');
    return saying(
      `Waiting ${since(standing)} for the primary of ${name} to be ready${lacking}. ${name} keeps serving. Fix its pods; ${expected(standing)}.`,
      facts.primary && notReady(standing, 'primary', dueMs),
    );
  },
  dueMs: neverDue,
});

/** Proxies learn of the pods of the first primary (E4, E6a). */
export const settlingPrimary = state({
  enter: ['wakeAfterDrain'],
  decide: {
    first: raise,
    facts(input) {
      if (!canPrimaryTakeAll(input)) return 'fallBack';
      return isDue(input) && canPrimaryTakeOver(input) ? 'advance' : undefined;
    },
  },
  moves: {
    raise: stay('raisePrimary'),
    fallBack: createPrimary,
    advance: go('Initializing.takingTraffic', 'bindTarget'),
  },
  awaits: ['itself'],
  waits: (standing) => saying(`The primary is ready. It gets traffic at ${drained(standing)}, when the proxies know its pods.`),
  dueMs: (standing) => (standing.facts.unconfirmed ? undefined : drainedMs(standing)),
});

function expected(standing: Standing): string {
  const isLateNow = standing.facts.nowMs >= deadlineMs(standing);
  return `it is ${isLateNow ? 'late: it was ' : ''}expected by ${timestamp(deadlineMs(standing))}`;
}
