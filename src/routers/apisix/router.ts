import type { Canary } from '../../api/canary.ts';
import { findObject, groupOf, type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import { isRecord } from '../../base/json.ts';
import { copyVerbs, foundOf } from '../copied-object.ts';
import type { Router, Unkept } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { takenNames } from '../taken-names.ts';
import { renderMatch } from './exprs.ts';
import { readApisixRules } from './read.ts';
import { nothingToCopy, refs, render, sidesOf } from './render.ts';
import { leadsTo, narrowRule, ownRules, rulesOf } from './rules.ts';

const MOST_NAME = 253;

/** APISIX: a second ApisixRoute with the rules that lead to the application, which goes before the user's. */
export const apisix: Router = {
  supports: factsOf('apisix').can,
  refuses(canary) {
    const { match } = canary.spec.analysis;
    if ((names(canary).routeCopy ?? '').length > MOST_NAME)
      return RoutingError.at('routeRef.name', 'and the name of the Service are too long together');
    return match?.length ? rejectionOf(() => renderMatch(match)) : undefined;
  },
  unkept,
  ...copyVerbs(refs),
  render: (canary, _apex, routes, current) => render(canary, routes, current),
  missing(canary, current) {
    const { source } = foundOf(refs(canary), current);
    return ownRules(source, sidesOf(canary).apex).length > 0 ? undefined : nothingToCopy(canary, source);
  },
  readRoutes(canary, current) {
    const { source, copy } = foundOf(refs(canary), current);
    return copy && readApisixRules(copy, sidesOf(canary), source);
  },
};

/** Other ApisixRoutes that lead to the application: only rules of the named ApisixRoute have a copy. */
function unkept(canary: Canary, objects: readonly KubeObject[]): Unkept[] {
  const { sourceRef, copyRef } = refs(canary);
  if (!sourceRef || !copyRef) return [];
  const { apexService } = names(canary);
  const isOther = (object: KubeObject) =>
    object.kind === sourceRef.kind &&
    groupOf(object.apiVersion) === groupOf(sourceRef.apiVersion) &&
    object.metadata.namespace === sourceRef.namespace &&
    ![sourceRef, copyRef].map(refKey).includes(refKey({ ...refOf(object), apiVersion: sourceRef.apiVersion }));
  const source = findObject(objects, sourceRef);
  const narrow = source && narrowRule(isReadable(source) ? source : undefined, apexService);
  return [
    ...(narrow
      ? [
          {
            ...{ on: source, field: 'spec.http', isRefused: true },
            detail: `has rule ${narrow.next.name ?? ''} that leads elsewhere, one priority above rule ${narrow.rule.name ?? ''}: the copy of the latter goes before it`,
            remedy: `give rule ${narrow.next.name ?? ''} a priority that is higher by one`,
          },
        ]
      : []),
    ...takenNames(objects, [copyRef], { made: `the copy that Serin makes of ApisixRoute ${sourceRef.name}` }),
    ...objects.filter(isOther).flatMap((on): Unkept[] => {
      if (!isReadable(on) || !rulesOf(on).some((rule) => leadsTo(rule, apexService))) return [];
      return [
        {
          ...{ on, field: 'spec.http', isRefused: false },
          detail: `leads to Service ${apexService}, and its requests get no share of a canary`,
          remedy: `move its rules to ApisixRoute ${sourceRef.name}, which spec.routeRef names`,
        },
      ];
    }),
  ];
}

/** The API server of some clusters takes any content of it. */
function isReadable(route: KubeObject): boolean {
  return rulesOf(route).every((rule) => isRecord(rule) && [rule.backends ?? [], rule.upstreams ?? []].every(Array.isArray));
}
