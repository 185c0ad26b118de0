import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../api/kube-object.ts';
import { factsOf } from '../../api/providers.ts';
import type { Routes } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { leftBehind } from '../found-in-place.ts';
import { INTRODUCTION, introducing } from '../introduction.ts';
import { namesServicesIn, rememberedSpec } from '../original-spec.ts';
import type { Apex, RouteChange, Router } from '../router.ts';
import { routesAhead } from '../routes-ahead.ts';
import { ifExpressible, RoutingError, rejectionOf } from '../routing-error.ts';
import { refUnderApex, routingMetadata } from '../routing-metadata.ts';
import { withUsersRoutes } from '../split/users-routes.ts';
import { splitForm } from './in-place.ts';
import { leftToApex, movedWhole } from './moved-whole.ts';
import { hostnames, parentsAtPort, servesGateway } from './parents.ts';
import { readRouteObject } from './read.ts';
import { type RouteType, renderRules, rulesToApex } from './render.ts';
import { type GatewayApiVersion, type RouteKind, routeKindOf } from './route-kind.ts';

/** Kubernetes' Gateway API: one HTTPRoute or GRPCRoute under the apex name, attached to Gateways or to Services. */
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
    const metadata = routingMetadata(canary, rememberedSpec(found, namesSidesOf(canary)));
    const spec = specFor(canary, apex, routes, { version, kind: ref.kind as RouteKind }, found);
    return { write: [{ apiVersion: ref.apiVersion, kind: ref.kind, metadata, spec }], remove: [] };
  }

  /** Restores an adopted route; ours leads to the apex Service, whether it stays or goes. */
  function finalize(canary: Canary, current: readonly KubeObject[]): RouteChange {
    const ref = routeRef(canary, current);
    const toApex = (found: KubeObject) => apexSpec(canary, { version, kind: ref.kind as RouteKind }, found);
    return { write: leftBehind(ref, current, namesSidesOf(canary), toApex), remove: [] };
  }

  const made: Router = {
    supports: factsOf(`gatewayapi:${version}`).can,
    refuses: (canary) => rejectionOf(() => checkSpec(canary, { version, kind: routeKindOf(canary, version) })),
    watches: (canary) =>
      routeKindOf(canary, version) === 'GRPCRoute'
        ? [refTo(canary, 'HTTPRoute'), refTo(canary, 'GRPCRoute')]
        : [refTo(canary, 'HTTPRoute')],
    render,
    introduction,
    readRoutes(canary, current) {
      const found = findObject(current, routeRef(canary, current));
      return found && readRouteObject(canary, found);
    },
    finalize,
    afterDeletion: (_canary, object) => (servesGateway(object) ? 'stays' : 'goes'),
  };
  return withUsersRoutes(made, { ...splitForm(version), ref: routeRef, namesSides: namesSidesOf });
}

/** Source: the CRD. */
const MOST_RULES = 16;

interface BackendRule {
  backendRefs?: { name: string; namespace?: string; port?: number; weight?: number }[];
}

const introduction = introducing<BackendRule>({
  name: 'rules',
  most: MOST_RULES,
  sidesOf: ({ backendRefs = [] }) =>
    backendRefs.map(({ name, namespace = '', port = 0, weight: share = 1 }) => ({
      ...{ cluster: `${namespace}/${name}:${port}`, hasTraffic: share > 0 },
    })),
  unmatched: ({ backendRefs }, kind) => ({
    matches: [{ ...(kind === 'HTTPRoute' && { path: { type: 'PathPrefix', value: '/' } }), headers: [{ type: 'Exact', ...INTRODUCTION }] }],
    backendRefs,
  }),
});

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

/** All or nothing for the canary is the end of a release, or of a Canary, and has to be written with any spec of that time. */
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

/** Every route that a release of this Canary can come to, so that nothing is refused in the middle of one. */
function checkSpec(canary: Canary, routeType: RouteType): void {
  // Routes that are listed say themselves where they belong.
  if (!canary.spec.routeRefs?.length) exposure(canary);
  if (canary.spec.service.appProtocol?.toLowerCase() === 'tcp')
    throw RoutingError.at(
      'service.appProtocol',
      `is tcp, of which an ${routeType.kind} carries nothing: remove it; provider istio can route TCP`,
    );
  for (const routes of routesAhead(canary)) renderRules(canary, routes, routeType);
}
