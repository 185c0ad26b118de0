import type { Canary } from '../../api/canary.ts';
import { parseDuration } from '../../api/duration.ts';
import { names } from '../../api/names.ts';
import type { Affinity, Routes } from '../../api/routes.ts';
import { cookiesSet, type SideCookies, setCookie } from '../cookie.ts';
import { RoutingError } from '../routing-error.ts';
import { ALL, affinityOf, canaryWeight, matchOf, primaryWeight } from '../weights.ts';
import type { Filter } from './cors.ts';
import { gatewayDuration } from './duration.ts';
import { commonFilters, mirrorFilter, responseModifier } from './filters.ts';
import { mergeMatch, type RouteMatch, serviceMatches, withCookie } from './match.ts';
import type { GatewayApiVersion, RouteKind } from './route-kind.ts';

/** A kind of route in one version of the Gateway API. */
export interface RouteType {
  version: GatewayApiVersion;
  kind: RouteKind;
}
export interface RenderedRef {
  group: string;
  kind: string;
  name: string;
  port: number;
  weight: number;
  filters?: Filter[];
}
export interface RenderedRule {
  matches?: RouteMatch[];
  filters?: Filter[];
  timeouts?: { request?: string; backendRequest?: string };
  backendRefs: RenderedRef[];
}

export const SET_COOKIE = 'Set-Cookie';
/** In one rule, and in a route. Source: the CRD. */
const MOST_MATCHES = 64;
const MOST_MATCHES_IN_ALL = 128;

/**
 * `spec.rules`. The most specific match wins in a route, and of equal ones the first. The conditions of a cookie or a segment are added to the service's, so
 * these rules win in any position, and they are written first.
 */
export function renderRules(canary: Canary, routes: Routes, routeType: RouteType): RenderedRule[] {
  const service = serviceMatches(canary, routeType.kind);
  const segment = matchOf(routes);
  const within = segment ? mergeMatch(segment, service, routeType.kind) : service;
  const share = canaryWeight(routes);
  const affinity = affinityOf(routes);
  const cookies = share > 0 ? cookiesSet(canary, affinity) : {};
  const mirrors = routes.kind === 'mirrored' ? [mirrorOf(canary, routes.share, routeType)] : [];
  const main = rule(canary, routeType, within, both(canary, share, cookies), [...commonFilters(canary, routeType), ...mirrors]);
  const rules = [
    ...stickyRules(canary, routeType, within, affinity, share),
    main,
    ...(segment ? [rule(canary, routeType, service, [backend(canary, names(canary).primaryService, ALL)])] : []),
  ];
  checkRules(rules);
  return rules;
}

function checkRules(rules: readonly RenderedRule[]): void {
  const counts = rules.map(({ matches = [] }) => matches.length);
  if (Math.max(...counts) > MOST_MATCHES || counts.reduce((sum, count) => sum + count, 0) > MOST_MATCHES_IN_ALL)
    throw new RoutingError(
      'service.match, times analysis.match where there is one, makes more alternatives than a route takes: name fewer',
      'service.match',
    );
  for (const { matches = [], filters = [] } of rules) {
    const replacesPrefix = filters.some(
      ({ type, urlRewrite }) => type === 'URLRewrite' && JSON.stringify(urlRewrite).includes('replacePrefixMatch'),
    );
    if (replacesPrefix && (matches.length !== 1 || matches[0]?.path?.type !== 'PathPrefix'))
      throw RoutingError.at('service.rewrite.type', 'ReplacePrefixMatch needs exactly one alternative, with a prefix: use ReplaceFullPath');
  }
}

/** The rules that deletion leaves behind: everything to the apex Service. */
export function rulesToApex(canary: Canary, routeType: RouteType): RenderedRule[] {
  return [rule(canary, routeType, serviceMatches(canary, routeType.kind), [backend(canary, names(canary).apexService, ALL)])];
}

function mirrorOf(canary: Canary, share: number, { version }: RouteType): Filter {
  const { weight: _, ...backendRef } = backend(canary, names(canary).canaryService, 0);
  if (share === ALL) return mirrorFilter(backendRef);
  if (version !== 'v1')
    throw RoutingError.at('analysis.mirrorWeight', `${share} needs gatewayapi:v1: ${version} mirrors all requests or none`);
  return mirrorFilter(backendRef, share);
}

