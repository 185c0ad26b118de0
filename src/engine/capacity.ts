import { type Routes, reachesCanary } from '../api/routes.ts';
import type { ScalerLimits, SideFacts } from './facts.ts';

/** Sides that answer users at the moment; without routes (bootstrap) that is the target alone. */
export interface Load {
  primary: SideFacts | undefined;
  target: SideFacts | undefined;
  routes: Routes | undefined;
  /** Ready pods of the primary when this release began, and it carried the whole load; absent: not known. */
  atStart?: number | undefined;
}

/**
 * Pods that a side needs before it gets `sharePercent` of all requests:
 *
 *     whole  = min(Σ, max(atStart, sampled))
 *     needed = ceil(sharePercent / 100 × whole), within [max(min, 1), max]
 *
 * Σ are the pods of the sides that carry load now: each side's scaler has sized it for its share, so that together they are what the
 * whole load takes. They are more than that while a scaler has not yet shrunk a primary that has lost load, so what the canary needs for
 * its share is taken as a sample (`sampled` = pods × 100 / weight; of a match, whose share is unknown, what the primary has), but never
 * for less than the primary had when it carried everything. A side without requests (weight 0, or copies only) says nothing about the
 * load. A side that has just stopped serving counts with the pods that it asks for, since it carried its share with them. The bounds are
 * the scaler's own: its maximum is the user's budget, and where that is too little for one side alone, no wait would help.
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

/** The largest share of all requests that these routes may bring to the canary, in percent: how many a match selects is unknown. */
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

/** Percent of the needed pods that are enough: a scaler's own tolerance is 10 %, so that it would not act on less. */
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
