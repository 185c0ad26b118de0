import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import { findObject } from '../find-object.ts';
import { leftBehind } from '../found-in-place.ts';
import { rememberedSpec } from '../original-spec.ts';
import type { RouteChange, Router } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { routingMetadata } from '../routing-metadata.ts';
import { ALL } from '../weights.ts';
import { readTraefikService } from './read.ts';
import { mirror, mirrorRef, noMatch, ours, serviceRef, servicesFor, side } from './render.ts';

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
  afterDeletion: (canary, { metadata }) => (metadata.name === serviceRef(canary).name ? 'stays' : 'goes'),
};

/** The user's IngressRoute goes on referring to the apex one, so what we made stays, and leads to the apex Service. */
function finalize(canary: Canary, current: readonly KubeObject[]): RouteChange {
  const mirror = findObject(current, mirrorRef(canary));
  const remove = mirror && ours(canary)(mirror.spec ?? {}) ? [mirrorRef(canary)] : [];
  const ref = serviceRef(canary);
  const toApex = () => ({ weighted: { services: [{ ...side(canary, ref.name), weight: ALL }] } });
  return { write: leftBehind(ref, current, ours(canary), toApex), remove };
}
