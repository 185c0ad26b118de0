import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import type { JsonRecord } from '../../api/json.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { factsOf } from '../../api/providers.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { findObject } from '../find-object.ts';
import { leftBehind } from '../found-in-place.ts';
import { INTRODUCTION, introducing } from '../introduction.ts';
import { namesServicesIn, rememberedSpec } from '../original-spec.ts';
import type { Apex, RouteChange, Router } from '../router.ts';
import { ifExpressible, RoutingError, rejectionOf } from '../routing-error.ts';
import { refUnderApex, routingMetadata } from '../routing-metadata.ts';
import type { Rule } from '../split/split.ts';
import { isUsersRoute, saidInVain } from '../split/users-route.ts';
import { joinedRoute, readSplitRoute, rulesOf, splitRoute } from './in-place.ts';
import { leftToApex, movedWhole } from './moved-whole.ts';
import { hostnames, parentRejection, parentsAtPort, servesGateway } from './parents.ts';
import { readRouteObject } from './read.ts';
import { type RouteType, renderRules, rulesToApex } from './render.ts';
import { type GatewayApiVersion, type RouteKind, routeKindOf } from './route-kind.ts';

/** Kubernetes' Gateway API: one HTTPRoute or GRPCRoute under the apex name, attached to Gateways or to Services (04-4.15, 04-4.4). */
export function gatewayApi(version: GatewayApiVersion): Router {
  const refTo = (canary: Canary, kind: RouteKind) => refUnderApex(canary, `gateway.networking.k8s.io/${version}`, kind);

  /**
   * A listener takes one of an HTTPRoute and a GRPCRoute with the same hosts, the older: an HTTPRoute that serves this application already
   * goes on being its route until it is deleted by hand.
   */
  function routeRef(canary: Canary, current: readonly KubeObject[]): ObjectRef {
    const http = refTo(canary, 'HTTPRoute');
    if (routeKindOf(canary, version) === 'HTTPRoute') return http;
    const found = findObject(current, http);
    return found && namesSidesOf(canary)(found.spec ?? {}) ? http : refTo(canary, 'GRPCRoute');
  }

  function render(canary: Canary, apex: Apex, routes: Routes, current: readonly KubeObject[]): RouteChange {
    const ref = routeRef(canary, current);
    const found = findObject(current, ref);
    if (found && isUsersRoute(found)) return { write: [part(found, splitRoute(canary, found, routes, version))], remove: [] };
    const metadata = routingMetadata(canary, rememberedSpec(found, namesSidesOf(canary)));
    const spec = specFor(canary, apex, routes, { version, kind: ref.kind as RouteKind }, found);
    return { write: [{ apiVersion: ref.apiVersion, kind: ref.kind, metadata, spec }], remove: [] };
  }

  /** Restores an adopted route; ours leads to the apex Service, whether it stays or goes. */
  function finalize(canary: Canary, current: readonly KubeObject[]): RouteChange {
    const ref = routeRef(canary, current);
    const users = findObject(current, ref);
    if (users && isUsersRoute(users)) return joined(canary, users);
    const toApex = (found: KubeObject) => apexSpec(canary, { version, kind: ref.kind as RouteKind }, found);
    return { write: leftBehind(ref, current, namesSidesOf(canary), toApex), remove: [] };
  }

  /** Nothing where no rule of it is split. */
  function joined(canary: Canary, found: KubeObject): RouteChange {
    const rules = joinedRoute(canary, found, version);
    return { write: isDeepStrictEqual(rules, rulesOf(found)) ? [] : [part(found, rules)], remove: [] };
  }

  function rejection(canary: Canary, current: readonly KubeObject[]) {
    const object = routeRef(canary, current);
    const found = findObject(current, object);
    const detail = found && parentRejection(found);
    return detail === undefined ? undefined : { object, detail };
  }

  return {
    supports: factsOf(`gatewayapi:${version}`).can,
    refuses: (canary) => rejectionOf(() => checkSpec(canary, { version, kind: routeKindOf(canary, version) })),
    watches: (canary) =>
      routeKindOf(canary, version) === 'GRPCRoute'
        ? [refTo(canary, 'HTTPRoute'), refTo(canary, 'GRPCRoute')]
        : [refTo(canary, 'HTTPRoute')],
    render,
    introduction,
    isUsers: isUsersRoute,
    ignores: (canary, current = []) => saidInVain(canary, findObject(current, routeRef(canary, current))),
    readRoutes(canary, current) {
      const found = findObject(current, routeRef(canary, current));
      if (found && isUsersRoute(found)) return readSplitRoute(canary, found, version);
      return found && readRouteObject(canary, found);
    },
    isInForce: (canary, current) => rejection(canary, current) === undefined,
    rejection,
    finalize,
    afterDeletion: (_canary, object) => (servesGateway(object) ? 'stays' : 'goes'),
  };
}

