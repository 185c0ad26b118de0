import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { factsOf } from '../../api/providers.ts';
import { weight } from '../../api/routes.ts';
import { findObject } from '../find-object.ts';
import { leftBehind } from '../found-in-place.ts';
import { INTRODUCTION, introducing } from '../introduction.ts';
import { namesServicesIn, rememberedSpec } from '../original-spec.ts';
import type { Router } from '../router.ts';
import { rejectionOf } from '../routing-error.ts';
import { refUnderApex, routingMetadata } from '../routing-metadata.ts';
import type { Rule } from '../split/split.ts';
import { isUsersRoute, saidInVain } from '../split/users-route.ts';
import { joinedHttpProxy, readSplitHttpProxy, splitHttpProxy } from './in-place.ts';
import { readHttpProxy } from './read.ts';
import { invalidity } from './rejection.ts';
import { renderRoutes, routesToApex } from './render.ts';

/**
 * Contour: an HTTPProxy under the apex name, without a virtual host, which the user's root HTTPProxy includes (04-4.7). `ingressClass`
 * is the flag's. Session affinity is unsupported: an HTTPProxy can set a response header but not add one, and to set Set-Cookie would take
 * away the application's own cookies.
 */
export function contour(ingressClass = ''): Router {
  const ofClass = ingressClass === '' ? {} : { ingressClassName: ingressClass };
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
      const found = findObject(current, proxyRef(canary));
      if (found && isUsersRoute(found)) return { write: [part(found, splitHttpProxy(canary, found, routes))], remove: [] };
      const metadata = routingMetadata(canary, rememberedSpec(found, ours(canary)));
      return { write: [{ apiVersion, kind, metadata, spec: { ...ofClass, routes: renderRoutes(canary, routes) } }], remove: [] };
    },
    introduction,
    isUsers: isUsersRoute,
    ignores: (canary, current = []) => saidInVain(canary, findObject(current, proxyRef(canary))),
    readRoutes(canary, current) {
      const found = findObject(current, proxyRef(canary));
      if (found && isUsersRoute(found)) return readSplitHttpProxy(canary, found);
      return found && readHttpProxy(canary, found);
    },
    isInForce: (canary, current) => rejection(canary, current) === undefined,
    rejection,
    finalize(canary, current) {
      const found = findObject(current, proxyRef(canary));
      if (found && isUsersRoute(found)) {
        const joined = joinedHttpProxy(canary, found);
        return { write: joined ? [part(found, joined)] : [], remove: [] };
      }
      // The user's root goes on including it, so what we made stays, and leads to the apex Service.
      const toApex = () => ({ ...ofClass, routes: routesToApex(canary) });
      return { write: leftBehind(proxyRef(canary), current, ours(canary), toApex), remove: [] };
    },
    afterDeletion: () => 'stays',
  };
}

interface ProxyRule {
  conditions?: object[];
  services?: { name: string; weight?: number; mirror?: boolean }[];
}

const introduction = introducing<ProxyRule>({
  name: 'routes',
  most: Number.POSITIVE_INFINITY,
  sidesOf({ services = [] }) {
    const answering = services.filter(({ mirror }) => !mirror);
    const isEven = answering.every(({ weight = 0 }) => weight === 0);
    return answering.map(({ name, weight = 0 }) => ({ service: name, hasTraffic: isEven || weight > 0 }));
  },
  unmatched: (rule) => ({
    ...rule,
    conditions: [{ header: { name: INTRODUCTION.name, exact: INTRODUCTION.value } }, ...(rule.conditions ?? [])],
  }),
});

/** What is Serin's of an HTTPProxy of the user's. */
function part({ apiVersion, kind, metadata: { name, namespace = '' } }: KubeObject, routes: Rule[]): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec: { routes } };
}

const proxyRef = (canary: Canary): ObjectRef => refUnderApex(canary, 'projectcontour.io/v1', 'HTTPProxy');

function rejection(canary: Canary, current: readonly KubeObject[]) {
  const object = proxyRef(canary);
  const found = findObject(current, object);
  const detail = found && invalidity(found);
  return detail === undefined ? undefined : { object, detail };
}

const ours = (canary: Canary) => namesServicesIn('name', canary);
