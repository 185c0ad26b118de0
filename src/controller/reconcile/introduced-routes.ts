import { findObject, type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { type Routes, sendsAllToPrimary } from '../../api/routes.ts';
import { isRefusal } from '../../kube/errors.ts';
import { INTRODUCED_FOR_MS, INTRODUCTION_STEPS } from '../../routers/introduction.ts';
import type { Router } from '../../routers/router.ts';
import { isOurRoute } from '../objects/ownership.ts';
import type { ReconcileContext } from './context.ts';
import { ensure, isLastWanted } from './ensure-object.ts';
import { combined, type Outcome, retryIn } from './outcome.ts';

/** A route can be older than the Canary. */
const ROUTE = { takenOver: true, isRoute: true } as const;

/** Routes that were found, and the router that has rendered others from them. */
export interface RenderedFrom {
  router: Router;
  current: readonly KubeObject[];
}

export function ensureRoute(context: ReconcileContext, object: KubeObject, { router, current }: RenderedFrom): Promise<Outcome> {
  const found = findObject(current, refOf(object));
  return ensure(context, object, { ...ROUTE, ...(found && router.isUsers?.(found) && { partOf: found }) });
}

/**
 * Where a route that serves already leads to another Service for the first time, proxies learn of the Service before requests go to it, and forget the old
 * one after (DF650): at the arrival, and at any later edit of the Canary or of the route.
 */
export async function ensureIntroduced(
  context: ReconcileContext,
  object: KubeObject,
  from: RenderedFrom & { routes: Routes },
): Promise<Outcome> {
  const { introduced, nowMs } = context;
  const key = refKey(refOf(object));
  const introduction = isIntroduced(context, object, from) ? from.router.introduction?.(object, from.current) : undefined;
  const { steps, nextMs } = introduced.get(key) ?? { steps: 0, nextMs: nowMs };
  if (nextMs > nowMs && !isUrgent(context, from)) return retryIn(nextMs - nowMs);
  // Each once: who undoes them again and again is another writer of the routes.
  if (!introduction || steps >= INTRODUCTION_STEPS) {
    const outcome = await ensureRoute(context, object, from);
    if (outcome.converged) introduced.delete(key);
    return outcome;
  }
  try {
    const outcome = await ensureRoute(context, introduction, from);
    if (!outcome.converged) return outcome;
    introduced.set(key, { steps: steps + 1, nextMs: nowMs + INTRODUCED_FOR_MS });
    return combined(outcome, retryIn(INTRODUCED_FOR_MS));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // A policy that refuses its rule could accept the routes themselves.
    introduced.set(key, { steps: INTRODUCTION_STEPS, nextMs: nowMs });
    return ensureRoute(context, object, from);
  }
}

/**
 * False for a route that another writer has put back, since requests would go past the split for longer, and for a route of Serin's own, since a port that an
 * edit of the Canary removes from the Services serves no longer.
 */
function isIntroduced(context: ReconcileContext, object: KubeObject, from: RenderedFrom & { routes: Routes }): boolean {
  const { canary, config } = context;
  if (isLastWanted(context, object) || isUrgent(context, from)) return false;
  const found = findObject(from.current, refOf(object));
  const isTakeover = (canary.status?.phase || 'Initializing') === 'Initializing';
  return isTakeover || (found !== undefined && !isOurRoute(canary, found, config));
}

/** All traffic leaves the canary, as in a rollback: nothing delays that. */
function isUrgent({ canary }: ReconcileContext, { router, current, routes }: RenderedFrom & { routes: Routes }): boolean {
  if (!sendsAllToPrimary(routes)) return false;
  const live = router.readRoutes(canary, current);
  return live !== undefined && !('unreadable' in live) && !sendsAllToPrimary(live);
}
