import type { Release } from '../api/canary-status.ts';
import { reachesCanary } from '../api/routes.ts';
import { isBeforeTraffic, isRaising } from '../api/step.ts';
import { canaryShare, capacityNeeded, hasCapacity } from './capacity.ts';
import type { Input } from './context.ts';
import { nextMove, routesToPrimary, weightOf } from './strategy.ts';

/** Smallest change of the canary's weight that is worth a write while a release is rolled back pod by pod, in percent. */
const SMALLEST_RETURN = 10;

/** Pods that the primary needs to answer every request (E60); undefined: the Canary names no scaler, so nothing has shrunk it. */
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

/** Pods that a canary needs to have its held share back (E27). */
export function backNeed({ context, event }: Input): number | undefined {
  const { scaler, primary, target } = event.facts;
  const { heldRoutes, routes } = context.release;
  if (!scaler || !heldRoutes) return undefined;
  return capacityNeeded({ primary, target, routes }, canaryShare(heldRoutes), scaler.target);
}

/** The primary is held at what it needs until the release has ended; without a need nothing is held. */
export function holdingPrimary(input: Input, from: Release): Release {
  const pods = primaryNeed(input);
  const rest = withoutCapacity(from);
  if (pods === undefined) return rest;
  return { ...rest, capacity: { side: 'primary', pods } };
}

/** The target is raised, and its scaler, which is the user's, is kept from taking the pods away (E101). */
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

/** Pods at the start of a run: the primary carries everything, or the pods of the run before are still what is known. */
export function podsAtStart({ event }: Input, { podsAtStart, ...from }: Release): Release {
  const { scaler, primary } = event.facts;
  const now = reachesCanary(from.routes) ? podsAtStart : primary?.readiness.ready;
  return scaler && now !== undefined ? { ...from, podsAtStart: now } : from;
}

/** Pods that a step needs, or what the scaler gives where it gives less (E102). */
export function holdingStep({ event }: Input, from: Release, pods: number | undefined): Release {
  const { heldPods: _, ...rest } = withoutCapacity(from);
  const given = event.facts.target?.replicas ?? 0;
  const needed = isRaising(from) && from.capacity?.side === 'target' ? Math.min(from.capacity.pods, given) : pods;
  return needed === undefined ? rest : { ...rest, heldPods: needed };
}

export function withoutCapacity({ capacity: _, ...release }: Release): Release {
  return release;
}

/** The side that is being raised has what it needs; true where nothing is being raised. */
export function isRaised({ event }: Input, { capacity }: Release): boolean {
  const { scaler } = event.facts;
  if (!capacity || !scaler) return true;
  // A maximum that was lowered meanwhile is all that there will be.
  return hasCapacity(event.facts[capacity.side], Math.min(capacity.pods, scaler[capacity.side].max));
}

/**
 * Everything goes back to the primary: at once where it can bear that, else it is raised first (E31). Where the canary does not serve
 * there is nothing to wait for.
 */
export function returningTraffic(input: Input, from: Release, isPrimaryFit: boolean): Release {
  const held = reachesCanary(from.routes) ? holdingPrimary(input, from) : withoutCapacity(from);
  const mayGo = input.event.facts.target?.serving !== true || (isPrimaryFit && isRaised(input, held));
  return mayGo ? { ...held, routes: routesToPrimary(from.routes) } : held;
}

/** The canary's weight that leaves the primary no more than its ready pods can bear, when that is a step worth taking. */
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
