import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import type { Routes } from '../../api/routes.ts';
import { findObject } from '../find-object.ts';
import { isTaken, namesIn, originalSpec, rememberedSpec } from '../original-spec.ts';
import type { Change, Router } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { routingMetadata } from '../routing-metadata.ts';
import { ALL, primaryWeight } from '../weights.ts';
import { readTraefikService } from './read.ts';

const noMatch = 'Traefik chooses requests in your own IngressRoute, which is not ours to change: remove analysis.match';

/**
 * Traefik: the TraefikService under the apex name, which the user's IngressRoute refers to (04-4.11), and one for copies of requests.
 * Its `sticky` cookie is not session affinity: the value names a side, not a release, so the users of one release would begin the next
 * one on its canary.
 */
export const traefik: Router = {
  supports: factsOf('traefik').can,
  refuses: (canary) =>
    choosesUsers(canary)
      ? new RoutingError(`${noMatch}, or use istio, contour, gloo, nginx or gatewayapi:v1`, 'analysis.match')
      : undefined,
  watches: (canary) => [serviceRef(canary), mirrorRef(canary)],
  render(canary, _apex, routes, current) {
    const found = findObject(current, serviceRef(canary));
    const { apiVersion, kind } = serviceRef(canary);
    const metadata = routingMetadata(canary, rememberedSpec(found, ours(canary)));
    const spec = { weighted: { services: servicesFor(canary, routes) } };
    const apex: KubeObject = { apiVersion, kind, metadata, spec };
    // A mirror stays when it is left: a proxy that learns late still looks for it.
    return { write: routes.kind === 'mirrored' ? [mirror(canary, routes.share, current), apex] : [apex], remove: [] };
  },
  readRoutes(canary, current) {
    const found = findObject(current, serviceRef(canary));
    return found && readTraefikService(canary, found, findObject(current, mirrorRef(canary)));
  },
  finalize,
};

function serviceRef(canary: Canary): ObjectRef {
  const { namespace } = canary.metadata;
  return { apiVersion: 'traefik.io/v1alpha1', kind: 'TraefikService', name: names(canary).apexService, namespace };
}

function mirrorRef(canary: Canary): ObjectRef {
  return { ...serviceRef(canary), name: names(canary).mirrorService };
}

function ours(canary: Canary) {
  const { primaryService, canaryService, mirrorService } = names(canary);
  return namesIn('name', [primaryService, canaryService, mirrorService]);
}

function servicesFor(canary: Canary, routes: Routes): object[] {
  switch (routes.kind) {
    case 'weighted':
      if (routes.match?.length) throw new RoutingError(noMatch, 'analysis.match');
      return weighted(canary, routes.canary);
    case 'mirrored': {
      const { kind, name, namespace } = mirrorRef(canary);
      return [{ kind, name, namespace, weight: ALL }];
    }
    case 'matched':
      throw new RoutingError(noMatch, 'analysis.match');
    default:
      throw routes satisfies never;
  }
}

/**
 * A side without a share is left out: Traefik takes a missing weight for 1 (04-R-T5), and drops the whole TraefikService when one of its
 * services has no endpoints, whatever its weight.
 */
function weighted(canary: Canary, share: number): object[] {
  const { primaryService, canaryService } = names(canary);
  return [
    { ...side(canary, primaryService), weight: primaryWeight(share) },
    { ...side(canary, canaryService), weight: share },
  ].filter(({ weight }) => weight > 0);
}

/**
 * An object of its own: the apex one stays `weighted`, which wins over `mirroring` and of which a part may be the user's, so that it can
 * never be left behind without services.
 */
function mirror(canary: Canary, share: number, current: readonly KubeObject[]): KubeObject {
  const { primaryService, canaryService } = names(canary);
  const { apiVersion, kind, name, namespace = '' } = mirrorRef(canary);
  const found = findObject(current, mirrorRef(canary));
  if (found && !ours(canary)(found.spec ?? {}))
    throw new RoutingError(
      `TraefikService ${name} is not one of this Canary, which mirrors by that name: rename it, or set analysis.mirror to false`,
      'analysis.mirror',
    );
  const mirrors = [{ ...side(canary, canaryService), percent: share }];
  return { apiVersion, kind, metadata: { name, namespace }, spec: { mirroring: { ...side(canary, primaryService), mirrors } } };
}

function side(canary: Canary, name: string): { name: string; namespace: string; port: number } {
  return { name, namespace: canary.metadata.namespace, port: canary.spec.service.port };
}

/** The user's IngressRoute goes on referring to the apex one, so what we made stays, and leads to the apex Service. */
function finalize(canary: Canary, current: readonly KubeObject[]): Change {
  const found = findObject(current, serviceRef(canary));
  const mirror = findObject(current, mirrorRef(canary));
  const remove = mirror && ours(canary)(mirror.spec ?? {}) ? [mirrorRef(canary)] : [];
  if (!found || !isTaken(found, ours(canary))) return { write: [], remove };
  const { apiVersion, kind, name } = serviceRef(canary);
  const toApex = { weighted: { services: [{ ...side(canary, name), weight: ALL }] } };
  const metadata = { name, namespace: canary.metadata.namespace };
  return { write: [{ apiVersion, kind, metadata, spec: originalSpec(found, ours(canary)) ?? toApex }], remove };
}
