import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { knativeService } from './knative-service.ts';
import { type LaggedView, laggedView } from './lagged-view.ts';
import { parseHost } from './request.ts';

const KNOWN_AS = 'KnativeService';
const shop = (traffic: Record<string, number>, resourceVersion: string, uid = 'u'): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'shop', namespace: 'prod', uid, resourceVersion },
  status: { traffic: Object.entries(traffic).map(([revisionName, percent]) => ({ revisionName, percent })) },
});
/** The Service of a Revision, with the slice of its ready pods. */
const revision = (name: string): KubeObject[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'prod' }, spec: { ports: [{ name: 'http', port: 80 }] } } as KubeObject,
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, namespace: 'prod', labels: { 'kubernetes.io/service-name': name } },
    ports: [{ name: 'http', port: 80 }],
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
  } as KubeObject,
];
const hear = (view: LaggedView, ...objects: KubeObject[]): void => {
  for (const object of objects) view.hear(object.apiVersion.startsWith('serving') ? KNOWN_AS : object.kind, { next: object });
};
function reached(view: LaggedView): string | undefined {
  const request = { method: 'GET', url: '/', headers: {}, host: parseHost('shop.prod', 'default'), gateway: 'mesh', sourceLabels: {} };
  const answer = knativeService.resolve(view, request)?.(() => 0.5);
  return answer && ('destination' in answer ? answer.destination.name : answer.reason);
}

it('a gateway follows the traffic of before until it knows the pods of each Revision that has a share, as Knative probes it', () => {
  const view = laggedView(() => 0);
  hear(view, ...revision('shop-00001'), shop({ 'shop-00001': 100 }, '1'));
  expect(reached(view)).toBe('shop-00001');
  hear(view, shop({ 'shop-00002': 100 }, '2'));
  expect(reached(view), 'without its Service').toBe('shop-00001');
  const [service, slice] = revision('shop-00002');
  if (service) hear(view, service);
  expect(reached(view), 'without its pods').toBe('shop-00001');
  if (slice) hear(view, slice);
  expect(reached(view)).toBe('shop-00002');
});

it('a Service that is made again has no traffic of before', () => {
  const view = laggedView(() => 0);
  hear(view, ...revision('shop-00001'), shop({ 'shop-00001': 100 }, '1'));
  expect(reached(view)).toBe('shop-00001');
  view.hear(KNOWN_AS, { previous: shop({ 'shop-00001': 100 }, '1') });
  hear(view, shop({ 'shop-00009': 100 }, '5', 'another'));
  expect(reached(view)).toBe('shop-00009');
});
