import type { Input } from '../context.ts';
import { unmeasuredUntilMs } from '../deadlines.ts';
import { countedFailures, overLimit } from '../failure-limits.ts';
import { isUnmeasured, thresholdOf } from '../judge.ts';

/** One more failed check reaches the threshold (E20). */
export function isLastFailure({ context, event }: Input): boolean {
  return context.release.failedChecks + 1 >= thresholdOf(event.facts.canary.spec.analysis);
}

/** One metric has failed more often than it may (E20b). What another writer has misled counts for none (E63a). */
export function isOverItsLimit({ context, event }: Input): boolean {
  if (context.misled) return false;
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return false;
  const { analysis } = event.facts.canary.spec;
  return overLimit(countedFailures(context.release.failures ?? {}, event.answer.verdicts, analysis), analysis) !== undefined;
}

/** E22a: what holds a release is waited for no longer than what a step waits for, and a blocker stops this clock, too. */
export function isUnmeasuredTooLong({ context, event }: Input): boolean {
  const { blindSinceMs } = context.release;
  const { nowMs, canary, blocker } = event.facts;
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure' || blindSinceMs === undefined || blocker !== undefined) return false;
  return isUnmeasured(event.answer) && nowMs >= unmeasuredUntilMs(canary, blindSinceMs);
}
