import type { Raw } from '../../fakes/raw.ts';
import { envoyQueries } from './queries.ts';
import type { RouterCase, RouterCases } from './router-case.ts';

interface Route {
  conditions: unknown;
  services: { name: string; weight: number; mirror?: boolean }[];
}
const routesOf = ({ spec }: Raw): Route[] => spec.routes;

const contour: RouterCase = {
  golden: 'contour',
  crds: 'contour',
  afterDeletion: [{ stays: ['HTTPProxy'], because: 'your root HTTPProxy includes it' }],
  queries: envoyQueries('envoy_cluster_name=~"shop_store-canary_[0-9a-zA-Z-]+"'),
  lacks: { sessionAffinity: 'a response header can be set, which takes the cookies of the application away, but not added' },
  foreignSpec: {},
  sums: (object) => routesOf(object).map(({ services }) => services.reduce((sum, { weight, mirror }) => sum + (mirror ? 0 : weight), 0)),
  isConditioned: (objects) =>
    objects
      .flatMap(routesOf)
      .every(
        ({ services, conditions }) =>
          !services.some(({ name }) => name === 'shop-canary') || JSON.stringify(conditions).includes('insider'),
      ),
  conditions: { queryParams: true },
  refuses: (routes) => routes.kind === 'mirrored' && routes.share === 0,
};

export const cases: RouterCases = { contour };
