import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { HttpMatch, Routes } from '../../api/routes.ts';
import { isResting } from '../../api/step.ts';
import { type CopyRefs, foundOf, nothingRendered } from '../copied-object.ts';
import { copiedMetadata } from '../ingress/copied-metadata.ts';
import type { RouteChange } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { canaryWeight, matchOf } from '../weights.ts';
import { renderMatch } from './exprs.ts';
import { readApisixRules } from './read.ts';
import {
  copiedRules,
  copyPriority,
  firstPriority,
  ownRules,
  type RawRule,
  reweighted,
  rulesOf,
  type SideServices,
  sharedRule,
} from './rules.ts';

const apiVersion = 'apisix.apache.org/v2';

/** The user's ApisixRoute and the copy of it that is ours; neither without `spec.routeRef`. */
export function refs(canary: Canary): CopyRefs {
  const { routeCopy } = names(canary);
  if (!canary.spec.routeRef || !routeCopy) return {};
  const { namespace } = canary.metadata;
  const kind = 'ApisixRoute';
  return {
    sourceRef: { apiVersion, kind, name: canary.spec.routeRef.name, namespace },
    copyRef: { apiVersion, kind, name: routeCopy, namespace },
  };
}

export function sidesOf(canary: Canary): SideServices {
  const { apexService, primaryService, canaryService } = names(canary);
  return { apex: apexService, primary: primaryService, canary: canaryService };
}

export function render(canary: Canary, routes: Routes, current: readonly KubeObject[]): RouteChange {
  const { share, match } = sharesOf(routes);
  const exprs = renderMatch(match);
  const { copyRef } = refs(canary);
  const { source, copy } = foundOf(refs(canary), current);
  const sides = sidesOf(canary);
  const own = ownRules(source, sides.apex);
  const base = own.length > 0 ? source : copy;
  if (!base || !copyRef) return nothingRendered(canary, routes, nothingToCopy(canary, source));
  const shared = share > 0 ? sharedRule(source, sides.apex) : undefined;
  if (shared)
    throw new RoutingError(
      `rule ${shared.name ?? ''} of ApisixRoute ${canary.spec.routeRef?.name ?? ''} has other backends beside ${sides.apex}: give them rules of their own`,
    );
  if (base === copy && share > 0) refuseOtherMatch(canary, copy, match, source);
  const http =
    base === copy
      ? rulesOf(base).map((rule) => reweighted(rule, sides, share))
      : own.flatMap((rule) => copiedRules(rule, sides, { share, match: exprs, priority: priorityOf(canary, rule, source, copy) }));
  const { ingressClassName } = specOf<{ ingressClassName: string }>(base);
  const { labels, annotations } = copiedMetadata(base, () => false);
  const metadata = { name: copyRef.name, namespace: canary.metadata.namespace, labels, annotations };
  const spec = { ...(ingressClassName === undefined ? {} : { ingressClassName }), http };
  return { write: [{ apiVersion, kind: copyRef.kind, metadata, spec }], remove: [] };
}

/** A copy that is before all rules stays there until the next release (I8). */
function priorityOf(canary: Canary, rule: RawRule, source: KubeObject | undefined, copy: KubeObject | undefined): number {
  const first = firstPriority(rule);
  const isFirst = rulesOf(copy).some(({ name, priority }) => name === rule.name && priority === first);
  return isFirst && isResting(canary.status?.release) ? first : copyPriority(source, rule, sidesOf(canary).apex);
}

/** Only the copy has the condition: a client that does not meet it stays with the user's rule, and so with the primary. */
function sharesOf(routes: Routes): { share: number; match: readonly HttpMatch[] } {
  if (routes.kind === 'mirrored')
    throw new RoutingError(
      'APISIX mirrors to a URL, not to a Service: set analysis.mirror to false; istio and gatewayapi:v1 can',
      'analysis.mirror',
    );
  return { share: canaryWeight(routes), match: matchOf(routes) ?? [] };
}

/** Without the user's rule only the weights of the copy can be changed: its condition on requests has to be right already. */
function refuseOtherMatch(canary: Canary, copy: KubeObject, match: readonly HttpMatch[], source: KubeObject | undefined): void {
  const live = readApisixRules(copy, sidesOf(canary), source);
  const asked = 'unreadable' in live || live.kind === 'mirrored' ? undefined : (live.match ?? []);
  if (!isDeepStrictEqual(asked, [...match])) throw nothingToCopy(canary, source);
}

/** Names what is missing: `spec.routeRef`, the ApisixRoute, or a rule that leads only to the apex Service. */
export function nothingToCopy(canary: Canary, source: KubeObject | undefined): RoutingError {
  const name = canary.spec.routeRef?.name;
  if (name === undefined) return new RoutingError('spec.routeRef is missing: name the ApisixRoute of the application', 'routeRef');
  const { apexService } = names(canary);
  const problem = source
    ? `no rule of ApisixRoute ${name} has Service ${apexService} as its only backend: add one, or correct spec.routeRef or spec.service.name`
    : `ApisixRoute ${name} is not found: create it, or correct spec.routeRef`;
  return new RoutingError(problem, 'routeRef');
}
