import type { Input } from '../context.ts';
import { countedAtMs, hasFailedSince, unreadyUntilMs } from '../failing.ts';
import { thresholdOf } from '../judge-checks.ts';
import { isPaused } from './hold-ups.ts';

const isHeld = (input: Input): boolean => isPaused(input) || input.event.facts.blocker !== undefined;

/** The canary was ready, and has failed since the last check or count (E27a). */
export function hasFailed(input: Input): boolean {
  return !isHeld(input) && hasFailedSince(input.context.release, input.event.facts);
}

/** The interval of the failure is over, and no check has counted it. */
export function isFailingDue(input: Input): boolean {
  const { facts } = input.event;
  return hasFailed(input) && facts.nowMs >= countedAtMs(input.context.release, facts);
}

/** The canary was unready for the progress deadline in total (E27b). */
export function isUnreadyTooLong(input: Input): boolean {
  const { facts } = input.event;
  return !isHeld(input) && facts.nowMs >= (unreadyUntilMs(input.context.release, facts) ?? Number.POSITIVE_INFINITY);
}

/** A failure of the canary is the failed check that reaches the threshold. */
export function isEndedByFailing(input: Input): boolean {
  const { context, event } = input;
  const isCounted = event.type === 'ANSWER' ? hasFailed(input) : isFailingDue(input);
  return isCounted && context.release.failedChecks + 1 >= thresholdOf(event.facts.canary.spec.analysis);
}
