import { sendsAllToPrimary } from '../../api/routes.ts';
import type { Input } from '../context.ts';
import { weightOf } from '../strategy.ts';

/** A user holds it: nothing advances, nothing is counted, and no deadline ends it (E71). */
export function isPaused({ context }: Pick<Input, 'context'>): boolean {
  return context.release.paused !== undefined;
}

export function isRefused({ event }: Input): boolean {
  return event.facts.refused !== undefined;
}

/** A new share has to be one that the routes can hold (E96). */
function isUnroutable({ event }: Input): boolean {
  return event.facts.unroutable !== undefined;
}

/** Another writer has changed the routes back, and the next correction waits under the brake. */
export function isContested({ event }: Pick<Input, 'event'>): boolean {
  return event.facts.unconfirmed?.code === 'RouteContested';
}

/** They are so now, or were in a part of the interval of this check (E63a). */
export function isUnderContest(input: Input): boolean {
  return isContested(input) || input.context.contest !== undefined;
}

/** Another writer has left the canary less than its recorded share. Where it has as much, or more, its users are harmed by what fails. */
export function isMisled(input: Pick<Input, 'context' | 'event'>): boolean {
  const { routes } = input.context.release;
  const { liveRoutes: live } = input.event.facts;
  if (!isContested(input) || sendsAllToPrimary(routes)) return false;
  return live === undefined || 'unreadable' in live || sendsAllToPrimary(live) || weightOf(live) < weightOf(routes);
}

/**
 * Nothing advances under a spec that is refused (E65), nor by routes that are not in force (E63). Routes that are contested count as they were when
 * the check was asked (E63a).
 */
export function isHeldUp(input: Input): boolean {
  const { unconfirmed } = input.event.facts;
  const isInForce = isContested(input) ? input.context.contest === undefined : unconfirmed === undefined;
  return isRefused(input) || isUnroutable(input) || !isInForce || input.context.contest !== undefined;
}

/** Nothing may start: the spec is refused, the routes can hold no share, or a user has paused the release. */
export function isHalted(input: Input): boolean {
  return isRefused(input) || isUnroutable(input) || isPaused(input);
}

export function isConverged({ event }: Input): boolean {
  return event.facts.converged;
}

/** A correction of routes that waits under the brake holds up no way to the primary: the next routes are written at once (E63a). */
export function mayLeaveCanary(input: Input): boolean {
  return isConverged(input) || isContested(input);
}

/** Nothing is left to write now. Routes that are not in force hold up what advances, and never what rolls back (E63). */
export function isWritten({ event }: Input): boolean {
  return event.facts.converged || event.facts.unconfirmed !== undefined;
}
