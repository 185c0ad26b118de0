import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { findObject, groupOf, type KubeObject, type ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { beginsMirrored, choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import type { Routes } from '../../api/routes.ts';
import { isResting } from '../../api/step.ts';
import { type JsonRecord, textsIn } from '../../base/json.ts';
import { leftBehind } from '../found-in-place.ts';
import { type NamesOurSides, rememberedSpec } from '../original-spec.ts';
import type { AfterDeletion, RouteChange, Router, Survey, Unkept } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { refUnderApex, routingMetadata } from '../routing-metadata.ts';
import { hostsMeet } from '../split/split-form.ts';
import { isUsersRoute } from '../split/users-route.ts';
import { withUsersRoutes } from '../split/users-routes.ts';
import { ownAmong, takenNames } from '../taken-names.ts';
import { ALL, onlyWeight } from '../weights.ts';
import { carriedRules, namedSubset, ROOT_NAMESPACE, renderDestinationRule, unkeptRules } from './destination-rules.ts';
import { splitForm } from './in-place.ts';
import { mergeMatch, routedMatch, withOneGateway, withSeveralPorts } from './match.ts';
import { readVirtualService } from './read.ts';
import { destination, istioRule, renderHttp, renderTcp, tcpRule } from './render.ts';
import { fullGateways, fullHosts } from './taken.ts';

const apiVersion = 'networking.istio.io/v1beta1';

const made: Router = {
  supports: factsOf('istio').can,
  refuses: (canary) => rejectionOf(() => checkSpec(canary)),
  watches: (canary) => [virtualServiceRef(canary), ...ruleRefs(canary)],
  surveys: (canary) => surveyed(canary),
  unkept: (canary, objects) => [
    ...ledToSubset(canary, objects),
    ...unkeptRules(canary, objects),
    ...takenNames(objects, ruleRefs(canary), { made: 'the DestinationRule that Serin makes for one side' }),
  ],
  carries: carriedRules,
  render(canary, apex, routes, current) {
    const found = findObject(current, virtualServiceRef(canary));
    const routed = apex.ports.length > 1 ? withSeveralPorts(canary) : asRouted(canary, found);
    return {
      write: [...renderRules(canary, current), renderVirtualService(canary, asStanding(routed, routes, found), routes, found)],
      remove: [],
    };
  },
  readRoutes(canary, current) {
    const found = findObject(current, virtualServiceRef(canary));
    return found && readVirtualService(asRouted(canary, found), found);
  },
  finalize,
  afterDeletion,
};

/** Istio: one VirtualService, or those of the user's, and a DestinationRule for each side. */
export const istio: Router = withUsersRoutes(made, {
  ...splitForm,
  ref: virtualServiceRef,
  namesSides: namesOurSides,
  besides: renderRules,
  isFor(canary, found) {
    const { namespace } = canary.metadata;
    const { hosts, gateways } = specOf<Record<string, unknown>>(found);
    const made = exposure(canary);
    const of = fullGateways(textsIn(gateways), namespace);
    // A delegate has no hosts: a VirtualService with hosts includes it.
    return (
      made.hosts !== undefined &&
      textsIn(hosts).length > 0 &&
      hostsMeet(fullHosts(made.hosts, namespace), fullHosts(textsIn(hosts), namespace)) &&
      fullGateways(made.gateways ?? [], namespace).some((one) => of.includes(one))
    );
  },
});

function renderRules(canary: Canary, current: readonly KubeObject[]): KubeObject[] {
  return ruleRefs(canary).map((ref) => renderDestinationRule(canary, ref, current));
}

/** A policy of the user's decides: no DestinationRules are read. */
function surveyed({ spec, metadata: { namespace } }: Canary): readonly Survey[] {
  if (spec.service.trafficPolicy) return [];
  return [...new Set([namespace, ROOT_NAMESPACE])].map((each) => ({ apiVersion, kind: 'DestinationRule', namespace: each }));
}

function virtualServiceRef(canary: Canary): ObjectRef {
  return refUnderApex(canary, apiVersion, 'VirtualService');
}

/** The Canary that a VirtualService of ours was rendered for: a VirtualService that names ports is for Services with several. */
function asRouted(canary: Canary, found: KubeObject | undefined): Canary {
  const spec = specOf(found);
  const namesPorts = found !== undefined && namesOurSides(canary)(spec) && JSON.stringify(spec).includes('"port":{"number":');
  return namesPorts ? withSeveralPorts(canary) : canary;
}

/**
 * The same for a VirtualService of a version that led requests of the mesh to other ports than the Canary's to that one: it stays so until the next
 * release begins, since no route changes as another version of Serin starts (I8).
 */
function asStanding(routed: Canary, routes: Routes, found: KubeObject | undefined): Canary {
  const before = found && isResting(routed.status?.release) ? withOneGateway(routed) : undefined;
  if (!before) return routed;
  const { http, tcp } = specOf<{ http: unknown; tcp: unknown }>(found);
  return isDeepStrictEqual({ http, tcp }, { http: undefined, tcp: undefined, ...rulesFor(before, routes) }) ? before : routed;
}

function rulesFor(routed: Canary, routes: Routes): { http?: JsonRecord[]; tcp?: JsonRecord[] } {
  return isTcp(routed) ? { tcp: renderTcp(routed, tcpShare(routes)) } : { http: renderHttp(routed, routes) };
}

function ruleRefs(canary: Canary): ObjectRef[] {
  const { canaryService, primaryService } = names(canary);
  const { namespace } = canary.metadata;
  return [canaryService, primaryService].map((name) => ({ apiVersion, kind: 'DestinationRule', name, namespace }));
}

function isTcp(canary: Canary): boolean {
  return canary.spec.service.appProtocol?.toLowerCase() === 'tcp';
}

/** Checks the whole spec; `render` itself fails only on fields that the routes need, so that a bad match never keeps traffic from the primary. */
function checkSpec(canary: Canary): void {
  const { analysis } = canary.spec;
  checkExposure(canary);
  if (isTcp(canary)) {
    if (choosesUsers(canary)) throw RoutingError.at('analysis.match', 'needs HTTP: service.appProtocol is tcp');
    if (beginsMirrored(canary)) throw RoutingError.at('analysis.mirror', 'needs HTTP: service.appProtocol is tcp');
  } else if (analysis.match?.length) mergeMatch(analysis.match, routedMatch(canary));
}

function checkExposure(canary: Canary): void {
  const { delegation, hosts, gateways } = canary.spec.service;
  if (delegation && (hosts?.length || gateways?.length))
    throw new RoutingError(
      'a delegate VirtualService has neither: remove service.hosts and service.gateways, or service.delegation',
      'service.hosts',
    );
}

/** A route found in place that is to be taken over. Once Serin has it, a subset is another writer's edit, and is put back. */
function ledToSubset(canary: Canary, objects: readonly KubeObject[]): Unkept[] {
  const { kind, name, namespace } = virtualServiceRef(canary);
  const { apexService } = names(canary);
  return objects.flatMap((on): Unkept[] => {
    const isFound = on.kind === kind && groupOf(on.apiVersion) === groupOf(apiVersion);
    if (!isFound || on.metadata.name !== name || on.metadata.namespace !== namespace) return [];
    const spec = specOf(on);
    // One of the user's that is split keeps nothing of it: that is said of its rules.
    const subset = isUsersRoute(on) || namesOurSides(canary)(spec) ? undefined : namedSubset(canary, spec);
    if (subset === undefined) return [];
    return [
      {
        ...{ on, field: 'spec', isRefused: true },
        detail: `leads to subset ${subset} of ${apexService}, and the routes of a Canary lead to its two sides as a whole`,
        remedy: `let it lead to ${apexService} without subset, or give subset ${subset} a Service and a Canary of its own`,
      },
    ];
  });
}

/** `routed`: the same Canary, with several ports where its Services have them. */
function renderVirtualService(canary: Canary, routed: Canary, routes: Routes, found: KubeObject | undefined): KubeObject {
  checkExposure(canary);
  return {
    apiVersion,
    kind: 'VirtualService',
    metadata: routingMetadata(canary, rememberedSpec(found, namesOurSides(canary))),
    spec: { ...exposure(canary), ...rulesFor(routed, routes) },
  };
}

function namesOurSides(canary: Canary): NamesOurSides {
  const { primaryService, canaryService } = names(canary);
  return (spec) => {
    const text = JSON.stringify(spec);
    return [primaryService, canaryService].some((host) => text.includes(`"host":"${host}"`) || text.includes(`"host":"${host}.`));
  };
}

/** Cookies mean nothing to TCP: those of a release that an edit has made one of TCP are left out, so that it can go back. */
function tcpShare(routes: Routes): number {
  return onlyWeight(routes, 'TCP routes have weights only: service.appProtocol is tcp', 'service.appProtocol');
}

function exposure(canary: Canary): { gateways?: string[]; hosts?: string[] } {
  const { delegation, gateways = [], hosts = [] } = canary.spec.service;
  if (delegation) return {};
  const { apexService } = names(canary);
  return {
    gateways: gateways.length > 0 ? [...gateways] : ['mesh'],
    hosts: hosts.includes('*') || hosts.includes(apexService) ? [...hosts] : [...hosts, apexService],
  };
}

/**
 * A VirtualService found in place gets its spec back. Ours leads to the apex Service, whether it stays or goes; the DestinationRules go, as
 * their hosts do.
 */
function finalize(canary: Canary, current: readonly KubeObject[]): RouteChange {
  const remove = ownAmong(canary, ruleRefs(canary), current);
  const found = findObject(current, virtualServiceRef(canary));
  const routed = asRouted(canary, found);
  const spec = () => ({ ...exposure(canary), ...toApex(routed) });
  return { write: leftBehind(virtualServiceRef(canary), current, namesOurSides(canary), spec), remove };
}

/** Clients reach only the hosts of the apex Service, from inside the mesh, by another way than the VirtualService. */
function afterDeletion(canary: Canary, object: KubeObject): AfterDeletion {
  if (object.kind !== 'VirtualService') return 'goes';
  const { hosts, gateways } = specOf<{ hosts: unknown[]; gateways: unknown[] }>(object);
  const { apexService } = names(canary);
  const short = `${apexService}.${canary.metadata.namespace}`;
  const known: unknown[] = [apexService, short, `${short}.svc`];
  const isKnown = (host: unknown) => known.includes(host) || String(host).startsWith(`${short}.svc.`);
  const isOf = (list: unknown, each: (one: unknown) => boolean) => Array.isArray(list) && list.length > 0 && list.every(each);
  const isMeshOnly = gateways === undefined || isOf(gateways, (gateway) => gateway === 'mesh');
  // A delegate has no hosts of its own.
  return isMeshOnly && isOf(hosts, isKnown) ? 'goes' : 'stays';
}

function toApex(canary: Canary): Record<string, unknown> {
  const route = [{ destination: destination(canary, names(canary).apexService), weight: ALL }];
  if (isTcp(canary)) return { tcp: [tcpRule(canary, route)] };
  return { http: [istioRule(canary, routedMatch(canary), route)] };
}
