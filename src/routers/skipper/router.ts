import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { factsOf } from '../../api/providers.ts';
import { copyVerbs, foundOf } from '../copied-object.ts';
import { copyRefs, missingSource, refusesName } from '../ingress/copy.ts';
import { ingressesOf, sharedPath, unkeptIngresses } from '../ingress/unkept.ts';
import type { Router, Unkept } from '../router.ts';
import { rejectionOf } from '../routing-error.ts';
import { renderMatch } from './predicates.ts';
import { readCopy } from './read.ts';
import { PREDICATE, render } from './render.ts';

/** Skipper: a second Ingress of the same hosts and paths, which goes before the user's while the canary has a share. */
export const skipper: Router = {
  supports: factsOf('skipper').can,
  refuses(canary) {
    const { match } = canary.spec.analysis;
    return refusesName(canary) ?? (match?.length ? rejectionOf(() => renderMatch(match)) : undefined);
  },
  unkept: (canary, objects) => [...unkeptIngresses(canary, objects), ...unkeptPredicates(canary, objects)],
  ...copyVerbs(copyRefs),
  render: (canary, _apex, routes, current) => render(canary, routes, current),
  missing: missingSource,
  readRoutes(canary, current) {
    const { source, copy } = foundOf(copyRefs(canary), current);
    return copy && readCopy(canary, copy, source);
  },
};

/** Ingresses for some requests to a path of the application: the copy has the greatest weight, and so would take them. */
function unkeptPredicates(canary: Canary, objects: readonly KubeObject[]): Unkept[] {
  const { source, others } = ingressesOf(canary, objects);
  return others.flatMap((on): Unkept[] => {
    const path = source && on.metadata.annotations?.[PREDICATE] ? sharedPath(canary, source, on) : undefined;
    if (path === undefined) return [];
    return [
      {
        ...{ on, field: `metadata.annotations[${PREDICATE}]`, isRefused: true },
        detail: `matches some requests to ${path}, which in a release would go to the application, whose copy of Ingress ${source?.metadata.name} has precedence`,
        remedy: 'give it a path or host of its own',
      },
    ];
  });
}
