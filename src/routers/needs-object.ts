import type { Canary } from '../api/canary.ts';
import { type Routes, reachesCanary } from '../api/routes.ts';

/**
 * Whether these routes need an object of ours to hold them. All to the primary holds without one, so that a way back never depends on what
 * somebody deleted meanwhile (04-R-S4); at the first initialization what is missing is told all the same.
 */
export function needsObject(canary: Canary, routes: Routes): boolean {
  return reachesCanary(routes) || (canary.status?.phase || 'Initializing') === 'Initializing';
}
