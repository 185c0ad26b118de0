import type { Release } from '../api/canary-status.ts';
import type { RouteRef } from '../api/route-ref.ts';
import type { Facts } from './facts.ts';

/** Maximum of routes that were removed from the list and not restored yet; the oldest are forgotten. */
const MOST_DELISTED = 16;

/**
 * Remembers which routes of the user's are split, before they are: a route that is removed from the spec must be restored, also after a restart and at deletion
 * (E139).
 */
export function withListedRoutes(
  { listedRoutes: _, ...release }: Release,
  recorded: Release | undefined,
  { canary: { spec }, converged }: Pick<Facts, 'canary' | 'converged'>,
): Release {
  const { routeRefs = [], suspend } = spec;
  const before = recorded?.listedRoutes ?? [];
  // A converged cluster under this spec has restored them; under a suspend nothing is written.
  const delisted = converged && suspend !== true ? [] : before.filter((one) => !routeRefs.some((other) => isSame(one, other)));
  const listedRoutes = [...delisted.slice(-MOST_DELISTED), ...routeRefs];
  return listedRoutes.length === 0 ? release : { ...release, listedRoutes };
}

const isSame = (one: RouteRef, other: RouteRef): boolean => one.kind === other.kind && one.name === other.name;
