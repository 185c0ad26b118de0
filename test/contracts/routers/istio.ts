import type { Raw } from '../../fakes/raw.ts';
import { istioQueries } from './queries.ts';
import { insideMesh, type RouterCase, type RouterCases } from './router-case.ts';

interface Rule {
  route: { weight?: number }[];
  match?: unknown;
}
const rulesOf = ({ spec }: Raw): Rule[] => [...(spec.http ?? []), ...(spec.tcp ?? [])];

const istio: RouterCase = {
  golden: 'istio',
  crds: 'istio',
  afterDeletion: [
    { of: 'with `gateways` besides `mesh`', service: { gateways: ['mesh', 'a/b'] }, stays: ['VirtualService'], because: 'it is the edge' },
    {
      of: 'with `delegation`',
      service: { delegation: true },
      stays: ['VirtualService'],
      because: 'your root VirtualService delegates to it',
    },
    {
      of: 'with `hosts` besides those of the apex Service',
      service: { hosts: ['shop.example.org'] },
      stays: ['VirtualService'],
      because: 'no Service has that host',
    },
    ...insideMesh.map((one) => ({ ...one, of: 'only inside the mesh', service: { hosts: ['shop.prod.svc.cluster.local'] } })),
  ],
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
