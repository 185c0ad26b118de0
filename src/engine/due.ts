import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { progressDeadlineMs, rolloutDeadlineMs, unmeasuredUntilMs } from './deadlines.ts';
import type { Facts, Side } from './facts.ts';
import { failsAtMs, unreadyUntilMs } from './failing.ts';
import { earliest } from './wakes.ts';

/**
 * When the release goes on, or is rolled back, by itself: the next check, the end of a pause for proxies, or a deadline. Undefined: it waits for
 * others without limit, or for nothing. Epoch milliseconds.
 */
export function dueMs(canary: Canary, phase: Phase, release: Release, facts: Facts): number | undefined {
  if (canary.spec.suspend === true || release.paused !== undefined) return undefined;
  // A Canary that is blocked takes no step, and no deadline counts (E9).
  const ownMs = facts.blocker === undefined ? dueOfStep(canary, phase, release, facts) : undefined;
  return ownMs ?? uncheckedUntilMs(phase, release, facts);
}

/** Until when a release under analysis can go without checks; of any other phase a refused spec ends nothing (E65). */
export function uncheckedUntilMs(phase: Phase, { paused }: Release, { refused }: Facts): number | undefined {
  return paused === undefined && (phase === 'Progressing' || phase === 'WaitingPromotion') ? refused?.uncheckedUntilMs : undefined;
}

function dueOfStep(canary: Canary, phase: Phase, release: Release, facts: Facts): number | undefined {
  const { stepStartedMs, step } = release;
  const deadline = stepStartedMs + progressDeadlineMs(canary);
  const drained = stepStartedMs + facts.scaleDownDelayMs;
  switch (step) {
    case 'draining':
      return isKept(facts) || facts.unconfirmed ? undefined : drained;
    case 'settling':
      return isDrainHeld(phase, release, facts) || isHalted(phase, facts) ? undefined : drained;
    case 'canaryRecovered':
      return isDrainHeld(phase, release, facts) ? undefined : drained;
    case 'scalingUp':
      return isReady(facts.target)
        ? undefined
        : earliest([rolloutDeadlineMs(canary, stepStartedMs, facts.target), failsAtMs(release, facts)]);
    case 'awaitingPrimary':
      return isReady(facts.primary) ? undefined : rolloutDeadlineMs(canary, stepStartedMs, facts.primary);
    case 'recycleStopping':
      return deadline;
    case 'raising':
    case 'canaryUnavailable':
      return phase === 'Promoting' ? deadline : earliest([deadline, failsAtMs(release, facts)]);
    case 'analysing':
      return dueOfCheck(canary, phase, release, facts);
    default:
      return undefined;
  }
}

function dueOfCheck(canary: Canary, phase: Phase, release: Release, facts: Facts): number | undefined {
  const { blindSinceMs, awaitedSinceMs, awaitedEvidence, wakeAtMs } = release;
  const awaitedUntilMs = awaitedSinceMs === undefined ? undefined : awaitedSinceMs + progressDeadlineMs(canary);
  const uncheckedMs = uncheckedUntilMs(phase, release, facts);
  // Nothing is measured then.
  if (uncheckedMs !== undefined) return Math.min(awaitedUntilMs ?? uncheckedMs, uncheckedMs);
  const measuredByMs = blindSinceMs === undefined ? undefined : unmeasuredUntilMs(canary, blindSinceMs);
  const deadlineMs = earliest([measuredByMs, awaitedUntilMs, awaitedUntilMs && unreadyUntilMs(release, facts)]);
  if (deadlineMs !== undefined) return deadlineMs;
  if (isPrimaryAwaited(release, facts)) return undefined;
  return phase === 'WaitingPromotion' && awaitedEvidence === undefined ? undefined : wakeAtMs;
}

/** The pause for proxies ends, and the step goes on with something else. */
function isDrainHeld(phase: Phase, release: Release, facts: Facts): boolean {
  return facts.unconfirmed !== undefined || (phase !== 'Initializing' && isPrimaryAwaited(release, facts));
}

/** No traffic begins under a spec that is refused (rule E65), or by routes that can hold no share (rule E96). */
function isHalted(phase: Phase, { refused, unroutable }: Facts): boolean {
  return phase !== 'Initializing' && (refused !== undefined || unroutable !== undefined);
}

/** The step has the pods that it waits for, and goes on as soon as the routes are in force. */
export function isReady(side: Side | undefined): boolean {
  return side?.serving === true && side.readiness.state === 'ready';
}

/** Pods that have lost their traffic stay as long as the primary does not serve (rule E5). */
export function isKept({ primary, target }: Facts): boolean {
  return primary?.serving !== true && target?.serving === true;
}

/** The primary alone holds the release up, without limit, since a fix of the primary must not fail by it (rule E80). */
export function isPrimaryAwaited({ capacity }: Release, { primary }: Facts): boolean {
  const isReady = primary?.serving === true && (primary.readiness.state === 'ready' || capacity?.side === 'primary');
  return primary !== undefined && !isReady;
}
