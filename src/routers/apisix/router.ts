import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import { copyVerbs, foundOf } from '../copied-object.ts';
import type { Router } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { renderMatch } from './exprs.ts';
import { readRules } from './read.ts';
import { nothingToCopy, refs, render, sidesOf } from './render.ts';
import { ownRules } from './rules.ts';

const MOST_NAME = 253;

/** APISIX: a second ApisixRoute with the rules that lead to the application, which goes before the user's (04-4.13). */
export const apisix: Router = {
  supports: factsOf('apisix').can,
  refuses(canary) {
    const { match } = canary.spec.analysis;
    if ((names(canary).routeCopy ?? '').length > MOST_NAME)
      return RoutingError.at('routeRef.name', 'and the name of the Service are too long together');
    return match?.length ? rejectionOf(() => renderMatch(match)) : undefined;
  },
  ...copyVerbs(refs),
  render: (canary, _apex, routes, current) => render(canary, routes, current),
  missing(canary, current) {
    const { source } = foundOf(refs(canary), current);
    return ownRules(source, sidesOf(canary).apex).length > 0 ? undefined : nothingToCopy(canary, source);
  },
  readRoutes(canary, current) {
    const { source, copy } = foundOf(refs(canary), current);
    return copy && readRules(copy, sidesOf(canary), source);
  },
};
