import { factsOf } from '../../api/providers.ts';
import { allToPrimary } from '../../api/routes.ts';
import type { Router } from '../router.ts';
import { onlyWeight } from '../weights.ts';

/**
 * No routing objects at all: the apex Service selects the primary, and a release is Blue/Green. Users never see the canary
 * before it is promoted, so a weight changes nothing, but a match or a mirror would be a promise not kept.
 */
export const kubernetesRouter: Router = {
  supports: factsOf('kubernetes').can,
  watches: () => [],
  render(_canary, _apex, routes) {
    onlyWeight(
      routes,
      'without a traffic provider requests can be neither matched nor mirrored: use only analysis.iterations',
      'analysis.iterations',
    );
    return { write: [], remove: [] };
  },
  readRoutes: () => allToPrimary,
  finalize: () => ({ write: [], remove: [] }),
  afterDeletion: () => 'goes',
};
