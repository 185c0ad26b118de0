import type { Raw } from '../../fakes/raw.ts';
import { istioQueries } from './queries.ts';
import type { RouterCase, RouterCases } from './router-case.ts';

interface Rule {
  route: { weight?: number }[];
  match?: unknown;
}
const rulesOf = ({ spec }: Raw): Rule[] => [...(spec.http ?? []), ...(spec.tcp ?? [])];

const istio: RouterCase = {
  golden: 'istio',
  crds: 'istio',
  queries: istioQueries,
  lacks: {},
  foreignSpec: {},
  sums: (object) => rulesOf(object).map(({ route }) => route.reduce((sum, { weight = 0 }) => sum + weight, 0)),
  isConditioned: (objects) =>
    objects
      .flatMap(rulesOf)
      .every(({ route, match }) => !JSON.stringify(route).includes('shop-canary') || JSON.stringify(match).includes('insider')),
  conditions: { queryParams: true, sourceLabels: true },
};

export const cases: RouterCases = { istio };
