import type { Canary } from '../../api/canary.ts';
import { findObject, type ObjectRef } from '../../api/kube-object.ts';
import { factsOf } from '../../api/providers.ts';
import { weight } from '../../api/routes.ts';
import { canonicalJson } from '../../base/json.ts';
import { leftBehind } from '../found-in-place.ts';
import { introducing } from '../introduction.ts';
import { namesServicesIn, rememberedSpec } from '../original-spec.ts';
import type { Router } from '../router.ts';
import { rejectionOf } from '../routing-error.ts';
import { refUnderApex, routingMetadata } from '../routing-metadata.ts';
import type { SplitForm } from '../split/split-form.ts';
import { withUsersRoutes } from '../split/users-routes.ts';
import { inPlace } from './in-place.ts';
import { readHttpProxy } from './read.ts';
import { invalidity } from './rejection.ts';
import { renderRoutes, routesToApex } from './render.ts';
import { includesOf } from './taken.ts';

/**
 * Contour: an HTTPProxy under the apex name, without a virtual host, which the user's root HTTPProxy includes. `ingressClass` is the flag's. Session affinity
 * is unsupported: an HTTPProxy can set a response header but not add one, and to set Set-Cookie would take away the application's own cookies.
 */
export function contour(ingressClass = ''): Router {
  const ofClass = ingressClass === '' ? {} : { ingressClassName: ingressClass };
  const made: Router = {
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
      const metadata = routingMetadata(canary, rememberedSpec(found, ours(canary)));
      return { write: [{ apiVersion, kind, metadata, spec: { ...ofClass, routes: renderRoutes(canary, routes) } }], remove: [] };
    },
    introduction,
    readRoutes(canary, current) {
      const found = findObject(current, proxyRef(canary));
      return found && readHttpProxy(canary, found);
    },
    finalize(canary, current) {
      // The user's root goes on including it, so what we made stays, and leads to the apex Service.
      const toApex = () => ({ ...ofClass, routes: routesToApex(canary) });
      return { write: leftBehind(proxyRef(canary), current, ours(canary), toApex), remove: [] };
    },
    afterDeletion: () => 'stays',
  };
  return withUsersRoutes(made, splitForm);
}

interface ProxyRule {
  conditions?: object[];
  services?: { name: string; port?: number; weight?: number; mirror?: boolean }[];
  loadBalancerPolicy?: object;
  healthCheckPolicy?: object;
  timeoutPolicy?: { idleConnection?: string };
}

const introduction = introducing<ProxyRule>({
  name: 'routes',
  most: Number.POSITIVE_INFINITY,
  sidesOf({ services = [], loadBalancerPolicy, healthCheckPolicy, timeoutPolicy }) {
    const answering = services.filter(({ mirror }) => !mirror);
    const isEven = answering.every(({ weight = 0 }) => weight === 0);
    // Contour makes a cluster for each policy of load balancing, health checks and idle connections.
    const policies = canonicalJson([loadBalancerPolicy, healthCheckPolicy, timeoutPolicy?.idleConnection]);
    const clusterOf = (name: string, port = 0) => `${name}:${port} ${policies}`;
    return answering.map(({ name, port, weight = 0 }) => ({ cluster: clusterOf(name, port), hasTraffic: isEven || weight > 0 }));
  },
  unmatched: (rule, { name, value }) => ({ ...rule, conditions: [{ header: { name, exact: value } }, ...(rule.conditions ?? [])] }),
});

function proxyRef(canary: Canary): ObjectRef {
  return refUnderApex(canary, 'projectcontour.io/v1', 'HTTPProxy');
}

const splitForm: SplitForm = {
  ...inPlace,
  ref: proxyRef,
  namesSides: (canary) => ours(canary),
  rejectionOf: invalidity,
  // Ours has no host of its own: it takes requests where another one includes it.
  isFor: (canary, _found, all) => !all.some((one) => includesOf(one, proxyRef(canary)).length > 0),
};

const ours = (canary: Canary) => namesServicesIn('name', canary);
