import { reachesCanary, sendsAllToPrimary } from '../../api/routes.ts';
import { hasRecovered } from '../../api/step.ts';
import { hasCapacity, isFewer } from '../capacity.ts';
import type { Input } from '../context.ts';
import { scalerPatienceMs, settlingMs } from '../deadlines.ts';
import { backNeed, isRaised, primaryNeed, stepNeed } from '../raise.ts';
import { isConverged, isHalted, isHeldUp, mayLeaveCanary } from './hold-ups.ts';
import { hasDrained, isDue } from './time.ts';

const target = ({ event }: Input) => event.facts.target;
const primary = ({ event }: Input) => event.facts.primary;

export function isTargetReady(input: Input): boolean {
  return target(input)?.readiness.state === 'ready' && !isTargetDown(input);
}

export function isTargetDown(input: Input): boolean {
  return target(input)?.serving !== true;
}

/** A primary that Serin has scaled up is as ready as before: pods that still start do not make it worse. */
export function isPrimaryReady(input: Input): boolean {
  const { capacity } = input.context.release;
  const now = primary(input);
  const isAsBefore = capacity?.side === 'primary' && (now?.readiness.ready ?? 0) >= (capacity.had ?? Number.POSITIVE_INFINITY);
  return now?.serving === true && (now.readiness.state === 'ready' || isAsBefore);
}

/** Traffic can go to the primary: it serves, or the canary does not serve either (I5). */
export function canPrimaryTakeAll(input: Input): boolean {
  return primary(input)?.serving === true || isTargetDown(input);
}

/** The first primary is complete, and can carry the load of the target (E4, E60). */
export function canPrimaryTakeOver(input: Input): boolean {
  const now = primary(input);
  if (!isConverged(input) || now?.readiness.state !== 'ready') return false;
  return isTargetDown(input) || (now.serving && isEnough(input, 'primary', primaryNeed(input)));
}

function isPrimaryPromoted(input: Input): boolean {
  return primary(input)?.carries === input.context.release.revision;
}

/** The primary consists only of the promoted revision, and is ready. */
export function isPromotionComplete(input: Input): boolean {
  return isPrimaryPromoted(input) && isPrimaryReady(input) && mayLeaveCanary(input);
}

/** The primary is not written yet, and the canary is not ready: it could have lost pods since it passed. */
export function isUnproved(input: Input): boolean {
  return !isPrimaryPromoted(input) && !isTargetReady(input);
}

/** Both sides are ready by their thresholds and nothing holds the release: only then does it advance or get promoted (I13, E80). */
export function mayAdvance(input: Input): boolean {
  return !isHeldUp(input) && isTargetReady(input) && isPrimaryReady(input);
}

/** The recorded routes send all traffic to the primary. */
export function isAllToPrimary({ context }: Input): boolean {
  return sendsAllToPrimary(context.release.routes);
}

/** The recorded routes and those in the cluster send all traffic to the primary. */
export function isAllToPrimaryNow(input: Input): boolean {
  return isConverged(input) && isAllToPrimary(input);
}

/** The canary is ready, without traffic, and the proxies know its pods. */
export function hasSettled(input: Input): boolean {
  return !isHalted(input) && isDue(input) && isTargetReady(input) && isAllToPrimaryNow(input);
}

/** The recorded routes bring traffic to a canary that does not serve, while the primary does (I5). */
export function isCanaryLost(input: Input): boolean {
  return reachesCanary(input.context.release.routes) && isTargetDown(input) && primary(input)?.serving === true;
}

/** Pods that a side needs and does not have (E60). */
export function isPrimaryShort(input: Input): boolean {
  return reachesCanary(input.context.release.routes) && !isEnough(input, 'primary', primaryNeed(input));
}

export function isShortOfStep(input: Input): boolean {
  return !isEnough(input, 'target', stepNeed(input));
}

export function isShortOfItsOwn(input: Input): boolean {
  const { capacity } = input.context.release;
  return capacity?.side === 'target' ? !isRaised(input, input.context.release) : !isEnough(input, 'target', backNeed(input));
}

export function hasRaisedTarget(input: Input): boolean {
  return isConverged(input) && isTargetReady(input) && isPrimaryReady(input) && hasSettledCapacity(input);
}

/** Proxies have had time to learn of the pods that were added (E6a). */
export function hasSettledCapacity({ context, event }: Input): boolean {
  const { reachedMs, side = 'primary' } = context.release.capacity ?? {};
  return reachedMs !== undefined && event.facts.nowMs >= reachedMs + settlingMs(side, event.facts.scaleDownDelayMs);
}

/** The scaler keeps fewer pods than requested, and has had its time: no release fails because of that (E102). */
export function isGivenLess(input: Input): boolean {
  const { release } = input.context;
  const { capacity, stepStartedMs, awaitedSinceMs = stepStartedMs } = release;
  const { nowMs, canary, scaler } = input.event.facts;
  if (capacity?.side !== 'target' || !scaler || isHalted(input)) return false;
  const isLess = isFewer(target(input)?.replicas ?? 0, Math.min(capacity.pods, scaler.target.max));
  const sinceMs = hasRecovered(release) ? awaitedSinceMs : stepStartedMs;
  return isLess && nowMs >= sinceMs + scalerPatienceMs(canary) && isTargetReady(input) && isPrimaryReady(input);
}

function isEnough({ event }: Input, side: 'primary' | 'target', pods: number | undefined): boolean {
  return pods === undefined || hasCapacity(event.facts[side], pods);
}

/** The pods that have lost their traffic can stop: proxies know, and the primary serves (E5). */
export function isDrained(input: Input): boolean {
  return hasDrained(input) && isConverged(input) && canPrimaryTakeAll(input);
}
