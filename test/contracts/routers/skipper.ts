import type { KubeObject } from '../../../src/api/kube-object.ts';
import { anIngress } from './ingress.ts';
import type { RouterCase } from './router-case.ts';

const annotation = ({ metadata }: KubeObject, name: string) => metadata.annotations?.[`zalando.org/${name}`] ?? '';

export const skipper: RouterCase = {
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
