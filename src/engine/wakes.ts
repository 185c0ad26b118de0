import type { Release } from '../api/canary-status.ts';
import type { Context } from './context.ts';
import { deliveryLifetimeMs } from './deadlines.ts';
import type { EngineEvent } from './questions.ts';

/** Receivers of most messages answer earlier. */
const ANSWERED_WITHIN_MS = 5_000;

/** Time at which the release continues by itself, or gives a message up; epoch milliseconds. */
export function wakeOf({ wakeAtMs, release }: Context): number | undefined {
  return earliest([wakeAtMs, lapseOf(release)]);
}

/** Time at which the next message is given up, undefined if none waits. Epoch milliseconds. */
export function lapseOf({ deliveries = [] }: Release): number | undefined {
  return earliest(deliveries.map((one) => one.sinceMs + deliveryLifetimeMs(one)));
}

/** Time until which answers to the messages of an end are awaited. Undefined if no message waits, or one waits longer than most receivers take. */
export function answersAwaitedUntilMs({ deliveries = [] }: Release, nowMs: number): number | undefined {
  const untilMs = Math.min(...deliveries.map(({ sinceMs }) => sinceMs + ANSWERED_WITHIN_MS));
  return deliveries.length > 0 && nowMs < untilMs ? untilMs : undefined;
}

/**
 * The next time to wake, also for polls, which are not recorded. A time in the past is only requested when it is new: the wake comes at once, and would come
 * again and again. If it found another wait, it must not hide later times. A step with an open question continues with the answer, and not at a time in the
 * past.
 */
export function nextWakeOf(context: Context, before: Context, { type, facts }: EngineEvent, isElsewhere: boolean): number | undefined {
  const known = momentsOf(before);
  const goesOn = type === 'WAKE' && isElsewhere && context.open === undefined;
  const isNewOf = (ms: number) => type === 'RESUME' || goesOn || !known.includes(ms);
  return earliest(momentsOf(context).filter((ms) => ms > facts.nowMs || isNewOf(ms)));
}

function momentsOf(context: Context): number[] {
  return [wakeOf(context), context.rollback?.dueMs, context.comparing?.dueMs, context.failingDueMs].filter((one) => one !== undefined);
}

export function earliest(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
