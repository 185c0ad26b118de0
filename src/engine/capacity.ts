import { type Routes, reachesCanary } from '../api/routes.ts';
import type { ScalerLimits, SideFacts } from './facts.ts';

/** Sides that answer users now; without routes (bootstrap) only the target. */
export interface Load {
  primary: SideFacts | undefined;
  target: SideFacts | undefined;
  routes: Routes | undefined;
  /** Ready pods of the primary at the start of this release, when it carried the whole load; absent if not known. */
  atStart?: number | undefined;
}

/**
 * Pods that a side needs before it gets `sharePercent` of all requests:
 *     whole  = min(Σ, max(atStart, sampled))
 *     needed = ceil(sharePercent / 100 × whole), within [max(min, 1), max]
 * Σ are the pods of the sides that carry load now: each side's scaler has sized it for its weight, so that their sum is sized for the whole load. The sum is
 * too large while a scaler has not yet shrunk a primary that has lost load. The pods of the canary for its weight are therefore taken as a sample (`sampled` =
 * pods × 100 / weight; for a match, whose weight is unknown, the pods of the primary), but never for less than the primary had when it carried everything. A
 * side without requests (weight 0, or only copies) says nothing about the load. A side that has just stopped serving counts with its desired pods, since it
 * carried its weight with them. The bounds are the scaler's own: its maximum is the user's budget, and if that is too small for one side by itself, no wait
 * would help.
 */
export function capacityNeeded(load: Load, sharePercent: number, limits: ScalerLimits): number {
  // Whole numbers only: 0.29 × 100 is not 29 in floating point.
  const share = Math.ceil((wholeLoad(load) * sharePercent) / 100);
  return Math.min(limits.max, Math.max(1, limits.min, share));
}

function wholeLoad(load: Load): number {
  const together = carriersOf(load).reduce((sum, side) => sum + podsOf(side), 0);
  const { atStart, routes, primary, target } = load;
  if (atStart === undefined || !routes || !reachesCanary(routes) || !primary || !target) return together;
  const sampled =
    routes.kind === 'weighted' && routes.match === undefined ? Math.ceil((podsOf(target) * 100) / routes.canary) : podsOf(primary);
  return Math.min(together, Math.max(atStart, sampled));
}

/** The largest percentage of all requests that these routes can bring to the canary: the part that a match selects is unknown. */
export function canaryShare(routes: Routes): number {
  switch (routes.kind) {
    case 'weighted':
      return routes.canary;
    case 'matched':
      return 100;
    case 'mirrored':
      return routes.share;
    default:
      return routes satisfies never;
  }
}

/** Percent of the needed pods that are enough: a scaler's own tolerance is 10%, so that it would not act on a smaller difference. */
const ENOUGH_PERCENT = 90;

/** Enough pods answer now. */
export function hasCapacity(side: SideFacts | undefined, pods: number): boolean {
  return side?.serving === true && !isFewer(side.readiness.ready, pods);
}

export function isFewer(given: number, needed: number): boolean {
  return given * 100 < needed * ENOUGH_PERCENT;
}

function carriersOf({ primary, target, routes }: Load): SideFacts[] {
  const hasAll = routes?.kind === 'weighted' && routes.canary === 100 && routes.match === undefined;
  const carriers = [routes && !hasAll ? primary : undefined, !routes || reachesCanary(routes) ? target : undefined];
  return carriers.filter((side) => side !== undefined);
}

function podsOf({ serving, readiness }: SideFacts): number {
  return serving ? readiness.ready : readiness.wanted;
}
