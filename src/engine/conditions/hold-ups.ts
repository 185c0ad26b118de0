import { sendsAllToPrimary } from '../../api/routes.ts';
import type { Input } from '../context.ts';
import { weightOf } from '../strategy.ts';

/** A user holds the release: nothing advances, nothing is counted, and no deadline ends it (E71). */
export function isPaused({ context }: Pick<Input, 'context'>): boolean {
  return context.release.paused !== undefined;
}

export function isRefused({ event }: Input): boolean {
  return event.facts.refused !== undefined;
}

/** The routes must be able to express a new weight (E96). */
function isUnroutable({ event }: Input): boolean {
  return event.facts.unroutable !== undefined;
}

/** Another writer has changed the routes back, and the next correction waits under the brake. */
export function isContested({ event }: Pick<Input, 'event'>): boolean {
  return event.facts.unconfirmed?.code === 'RouteContested';
}

/** The routes are contested now, or were in a part of the interval of this check (E63a). */
export function isUnderContest(input: Input): boolean {
  return isContested(input) || input.context.contest !== undefined;
}

/** Another writer has left the canary less than its recorded weight. If it has as much, or more, its users are harmed by its failures. */
export function isMisled(input: Pick<Input, 'context' | 'event'>): boolean {
  const { routes } = input.context.release;
  const { liveRoutes: live } = input.event.facts;
  if (!isContested(input) || sendsAllToPrimary(routes)) return false;
  return live === undefined || 'unreadable' in live || sendsAllToPrimary(live) || weightOf(live) < weightOf(routes);
}

/**
 * Nothing advances under a spec that is refused (E65), nor by routes that are not in force (E63). Contested routes count with their state at the start of the
 * check (E63a).
 */
export function isHeldUp(input: Input): boolean {
  const { unconfirmed } = input.event.facts;
  const isInForce = isContested(input) ? input.context.contest === undefined : unconfirmed === undefined;
  return isRefused(input) || isUnroutable(input) || !isInForce || input.context.contest !== undefined;
}

/** Nothing can start: the spec is refused, the routes cannot express a weight, or a user has paused the release. */
export function isHalted(input: Input): boolean {
  return isRefused(input) || isUnroutable(input) || isPaused(input);
}

export function isConverged({ event }: Input): boolean {
  return event.facts.converged;
}

/** A correction of routes that waits under the brake does not block routing to the primary: the next routes are written at once (E63a). */
export function mayLeaveCanary(input: Input): boolean {
  return isConverged(input) || isContested(input);
}

/** Nothing needs to be written now. Routes that are not in force block an advance, and never a rollback (E63). */
export function isWritten({ event }: Input): boolean {
  return event.facts.converged || event.facts.unconfirmed !== undefined;
}
