import type { Canary } from '../../api/canary.ts';
import { names } from '../../api/names.ts';
import type { Affinity, Routes } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { cookiePattern, cookiesSet, type SideCookies, setCookie } from '../cookie.ts';
import { ALL, canaryWeight, matchOf, primaryWeight } from '../weights.ts';
import { type Matcher, matchersFor, withHeader } from './matchers.ts';
import { type UpstreamSide, upstreamRef } from './upstreams.ts';

/**
 * `spec.routes`, the first match winning: cookie of the canary, cookie of the primary, cookie to be deleted, all requests of the segment,
 * and with an A/B condition all other requests to the primary.
 */
export function renderTableRoutes(canary: Canary, routes: Routes): JsonRecord[] {
  if (routes.kind === 'mirrored') {
    const shadowing = { upstream: upstream(canary, 'canary'), percentage: routes.share };
    return [{ ...route([], both(canary, 0)), options: { shadowing } }];
  }
  const segment = matchersFor(matchOf(routes) ?? []);
  const share = canaryWeight(routes);
  const affinity = routes.affinity ?? {};
  return [
    ...stickyRoutes(canary, segment, affinity, share),
    route(segment, both(canary, share, share > 0 ? cookiesSet(canary, affinity) : {})),
    ...(segment.length > 0 ? [route([], [destination(canary, 'primary', ALL)])] : []),
  ];
}

/** The routes that deletion leaves behind: none of our Upstreams, which are removed. */
export function routesToApex(canary: Canary): JsonRecord[] {
  const ref = { name: names(canary).apexService, namespace: canary.metadata.namespace };
  return [{ inheritablePathMatchers: true, routeAction: { single: { kube: { ref, port: canary.spec.service.port } } } }];
}

function stickyRoutes(canary: Canary, segment: readonly Matcher[], affinity: Affinity, share: number): JsonRecord[] {
  const holding = (pair: string) => withHeader(segment, { name: 'cookie', value: cookiePattern(pair), regex: true });
  const found: JsonRecord[] = [];
  // At weight 0 the canary might be unable to serve: its users are kept apart but answered by the primary.
  if (affinity.canary) found.push(route(holding(affinity.canary), both(canary, share > 0 ? ALL : 0)));
  if (affinity.primary) found.push(route(holding(affinity.primary), both(canary, 0)));
  if (affinity.previous) {
    // With the attributes that the cookie was set with, or browsers keep it. The canary's answer sets the new one of that name.
    const cookies = share > 0 ? cookiesSet(canary, affinity) : {};
    found.push(route(holding(affinity.previous), both(canary, share, { ...cookies, primary: setCookie(canary, affinity.previous, -1) })));
  }
  return found;
}

/** The path is that of the user's route that delegates here. */
function route(matchers: readonly Matcher[], destinations: JsonRecord[]): JsonRecord {
  return {
    inheritablePathMatchers: true,
    ...(matchers.length > 0 ? { matchers: structuredClone(matchers) } : {}),
    routeAction: { multi: { destinations } },
  };
}

function both(canary: Canary, share: number, cookies: SideCookies = {}): JsonRecord[] {
  return [destination(canary, 'primary', primaryWeight(share), cookies.primary), destination(canary, 'canary', share, cookies.canary)];
}

function destination(canary: Canary, side: UpstreamSide, weight: number, cookie?: string): JsonRecord {
  const added = [{ header: { key: 'Set-Cookie', value: cookie }, append: true }];
  return {
    weight,
    destination: { upstream: upstream(canary, side) },
    ...(cookie === undefined ? {} : { options: { headerManipulation: { responseHeadersToAdd: added } } }),
  };
}

function upstream(canary: Canary, side: UpstreamSide): { name: string; namespace: string } {
  return { name: upstreamRef(canary, side).name, namespace: canary.metadata.namespace };
}
