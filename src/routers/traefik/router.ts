import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import { isRecord } from '../../base/json.ts';
import { leftBehind } from '../found-in-place.ts';
import { rememberedSpec } from '../original-spec.ts';
import { DEFAULT_NAME } from '../ports.ts';
import type { RouteChange, Router, Unkept } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { routingMetadata } from '../routing-metadata.ts';
import { takenNames } from '../taken-names.ts';
import { ALL } from '../weights.ts';
import { pastTraefikService } from './past.ts';
import { readTraefikService } from './read.ts';
import { mirror, mirrorRef, noMatch, ours, serviceRef, servicesFor, traefikService } from './render.ts';

/**
 * Traefik: the TraefikService under the apex name, which the user's IngressRoute refers to, and one for copies of requests. Its `sticky` cookie is not session
 * affinity: the value names a side, not a release, so the users of one release would begin the next one on its canary.
 */
export const traefik: Router = {
  supports: factsOf('traefik').can,
  refuses: (canary) =>
    choosesUsers(canary)
      ? new RoutingError(`${noMatch}, or use istio, contour, gloo, nginx or gatewayapi:v1`, 'analysis.match')
      : undefined,
  unkept,
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

/** A TraefikService of the user's that leads only to the application loses nothing; requests that do not pass it get no share. */
function unkept(canary: Canary, objects: readonly KubeObject[]): Unkept[] {
  const { apexService } = names(canary);
  const { port, portName = DEFAULT_NAME } = canary.spec.service;
  return [
    ...takenNames(objects, [serviceRef(canary)], {
      made: 'the TraefikService that Serin makes',
      isRestored: true,
      keeps({ weighted, ...others }) {
        if (!isRecord(weighted) || Object.keys(others).length > 0) return false;
        const { services, ...more } = weighted;
        const [only, ...further] = Array.isArray(services) ? services : [];
        if (!isRecord(only) || further.length > 0 || Object.keys(more).length > 0) return false;
        const { name, namespace = canary.metadata.namespace, kind = 'Service', port: its, weight: _, ...settings } = only;
        const isApex = name === apexService && namespace === canary.metadata.namespace && kind === 'Service';
        return isApex && (its === port || its === portName) && Object.keys(settings).length === 0;
      },
      remedy: `give it another name, and let it lead to TraefikService ${apexService}, which Serin makes, in place of Service ${apexService}`,
    }),
    ...takenNames(objects, canary.spec.analysis.mirror ? [mirrorRef(canary)] : [], { made: 'the one by which Serin copies requests' }),
    ...pastTraefikService(canary, objects),
  ];
}

/** The user's IngressRoute goes on referring to the apex one, so what we made stays, and leads to the apex Service. */
function finalize(canary: Canary, current: readonly KubeObject[]): RouteChange {
  const mirror = findObject(current, mirrorRef(canary));
  const remove = mirror && ours(canary)(mirror.spec ?? {}) ? [mirrorRef(canary)] : [];
  const ref = serviceRef(canary);
  const toApex = () => ({ weighted: { services: [{ ...traefikService(canary, ref.name), weight: ALL }] } });
  return { write: leftBehind(ref, current, ours(canary), toApex), remove };
}
