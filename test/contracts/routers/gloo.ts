import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { RouterCase } from './router-case.ts';

interface Route {
  matchers?: unknown;
  routeAction: { multi: { destinations: { weight: number }[] } };
}
const routesOf = ({ kind, spec }: KubeObject): Route[] => (kind === 'RouteTable' ? spec.routes : []);

export const gloo: RouterCase = {
  lacks: {},
  foreignSpec: {},
  sums: (object) => routesOf(object).map(({ routeAction }) => routeAction.multi.destinations.reduce((sum, { weight }) => sum + weight, 0)),
  isConditioned: (objects) =>
    objects
      .flatMap(routesOf)
      .every(
        ({ routeAction, matchers }) =>
          !JSON.stringify(routeAction).includes('-canaryupstream-') || JSON.stringify(matchers).includes('insider'),
      ),
  conditions: { queryParams: true },
  ownNames: ['prod-storefront-primaryupstream-8080', 'prod-storefront-canaryupstream-8080'],
};
