import type { Canary } from '../api/canary.ts';
import { type Routes, reachesCanary } from '../api/routes.ts';

/**
 * Whether these routes need an object of ours to hold them. All to the primary holds without one: routing to the primary must not fail
 * because an object was deleted meanwhile (04-R-S4). At the first initialization a missing object is reported all the same.
 */
export function needsObject(canary: Canary, routes: Routes): boolean {
  return reachesCanary(routes) || (canary.status?.phase || 'Initializing') === 'Initializing';
}
