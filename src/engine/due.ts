import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { progressDeadlineMs, rolloutDeadlineMs, unmeasuredUntilMs } from './deadlines.ts';
import type { Facts } from './facts.ts';

/**
 * When the release goes on, or is rolled back, by itself: the next check, the end of a pause for proxies, or a deadline. Undefined: it waits for
 * others without limit, or for nothing. Epoch milliseconds.
 */
export function dueMs(canary: Canary, phase: Phase, release: Release, facts: Facts): number | undefined {
  if (canary.spec.suspend === true || release.paused !== undefined) return undefined;
  return dueOfStep(canary, phase, release, facts) ?? facts.refused?.uncheckedUntilMs;
}

function dueOfStep(canary: Canary, phase: Phase, release: Release, facts: Facts): number | undefined {
  const { stepStartedMs, step } = release;
  const deadline = stepStartedMs + progressDeadlineMs(canary);
  const drained = stepStartedMs + facts.scaleDownDelayMs;
  switch (step) {
    case 'draining':
      return drained;
    case 'settling':
    case 'canaryRecovered':
      return phase !== 'Initializing' && isPrimaryAwaited(release, facts) ? undefined : drained;
    case 'scalingUp':
      return rolloutDeadlineMs(canary, stepStartedMs, facts.target);
    case 'awaitingPrimary':
      return rolloutDeadlineMs(canary, stepStartedMs, facts.primary);
    case 'recycleStopping':
    case 'raising':
    case 'canaryUnavailable':
      return deadline;
    case 'analysing':
      return dueOfCheck(canary, phase, release, facts);
    default:
      return undefined;
  }
}

function dueOfCheck(canary: Canary, phase: Phase, release: Release, facts: Facts): number | undefined {
  const { blindSinceMs, awaitedSinceMs, awaitedEvidence, wakeAtMs } = release;
  if (blindSinceMs !== undefined) return unmeasuredUntilMs(canary, blindSinceMs);
  if (awaitedSinceMs !== undefined) return awaitedSinceMs + progressDeadlineMs(canary);
  if (isPrimaryAwaited(release, facts)) return undefined;
  return phase === 'WaitingPromotion' && awaitedEvidence === undefined ? undefined : wakeAtMs;
}

/** The primary alone holds the release up, without limit, since a fix of the primary must not fail by it (rule E80). */
export function isPrimaryAwaited({ capacity }: Release, { primary }: Facts): boolean {
  const isReady = primary?.serving === true && (primary.readiness.state === 'ready' || capacity?.side === 'primary');
  return primary !== undefined && !isReady;
}
