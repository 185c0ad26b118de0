import type { Input } from '../context.ts';
import { longestRaiseMs, progressDeadlineMs, rolloutDeadlineMs } from '../deadlines.ts';
import { asksRollbackFirst } from '../rollback-poll.ts';
import { isPaused } from './hold-ups.ts';

/** The time for which the step waits has come. */
export function isDue({ context, event }: Input): boolean {
  return context.wakeAtMs !== undefined && event.facts.nowMs >= context.wakeAtMs;
}

/** The same for a step that makes queries or calls: rollback hooks are called first (E82). */
export function isDueToAsk(input: Input): boolean {
  return isDue(input) && !isPaused(input) && !asksRollbackFirst(input);
}

/** `E1`: nothing waits longer than its deadline, except for a blocker that only a user can remove. */
export function isPast(input: Input, deadlineMs: number): boolean {
  return input.event.facts.nowMs >= deadlineMs && input.event.facts.blocker === undefined && !isPaused(input);
}

export function isOver(input: Input, sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && isPast(input, sinceMs + progressDeadlineMs(input.event.facts.canary));
}

/** The step has lasted for the progress deadline. */
export function isLate(input: Input): boolean {
  return isOver(input, input.context.release.stepStartedMs);
}

function rolloutDeadline({ context, event: { facts } }: Input, side: 'primary' | 'target'): number {
  return rolloutDeadlineMs(facts.canary, context.release.stepStartedMs, facts[side]);
}

/** `E100`: a rollout that progresses is not late. */
export function isRolloutLate(input: Input, side: 'primary' | 'target'): boolean {
  return isPast(input, rolloutDeadline(input, side));
}

/** The step was to end now, but the rollout has progressed meanwhile. */
export function rollsOn(input: Input, side: 'primary' | 'target'): boolean {
  return isDue(input) && input.event.facts.nowMs < rolloutDeadline(input, side);
}

/** The pause for proxies is over, counted from the start of the step (E5, E6a): another wake does not start it again. */
export function hasDrained({ context, event: { facts } }: Input): boolean {
  return facts.nowMs >= context.release.stepStartedMs + facts.scaleDownDelayMs;
}

/** The primary has had the time that a rollback gives it to grow (E31). */
export function hasRaisedLongEnough({ context, event: { facts } }: Input): boolean {
  return facts.nowMs >= context.release.stepStartedMs + longestRaiseMs(facts.intervalMs);
}