function stickyRules(
  canary: Canary,
  routeType: RouteType,
  within: readonly RouteMatch[],
  affinity: Affinity,
  share: number,
): RenderedRule[] {
  const rules: RenderedRule[] = [];
  // At weight 0 the canary might be unable to serve: its users are kept apart but answered by the primary.
  if (affinity.canary) rules.push(rule(canary, routeType, withCookie(within, affinity.canary), both(canary, share > 0 ? ALL : 0, {})));
  if (affinity.primary) rules.push(rule(canary, routeType, withCookie(within, affinity.primary), both(canary, 0, {})));
  if (affinity.previous) rules.push(deletionRule(canary, routeType, withCookie(within, affinity.previous), affinity, share));
  return rules;
}

/** With the attributes that the cookie was set with, or browsers keep it. */
function deletionRule(
  canary: Canary,
  routeType: RouteType,
  holding: readonly RouteMatch[],
  affinity: Affinity,
  share: number,
): RenderedRule {
  const value = setCookie(canary, affinity.previous ?? '', -1);
  const isTaken = Object.keys(canary.spec.service.headers?.response?.add ?? {}).some(
    (name) => name.toLowerCase() === SET_COOKIE.toLowerCase(),
  );
  if (share > 0 || isTaken) {
    // On the primary's side only: the canary's answer sets the new cookie, which has the same name.
    const cookies = share > 0 ? cookiesSet(canary, affinity) : {};
    return rule(canary, routeType, holding, both(canary, share, { ...cookies, primary: value }));
  }
  return rule(canary, routeType, holding, both(canary, share, {}), commonFilters(canary, routeType, { name: SET_COOKIE, value }));
}

function rule(
  canary: Canary,
  routeType: RouteType,
  matches: readonly RouteMatch[],
  backendRefs: RenderedRef[],
  filters: Filter[] = commonFilters(canary, routeType),
): RenderedRule {
  const timeouts = timeoutsOf(canary, routeType);
  // A GRPCRoute without a condition has no matches at all.
  const isOpen = matches.length === 1 && matches[0] !== undefined && Object.keys(matches[0]).length === 0;
  return {
    ...(isOpen ? {} : { matches: structuredClone([...matches]) }),
    ...(filters.length > 0 ? { filters } : {}),
    ...(timeouts ? { timeouts } : {}),
    backendRefs,
  };
}

/** Younger than v1beta1, where they are left out as in Flagger; a GRPCRoute has none. Validation warns of both. */
function timeoutsOf(canary: Canary, { version, kind }: RouteType): RenderedRule['timeouts'] {
  const { timeout, backendTimeout } = canary.spec.service;
  if (version !== 'v1' || kind === 'GRPCRoute' || (!timeout && !backendTimeout)) return undefined;
  const request = timeout ? gatewayDuration(timeout, 'service.timeout') : undefined;
  const backendRequest = backendTimeout ? gatewayDuration(backendTimeout, 'service.backendTimeout') : undefined;
  const [requestMs, backendMs] = [parseDuration(request ?? '') ?? 0, parseDuration(backendRequest ?? '') ?? 0];
  if (requestMs > 0 && backendMs > requestMs)
    throw RoutingError.at('service.backendTimeout', 'is longer than service.timeout: make it no longer');
  return { ...(request ? { request } : {}), ...(backendRequest ? { backendRequest } : {}) };
}

/** Both stay listed at 0: a backend that comes back later is one more thing for a proxy to learn late. */
export function both(canary: Canary, share: number, cookies: SideCookies): RenderedRef[] {
  const { primaryService, canaryService } = names(canary);
  const side = (name: string, weight: number, value: string | undefined): RenderedRef => ({
    ...backend(canary, name, weight),
    ...(value === undefined ? {} : { filters: [responseModifier({ add: [{ name: SET_COOKIE, value }] })] }),
  });
  return [side(primaryService, primaryWeight(share), cookies.primary), side(canaryService, share, cookies.canary)];
}

/** All that the API server would add is written, so that nothing looks like drift. */
function backend(canary: Canary, name: string, weight: number): RenderedRef {
  return { group: '', kind: 'Service', name, port: canary.spec.service.port, weight };
}
