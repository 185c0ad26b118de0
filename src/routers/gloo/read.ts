import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { type Affinity, type Routes, type UnreadableRoutes, Weight } from '../../api/routes.ts';
import { cookieRole, pairOfPattern } from '../cookie.ts';
import { ALL, readAs, readWeights } from '../weights.ts';
import { type Matcher, matchFromMatchers } from './matchers.ts';
import { upstreamRef } from './upstreams.ts';

/** The fields that are read of a foreign route; all else is ignored. */
interface WeightedDestination {
  weight?: number;
  destination?: { upstream?: { name?: string } };
  options?: { headerManipulation?: { responseHeadersToAdd?: { header?: { key?: string; value?: string } }[] } };
}
interface RouteTableRoute {
  matchers?: Matcher[];
  routeAction?: { multi?: { destinations?: WeightedDestination[] } };
  options?: { shadowing?: { upstream?: { name?: string }; percentage?: number } };
}

/** The routes of a RouteTable that we or Flagger wrote. */
export function readRouteTable(canary: Canary, table: KubeObject): Routes | UnreadableRoutes {
  const where = `RouteTable ${table.metadata.name}`;
  const routes = specOf<{ routes: RouteTableRoute[] }>(table).routes ?? [];
  const shares = routes.map((route) => shareOf(canary, route));
  if (routes.length === 0 || shares.includes(undefined))
    return { unreadable: `${where} does not route to the Upstreams of this Canary with weights that sum to 100` };
  // Only an A/B release has a last route without the canary: it serves clients that do not match.
  const last = routes.length - 1;
  const hasFallback = last > 0 && !namesCanary(canary, routes[last]);
  const at = hasFallback ? last - 1 : last;
  const main = routes[at];
  const share = shares[at];
  if (!main || share === undefined || !namesCanary(canary, main))
    return { unreadable: `${where} does not name the Upstream of the canary` };
  if (main.options?.shadowing) return readShadowing(canary, main, share, where);
  const affinity = readAffinity(canary, routes.slice(0, at), main);
  if (!affinity) return { unreadable: `a route of ${where} is neither ours nor one of Flagger's` };
  // Flagger has no route for all other requests, and repeats the condition when idle.
  if (!main.matchers?.length || (!hasFallback && share === 0)) {
    return hasFallback
      ? { unreadable: `the condition of ${where} for its canary matches every request` }
      : readAs(share, undefined, affinity);
  }
  const match = matchFromMatchers(main.matchers, canary.spec.analysis.match);
  if (!match) return { unreadable: `the condition of ${where} for its canary cannot be read` };
  return readAs(share, match, affinity);
}

const nameOf = ({ destination }: WeightedDestination): string | undefined => destination?.upstream?.name;
const destinationsOf = (route: RouteTableRoute | undefined): WeightedDestination[] => route?.routeAction?.multi?.destinations ?? [];

function namesCanary(canary: Canary, route: RouteTableRoute | undefined): boolean {
  return destinationsOf(route).some((one) => nameOf(one) === upstreamRef(canary, 'canary').name);
}

/** Percent of the canary; undefined where the weights are not whole, do not sum to 100, or belong to others. A missing weight is 0. */
function shareOf(canary: Canary, route: RouteTableRoute): Weight | undefined {
  const weightOf = (side: 'primary' | 'canary'): number =>
    destinationsOf(route)
      .filter((one) => nameOf(one) === upstreamRef(canary, side).name)
      .reduce((sum, { weight = 0 }) => sum + weight, 0);
  const total = destinationsOf(route).reduce((sum, { weight = 0 }) => sum + weight, 0);
  return total === ALL ? readWeights({ primary: weightOf('primary'), canary: weightOf('canary') }) : undefined;
}

function readShadowing(canary: Canary, { options }: RouteTableRoute, share: number, where: string): Routes | UnreadableRoutes {
  const copied = Weight.safeParse(options?.shadowing?.percentage ?? 0);
  if (share > 0 || !copied.success || options?.shadowing?.upstream?.name !== upstreamRef(canary, 'canary').name)
    return { unreadable: `${where} copies requests elsewhere, or to a canary that also has weight` };
  return { kind: 'mirrored', share: copied.data };
}

/** `undefined` if a route before the main one is not for a cookie. */
function readAffinity(canary: Canary, routes: readonly RouteTableRoute[], main: RouteTableRoute): Affinity | undefined {
  const affinity: Affinity = {};
  for (const route of routes) {
    const pair = cookieOf(route, main);
    if (pair === undefined) return undefined;
    affinity[cookieRole(canary, pair, cookiesOf(route), shareOf(canary, route) ?? 0)] = pair;
  }
  return affinity;
}

/** The pair that a route requires and the main route does not: its last condition. */
function cookieOf(route: RouteTableRoute, main: RouteTableRoute): string | undefined {
  const headers = route.matchers?.[0]?.headers ?? [];
  const own = headers.at(-1);
  const known = main.matchers?.[0]?.headers ?? [];
  if (own?.name.toLowerCase() !== 'cookie' || !own.regex || !isDeepStrictEqual(headers.slice(0, -1), known)) return undefined;
  return pairOfPattern(own.value ?? '');
}

/** `Set-Cookie` of the answers to a route. */
function cookiesOf(route: RouteTableRoute): string[] {
  const added = destinationsOf(route).flatMap(({ options }) => options?.headerManipulation?.responseHeadersToAdd ?? []);
  return added.map(({ header }) => header?.value ?? '');
}
