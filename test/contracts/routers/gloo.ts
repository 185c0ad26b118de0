import type { Raw } from '../../fakes/raw.ts';
import { envoyQueries } from './queries.ts';
import type { RouterCase, RouterCases } from './router-case.ts';

interface Route {
  matchers?: unknown;
  routeAction: { multi: { destinations: { weight: number }[] } };
}
const routesOf = ({ kind, spec }: Raw): Route[] => (kind === 'RouteTable' ? spec.routes : []);

const gloo: RouterCase = {
  golden: 'gloo',
  crds: 'gloo',
  afterDeletion: [{ stays: ['RouteTable'], because: 'your VirtualService delegates to it' }],
  queries: envoyQueries('envoy_cluster_name=~"shop-store-canaryupstream-[0-9a-zA-Z-]+_[0-9a-zA-Z-]+"'),
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

export const cases: RouterCases = { gloo };
