import type { Input } from '../context.ts';
import { unmeasuredUntilMs } from '../deadlines.ts';
import { countedFailures, overLimit } from '../failure-limits.ts';
import { isUnmeasured, thresholdOf } from '../judge-checks.ts';

/** One more failed check reaches the threshold (E20). */
export function isLastFailure({ context, event }: Input): boolean {
  return context.release.failedChecks + 1 >= thresholdOf(event.facts.canary.spec.analysis);
}

/** One metric has failed more often than its limit allows (E20b). Failures in an interval that another writer has misled do not count (E63a). */
export function isOverItsLimit({ context, event }: Input): boolean {
  if (context.misled) return false;
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return false;
  const { analysis } = event.facts.canary.spec;
  return overLimit(countedFailures(context.release.failures ?? {}, event.answer.verdicts, analysis), analysis) !== undefined;
}

/** E22a: a hold is waited for no longer than any other wait of a step, and a blocker also stops this clock. */
export function isUnmeasuredTooLong({ context, event }: Input): boolean {
  const { blindSinceMs } = context.release;
  const { nowMs, canary, blocker } = event.facts;
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure' || blindSinceMs === undefined || blocker !== undefined) return false;
  return isUnmeasured(event.answer) && nowMs >= unmeasuredUntilMs(canary, blindSinceMs);
}
