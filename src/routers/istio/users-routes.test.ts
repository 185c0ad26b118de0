import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { weight } from '../../api/routes.ts';
import { istio } from './router.ts';

const virtualService = (http: object[]): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  metadata: { name: 'shop', namespace: 'prod' },
  spec: { hosts: ['shop'], http },
});

describe('I17: a VirtualService of the user’s', () => {
  it('keeps its rules, hosts and gateways: only destinations that name the application are written', () => {
    const redirect = { match: [{ uri: { prefix: '/old' } }], redirect: { uri: '/new' } };
    const app = { match: [{ uri: { prefix: '/' } }], timeout: '3s', route: [{ destination: { host: 'shop.prod.svc.cluster.local' } }] };
    const users = virtualService([redirect, app]);
    const { write } = istio.render(aCanary(), anApex, { kind: 'weighted', canary: weight(10) }, [users]);
    const split = ['primary', 'canary'].map((side, index) => ({
      destination: { host: `shop-${side}.prod.svc.cluster.local` },
      weight: [90, 10][index],
    }));
    expect(write.map(({ kind }) => kind)).toEqual(['DestinationRule', 'DestinationRule', 'VirtualService']);
    expect(write.at(-1)?.spec).toEqual({ http: [redirect, { ...app, route: split }] });
    expect(write.at(-1)?.metadata).toEqual({ name: 'shop', namespace: 'prod' });
    const live = virtualService([redirect, { ...app, route: split }]);
    expect(istio.readRoutes(aCanary(), [live])).toEqual({ kind: 'weighted', canary: 10 });
    expect(istio.finalize(aCanary(), [live]).write).toEqual([expect.objectContaining({ spec: { http: [redirect, app] } })]);
    expect(istio.missing?.(aCanary(), [virtualService([redirect])])?.message).toMatch(/VirtualService shop is yours/);
  });

  it.each([
    { what: 'the same host', hosts: ['shop.example.org'], gateways: ['edge/public'], isRefused: true },
    { what: 'a wider host', hosts: ['*.example.org'], gateways: ['mesh', 'edge/public'], isRefused: true },
    { what: 'another host', hosts: ['other.example.org'], gateways: ['edge/public'], isRefused: false },
    { what: 'another gateway', hosts: ['shop.example.org'], gateways: ['edge/private'], isRefused: false },
    { what: 'the whole name of the Service', hosts: ['shop.prod.svc.cluster.local'], gateways: ['edge/public'], isRefused: true },
    { what: 'a gateway of the namespace by its short name', hosts: ['shop.example.org'], gateways: ['own'], isRefused: true },
  ])('beside one that is not listed, for $what, a second one is refused: $isRefused', ({ isRefused, ...spec }) => {
    const canary = aCanary({ service: { hosts: ['shop.example.org'], gateways: ['edge/public', 'prod/own'] } });
    const other = virtualService([{ route: [{ destination: { host: 'shop' } }] }]);
    const found = { ...other, metadata: { name: 'web', namespace: 'prod' }, spec: { ...raw(other).spec, ...spec } };
    expect(istio.unkept?.(canary, [found]).map((one) => one.isRefused)).toEqual([isRefused]);
    expect(istio.unkept?.(aCanary(), [{ ...found, spec: { ...found.spec, gateways: ['mesh'] } }]).map((one) => one.isRefused)).toEqual([
      spec.hosts.includes('shop.prod.svc.cluster.local'),
    ]);
  });
});
