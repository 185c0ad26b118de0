import type { KubeObject } from '../../../src/api/kube-object.ts';
import { anIngress } from './ingress.ts';
import { mean } from './queries.ts';
import { besideUsers, type RouterCase, type RouterCases } from './router-case.ts';

const selector = 'route=~"kube(ew)?_shop__front_canary__.*__store_canary(_[0-9]+)?"';

const annotation = ({ metadata }: KubeObject, name: string) => metadata.annotations?.[`zalando.org/${name}`] ?? '';

const skipper: RouterCase = {
  golden: 'skipper',
  crds: 'built in',
  afterDeletion: besideUsers,
  queries: {
    metric: 'skipper_response_duration_seconds_bucket',
    selector,
    and: 'le="+Inf"',
    succeeded: 'code!~"5.."',
    duration: mean('skipper_serve_route_duration_seconds', selector),
    unit: 'ms',
  },
  lacks: { mirroring: 'its tee filter names a URL, not a Service', sessionAffinity: 'its cookies choose by chance anew' },
  spec: { ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop-ingress' } },
  inPlace: [anIngress('skipper', { 'zalando.org/skipper-predicate': 'Method("GET") && Header("X-Own", "a && b")' })],
  foreignSpec: {},
  sums: (object) => [Object.values(JSON.parse(annotation(object, 'backend-weights'))).reduce((sum: number, one) => sum + Number(one), 0)],
  ownNames: ['shop-ingress-canary'],
  isConditioned: ([copy]) =>
    copy !== undefined && /^Weight\(100\) && Header\("x-user", "insider"\)/.test(annotation(copy, 'skipper-predicate')),
  conditions: { queryParams: true, mostEntries: 1 },
};

export const cases: RouterCases = { skipper };
