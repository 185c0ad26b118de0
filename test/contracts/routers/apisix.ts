import type { Raw } from '../../fakes/raw.ts';
import { quantile } from './queries.ts';
import { besideUsers, type RouterCase, type RouterCases } from './router-case.ts';

const selector = 'route=~"shop_way-store-canary_.+"';

interface Rule {
  match: unknown;
  backends: { weight: number }[];
}
const rulesOf = ({ spec }: Raw): Rule[] => spec.http;
const rule = (name: string, service: string, exprs: object[] = []) => ({
  name,
  match: { hosts: [`${service}.example.org`], paths: ['/*'], ...(exprs.length > 0 ? { exprs } : {}) },
  backends: [{ serviceName: service, servicePort: 8080, resolveGranularity: 'service' }],
});

const apisix: RouterCase = {
  golden: 'apisix',
  crds: 'apisix',
  afterDeletion: besideUsers,
  queries: {
    metric: 'apisix_http_status',
    selector,

    succeeded: 'code!~"5.."',
    duration: quantile('apisix_http_latency_bucket', `type=~"request", ${selector}`),
    unit: 'ms',
  },
  lacks: { mirroring: 'its proxy-mirror names a URL, not a Service', sessionAffinity: 'no cookies of one backend' },
  spec: { routeRef: { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name: 'shop-route' } },
  inPlace: [
    {
      apiVersion: 'apisix.apache.org/v2',
      kind: 'ApisixRoute',
      metadata: { name: 'shop-route', namespace: 'prod' },
      spec: {
        http: [
          rule('main', 'shop', [{ subject: { scope: 'Header', name: 'x-own' }, op: 'Equal', value: 'yes' }]),
          rule('second', 'shop'),
          rule('named', 'storefront'),
          rule('other', 'other'),
        ],
      },
    },
  ],
  foreignSpec: { http: [] },
  sums: (object) => rulesOf(object).map(({ backends }) => backends.reduce((sum, { weight }) => sum + weight, 0)),
  ownNames: ['shop-route-shop-canary', 'shop-route-storefront-canary'],
  isConditioned: (objects) => objects.flatMap(rulesOf).every(({ match }) => JSON.stringify(match).includes('"value":"insider"')),
  conditions: { queryParams: true },
};

export const cases: RouterCases = { apisix };