/** Source: the CRD. */
const MOST_RULES = 16;

interface BackendRule {
  backendRefs?: { name: string; namespace?: string; weight?: number }[];
}

const introduction = introducing<BackendRule>({
  name: 'rules',
  most: MOST_RULES,
  sidesOf: ({ backendRefs = [] }) =>
    backendRefs.map(({ name, namespace = '', weight: share = 1 }) => ({ service: `${namespace}/${name}`, hasTraffic: share > 0 })),
  unmatched: ({ backendRefs }, kind) => ({
    matches: [{ ...(kind === 'HTTPRoute' && { path: { type: 'PathPrefix', value: '/' } }), headers: [{ type: 'Exact', ...INTRODUCTION }] }],
    backendRefs,
  }),
});

/** What is Serin's of a route of the user's. */
function part({ apiVersion, kind, metadata: { name, namespace = '' } }: KubeObject, rules: Rule[]): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec: { rules } };
}

const namesSidesOf = (canary: Canary) => namesServicesIn('name', canary);

function specFor(canary: Canary, apex: Apex, routes: Routes, routeType: RouteType, found: KubeObject | undefined): JsonRecord {
  try {
    return { ...exposure(canary, found, apex), rules: renderRules(canary, routes, routeType) };
  } catch (error) {
    const share = wholeShare(routes);
    const isOurs = found !== undefined && namesSidesOf(canary)(found.spec ?? {});
    if (!(error instanceof RoutingError) || share === undefined || !isOurs) throw error;
    return movedWhole(canary, found, share);
  }
}

/** All or nothing for the canary is the end of a release, or of a Canary, and has to be written whatever its spec says by then. */
function wholeShare(routes: Routes): 0 | 100 | undefined {
  if (routes.kind !== 'weighted' || routes.match?.length) return undefined;
  return routes.canary === 0 ? 0 : routes.canary === 100 ? 100 : undefined;
}

function apexSpec(canary: Canary, routeType: RouteType, found: KubeObject): JsonRecord {
  return ifExpressible(() => ({ ...exposure(canary, found), rules: rulesToApex(canary, routeType) })) ?? leftToApex(canary, found);
}

function exposure(canary: Canary, found?: KubeObject, apex?: Apex): JsonRecord {
  const hosts = hostnames(canary);
  return { parentRefs: parentsAtPort(canary, found, apex), ...(hosts.length > 0 ? { hostnames: hosts } : {}) };
}

/** Every route that a release of this Canary can come to, so that nothing is refused in the middle of one (04-R-S10, R-T2). */
function checkSpec(canary: Canary, routeType: RouteType): void {
  exposure(canary);
  if (canary.spec.service.appProtocol?.toLowerCase() === 'tcp')
    throw RoutingError.at(
      'service.appProtocol',
      `is tcp, of which an ${routeType.kind} carries nothing: remove it; provider istio can route TCP`,
    );
  for (const routes of routesAhead(canary)) renderRules(canary, routes, routeType);
}

function routesAhead(canary: Canary): Routes[] {
  const { match, mirror, mirrorWeight = 0, sessionAffinity } = canary.spec.analysis;
  const pair = (name: string | undefined) => (name ? `${name}=abcdefghij` : undefined);
  const [ours, primary] = [pair(sessionAffinity?.cookieName), pair(sessionAffinity?.primaryCookieName)];
  const affinity = ours === undefined ? {} : { affinity: { canary: ours, ...(primary === undefined ? {} : { primary }) } };
  const share = weight(mirrorWeight > 0 ? Math.min(100, mirrorWeight) : 100);
  return [
    allToPrimary,
    { kind: 'weighted', canary: weight(50), ...affinity },
    ...(match?.length ? [{ kind: 'matched', match, ...affinity } as const] : []),
    ...(mirror ? [{ kind: 'mirrored', share } as const] : []),
  ];
}
