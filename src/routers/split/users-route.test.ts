import { expect, it } from 'vitest';
import { aCanary } from '../../../test/contracts/routers-cases.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isUsersRoute, saidInVain } from './users-route.ts';

const route = (kind: string, spec: object, name = 'shop'): KubeObject => ({
  ...{ apiVersion: 'example.org/v1', kind, metadata: { name, namespace: 'prod' } },
  spec,
});
const parents = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', namespace: 'prod', sectionName: 'https' }];
const said = (service: object, ...routes: KubeObject[]) =>
  saidInVain(aCanary({ service }), routes).map(({ path }) => path.replace('spec.service.', ''));

it('hosts, gateways and parents are named where the route does not have them', () => {
  const virtualService = route('VirtualService', { hosts: ['shop.example.org'], gateways: ['edge/public'] });
  expect(said({ hosts: ['shop.example.org'], gateways: ['edge/public'] }, virtualService)).toEqual([]);
  expect(said({ hosts: ['other.example.org'], gateways: ['edge/public', 'mesh'] }, virtualService)).toEqual(['hosts', 'gateways']);
  expect(said({ gateways: ['mesh'] }, route('VirtualService', { hosts: ['shop'] }))).toEqual([]);
  const httpRoute = route('HTTPRoute', { hostnames: ['shop.example.org'], parentRefs: parents });
  expect(said({ hosts: ['shop.example.org'], gatewayRefs: [{ name: 'edge' }] }, httpRoute)).toEqual([]);
  expect(said({ gatewayRefs: [{ name: 'edge', sectionName: 'http' }] }, httpRoute)).toEqual(['gatewayRefs']);
  expect(said({ hosts: ['shop.example.org'] }, route('HTTPProxy', { virtualhost: { fqdn: 'shop.example.org' } }))).toEqual([]);
  expect(
    said({ hosts: ['a.example.org', 'shop.example.org'] }, virtualService, route('VirtualService', { hosts: ['a.example.org'] }, 'a')),
  ).toEqual([]);
});

it('fields that cannot be compared are named in any case', () => {
  const fields = {
    match: [{ uri: { prefix: '/' } }],
    timeout: '3s',
    retries: { attempts: 2 },
    delegation: true,
    mirror: [{ backendRef: { name: 'a' } }],
  };
  expect(said(fields, route('VirtualService', {})).sort()).toEqual(Object.keys(fields).sort());
  expect(said({ delegation: false, headers: {}, trafficPolicy: { tls: {} } }, route('VirtualService', {}))).toEqual([]);
});

it('a route of another name cannot be handed over', () => {
  const messages = ['shop', 'web'].map(
    (name) => saidInVain(aCanary({ service: { timeout: '3s' } }), [route('VirtualService', {}, name)])[0]?.message,
  );
  expect(messages).toEqual([
    'has no effect, since VirtualService shop is yours: say it there, or hand it over by metadata.annotations[serin.dev/adopt]: "true"',
    'has no effect, since VirtualService web is yours: say it there',
  ]);
});

it('a manifest with an empty list of annotations or owners is one of a route of the user’s', () => {
  const empty = JSON.parse('{"name": "shop", "namespace": "prod", "annotations": null, "ownerReferences": null}');
  expect(isUsersRoute({ ...route('VirtualService', {}), metadata: empty })).toBe(true);
});
