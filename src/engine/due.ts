import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import type { Facts } from './facts.ts';
import { stateOf } from './states/lookup.ts';
import { uncheckedUntilMs } from './states/standing.ts';

/**
 * Time at which the release continues or is rolled back by itself: the next check, the end of a pause for proxies, or a deadline. Undefined if it waits for
 * others without limit, or for nothing. Epoch milliseconds.
 */
export function dueMs(canary: Canary, phase: Phase, release: Release, facts: Facts): number | undefined {
  if (canary.spec.suspend === true || release.paused !== undefined) return undefined;
  const standing = { canary, phase, release, facts };
  // A Canary that is blocked takes no step, and no deadline counts (E9).
  const ownMs = facts.blocker === undefined ? stateOf(phase, release.step).dueMs(standing) : undefined;
  return ownMs ?? uncheckedUntilMs(standing);
}
