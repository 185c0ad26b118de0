import { expect, it } from 'vitest';
import type { KubeObject } from '../src/api/kube-object.ts';
import { lossesIn } from './scenarios/endpoint-history.ts';

const object = (kind: string, name: string, more: object): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, ...more }, ...more }) as KubeObject;
const slice = (service: string, ready: number, ports: object[] = [{ name: 'http', port: 80 }]) => ({
  object: {
    ...object('EndpointSlice', `${service}-x`, { endpoints: Array(ready).fill({ addresses: ['10.0.0.1'] }), ports }),
    metadata: { name: `${service}-x`, resourceVersion: '7', labels: { 'kubernetes.io/service-name': service } },
  },
});
const service = (name: string) => ({ object: object('Service', name, {}) });
const route = (to: string, kind = 'Ingress') => ({
  object: object(kind, 'web', { spec: { host: 'shop.example.org', backend: { name: to } } }),
});
const users = ['shop'];

it('I14: a Service that loses its endpoints or their ports is found, and a Service that never had any is not', () => {
  expect(lossesIn([service('shop'), slice('shop', 0), slice('shop', 2)], { users })).toEqual([]);
  expect(lossesIn([service('shop'), slice('shop', 2), slice('shop', 0)], { users })).toEqual(['Service shop at 7']);
  expect(lossesIn([service('shop'), slice('shop', 2), slice('shop', 2, [])], { users })).toEqual(['Service shop at 7']);
});

it('I14: a route may move to another Service that serves, and to no other', () => {
  const both = [service('shop'), service('shop-primary'), slice('shop', 1), route('shop')];
  const routes = ['Ingress web'];
  expect(lossesIn([...both, slice('shop-primary', 1), route('shop-primary')], { users, routes })).toEqual([]);
  expect(lossesIn([...both, slice('shop-primary', 0), route('shop-primary')], { users, routes })).toHaveLength(1);
});

it('I14: a route leads to the Services of what it names, be it called like a Service that serves', () => {
  const between = (to: string) => ({ object: object('Upstream', 'shop', { spec: { kube: { serviceName: to } } }) });
  const routes = ['RouteTable web'];
  const history = [service('shop'), service('shop-primary'), slice('shop', 1), route('shop', 'RouteTable')];
  expect(lossesIn([...history, slice('shop-primary', 1), between('shop-primary')], { users, routes })).toEqual([]);
  expect(lossesIn([...history, slice('shop-primary', 0), between('shop-primary')], { users, routes })).toHaveLength(1);
});
