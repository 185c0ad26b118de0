import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import { weight } from '../../api/routes.ts';
import { findObject } from '../find-object.ts';
import { isTaken, namesIn, originalSpec, rememberedSpec } from '../original-spec.ts';
import type { RouteChange, Router } from '../router.ts';
import { rejectionOf } from '../routing-error.ts';
import { routingMetadata } from '../routing-metadata.ts';
import { readHttpProxy } from './read.ts';
import { invalidity } from './rejection.ts';
import { renderRoutes, routesToApex } from './render.ts';

/**
 * Contour: an HTTPProxy under the apex name, without a virtual host, which the user's root HTTPProxy includes (04-4.7). `ingressClass`
 * is the flag's. Session affinity is unsupported: an HTTPProxy can set a response header but not add one, and to set Set-Cookie would take
 * away the application's own cookies.
 */
export function contour(ingressClass = ''): Router {
  return {
    supports: factsOf('contour').can,
    refuses: (canary) =>
      rejectionOf(() => {
        const { match } = canary.spec.analysis;
        renderRoutes(canary, match?.length ? { kind: 'matched', match } : { kind: 'weighted', canary: weight(1) });
      }),
    watches: (canary) => [proxyRef(canary)],
    render(canary, _apex, routes, current) {
      const { apiVersion, kind } = proxyRef(canary);
      const metadata = routingMetadata(canary, rememberedSpec(findObject(current, proxyRef(canary)), ours(canary)));
      const spec = { ...(ingressClass === '' ? {} : { ingressClassName: ingressClass }), routes: renderRoutes(canary, routes) };
      return { write: [{ apiVersion, kind, metadata, spec }], remove: [] };
    },
    readRoutes(canary, current) {
      const found = findObject(current, proxyRef(canary));
      return found && readHttpProxy(canary, found);
    },
    isInForce: (canary, current) => rejection(canary, current) === undefined,
    rejection,
    finalize: (canary, current) => finalize(canary, current, ingressClass),
  };
}

function proxyRef(canary: Canary): ObjectRef {
  const { namespace } = canary.metadata;
  return { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', name: names(canary).apexService, namespace };
}

function rejection(canary: Canary, current: readonly KubeObject[]): string | undefined {
  const found = findObject(current, proxyRef(canary));
  return found && invalidity(found);
}

function ours(canary: Canary) {
  const { primaryService, canaryService } = names(canary);
  return namesIn('name', [primaryService, canaryService]);
}

/** The user's root goes on including it, so what we made stays, and leads to the apex Service. */
function finalize(canary: Canary, current: readonly KubeObject[], ingressClass: string): RouteChange {
  const found = findObject(current, proxyRef(canary));
  if (!found || !isTaken(found, ours(canary))) return { write: [], remove: [] };
  const { apiVersion, kind, name, namespace = '' } = proxyRef(canary);
  const toApex = { ...(ingressClass === '' ? {} : { ingressClassName: ingressClass }), routes: routesToApex(canary) };
  return { write: [{ apiVersion, kind, metadata: { name, namespace }, spec: originalSpec(found, ours(canary)) ?? toApex }], remove: [] };
}
