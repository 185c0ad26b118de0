import type { Release } from '../api/canary-status.ts';
import { reachesCanary } from '../api/routes.ts';
import { isBeforeTraffic, isRaising } from '../api/step.ts';
import { canaryShare, capacityNeeded, hasCapacity } from './capacity.ts';
import type { Input } from './context.ts';
import { nextMove, routesToPrimary, weightOf } from './strategy.ts';

/** Smallest change of the canary's weight that is worth a write while a release is rolled back pod by pod, in percent. */
const SMALLEST_RETURN = 10;

/** Pods that the primary needs to answer every request (E60); undefined if the Canary names no scaler, so that nothing has shrunk it. */
export function primaryNeed({ context, event }: Input): number | undefined {
  const { scaler, primary, target } = event.facts;
  if (!scaler) return undefined;
  const routes = hasNoTraffic(context) ? undefined : context.release.routes;
  return capacityNeeded({ primary, target, routes, atStart: context.release.podsAtStart }, 100, scaler.primary);
}

/** Pods that the target needs for the next step; undefined without a scaler, or without a step to take. */
export function stepNeed({ context, event }: Input): number | undefined {
  const { scaler, primary, target, canary } = event.facts;
  const move = nextMove(context.release, canary, event.facts);
  if (!scaler || move.kind !== 'step') return undefined;
  const { routes, podsAtStart: atStart } = context.release;
  return capacityNeeded({ primary, target, routes, atStart }, canaryShare(move.routes), scaler.target);
}

/** Pods that a canary needs to get its withdrawn weight again (E27). */
export function backNeed({ context, event }: Input): number | undefined {
  const { scaler, primary, target } = event.facts;
  const { heldRoutes, routes } = context.release;
  if (!scaler || !heldRoutes) return undefined;
  return capacityNeeded({ primary, target, routes }, canaryShare(heldRoutes), scaler.target);
}

/** The primary is held at its needed pods until the release has ended; without a need nothing is held. */
export function holdingPrimary(input: Input, from: Release): Release {
  const pods = primaryNeed(input);
  const rest = withoutCapacity(from);
  if (pods === undefined) return rest;
  return { ...rest, capacity: { side: 'primary', pods } };
}

/** The target is scaled up, and its scaler, which is the user's, must not remove the pods (E101). */
export function holdingTarget(from: Release, pods: number | undefined): Release {
  const rest = withoutCapacity(from);
  return pods === undefined ? rest : { ...rest, capacity: { side: 'target', pods } };
}

/** Pods that the target needs to answer every request. */
export function targetNeed({ context, event }: Input): number | undefined {
  const { scaler, primary, target } = event.facts;
  const { routes, podsAtStart: atStart } = context.release;
  return scaler && capacityNeeded({ primary, target, routes, atStart }, 100, scaler.target);
}

/** Pods at the start of a run: the primary carries everything, or the number of the previous run is still valid. */
export function podsAtStart({ event }: Input, { podsAtStart, ...from }: Release): Release {
  const { scaler, primary } = event.facts;
  const now = reachesCanary(from.routes) ? podsAtStart : primary?.readiness.ready;
  return scaler && now !== undefined ? { ...from, podsAtStart: now } : from;
}

/** Pods that a step needs, or the pods that the scaler gives if those are fewer (E102). */
export function holdingStep({ event }: Input, from: Release, pods: number | undefined): Release {
  const { heldPods: _, ...rest } = withoutCapacity(from);
  const given = event.facts.target?.replicas ?? 0;
  const needed = isRaising(from) && from.capacity?.side === 'target' ? Math.min(from.capacity.pods, given) : pods;
  return needed === undefined ? rest : { ...rest, heldPods: needed };
}

export function withoutCapacity({ capacity: _, ...release }: Release): Release {
  return release;
}

/** The side that is being scaled up has its pods; true if no side is being scaled up. */
export function isRaised({ event }: Input, { capacity }: Release): boolean {
  const { scaler } = event.facts;
  if (!capacity || !scaler) return true;
  // A maximum that was lowered meanwhile limits the pods.
  return hasCapacity(event.facts[capacity.side], Math.min(capacity.pods, scaler[capacity.side].max));
}

/**
 * Routes all traffic to the primary: at once if it has the pods for it, otherwise after it was scaled up (E31). No wait is needed if the canary does not serve.
 */
export function returningTraffic(input: Input, from: Release, isPrimaryFit: boolean): Release {
  const held = reachesCanary(from.routes) ? holdingPrimary(input, from) : withoutCapacity(from);
  const mayGo = input.event.facts.target?.serving !== true || (isPrimaryFit && isRaised(input, held));
  return mayGo ? { ...held, routes: routesToPrimary(from.routes) } : held;
}

/** The canary's weight with which the primary gets no more than its ready pods can carry, if that step is large enough. */
export function bearableWeight({ context, event }: Input): number | undefined {
  const { routes, capacity } = context.release;
  const { primary } = event.facts;
  if (routes.kind !== 'weighted' || capacity?.side !== 'primary' || primary?.serving !== true) return undefined;
  const left = 100 - Math.floor((100 * primary.readiness.ready) / capacity.pods);
  return left > 0 && left <= weightOf(routes) - SMALLEST_RETURN ? left : undefined;
}

function hasNoTraffic({ recorded }: Input['context']): boolean {
  return recorded === undefined || isBeforeTraffic(recorded.phase, recorded.release);
}
