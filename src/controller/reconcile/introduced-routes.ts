import { findObject, type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { type Routes, sendsAllToPrimary } from '../../api/routes.ts';
import { isRefusal } from '../../kube/errors.ts';
import { INTRODUCED_FOR_MS, introduces } from '../../routers/introduction.ts';
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

export function ensureRoute(
  context: ReconcileContext,
  object: KubeObject,
  { router, current }: RenderedFrom,
  step: Pick<Parameters<typeof ensure>[2], 'goal' | 'followsCorrection'> = {},
): Promise<Outcome> {
  const found = findObject(current, refOf(object));
  return ensure(context, object, { ...ROUTE, ...step, ...(found && router.isUsers?.(found) && { partOf: found }) });
}

/**
 * Where a route that serves already leads to another Service, proxies learn of the Service before requests go to it, and forget the old one after (DF650): at
 * the arrival, at any later edit of the Canary or of the route, and where a tool has put back a route of the user's, which the apex Service serves meanwhile.
 */
export async function ensureIntroduced(
  context: ReconcileContext,
  object: KubeObject,
  from: RenderedFrom & { routes: Routes },
): Promise<Outcome> {
  const { introductions } = context;
  const key = refKey(refOf(object));
  const introduction = isIntroduced(context, object, from) ? from.router.introduction?.(context.canary, object, from.current) : undefined;
  const isPutBack = isLastWanted(context, object);
  const found = findObject(from.current, refOf(object));
  // Proxies forget what a route names no more.
  const isAnnounced = (route: KubeObject | undefined) => route !== undefined && introduces(context.canary, route);
  if (isAnnounced(introduction) && !isAnnounced(found)) introductions.undone(key, { isBraked: isPutBack });
  // Another process announced it, an unknown time ago.
  if (isAnnounced(found) && introductions.stepsOf(key) === 0) introductions.tookStep(key);
  const waitMs = introductions.waitMs(key);
  if (waitMs > 0 && !isUrgent(context, from)) return retryIn(waitMs);
  if (!introduction || introductions.hasTakenAll(key)) {
    const followsCorrection = isPutBack && !introduction && introductions.stepsOf(key) > 0;
    const outcome = await ensureRoute(context, object, from, { followsCorrection });
    if (outcome.converged) introductions.ended(key);
    return outcome;
  }
  try {
    const outcome = await ensureRoute(context, introduction, from, isPutBack ? { goal: object } : {});
    if (!outcome.converged) return outcome;
    introductions.tookStep(key);
    return combined(outcome, retryIn(INTRODUCED_FOR_MS));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // A policy that refuses its rule could accept the routes themselves.
    introductions.wasRefused(key);
    return ensureRoute(context, object, from);
  }
}

/** False for drift of a route of Serin's own: that is corrected at once. */
function isIntroduced(context: ReconcileContext, object: KubeObject, from: RenderedFrom & { routes: Routes }): boolean {
  const { canary, config } = context;
  if (isUrgent(context, from)) return false;
  const found = findObject(from.current, refOf(object));
  if (found !== undefined && !isOurRoute(canary, found, config)) return true;
  const isTakeover = (canary.status?.phase || 'Initializing') === 'Initializing';
  return (found !== undefined || isTakeover) && !isLastWanted(context, object);
}

/** All traffic leaves the canary, as in a rollback: nothing delays that. */
function isUrgent({ canary }: ReconcileContext, { router, current, routes }: RenderedFrom & { routes: Routes }): boolean {
  if (!sendsAllToPrimary(routes)) return false;
  const live = router.readRoutes(canary, current);
  return live !== undefined && !('unreadable' in live) && !sendsAllToPrimary(live);
}
