import { factsOf } from '../../api/providers.ts';
import { copyVerbs, foundOf } from '../copied-object.ts';
import { copyRefs, missingSource, refusesName } from '../ingress/copy.ts';
import type { Router } from '../router.ts';
import { rejectionOf } from '../routing-error.ts';
import { renderMatch } from './predicates.ts';
import { readCopy } from './read.ts';
import { render } from './render.ts';

/** Skipper: a second Ingress of the same hosts and paths, which goes before the user's while the canary has a share (04-4.10). */
export const skipper: Router = {
  supports: factsOf('skipper').can,
  refuses(canary) {
    const { match } = canary.spec.analysis;
    return refusesName(canary) ?? (match?.length ? rejectionOf(() => renderMatch(match)) : undefined);
  },
  ...copyVerbs(copyRefs),
  render: (canary, _apex, routes, current) => render(canary, routes, current),
  missing: missingSource,
  readRoutes(canary, current) {
    const { source, copy } = foundOf(copyRefs(canary), current);
    return copy && readCopy(canary, copy, source);
  },
};
