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
  ])('beside a VirtualService that is not listed, for $what, a second one is refused: $isRefused', ({ isRefused, ...spec }) => {
    const canary = aCanary({ service: { hosts: ['shop.example.org'], gateways: ['edge/public', 'prod/own'] } });
    const other = virtualService([{ route: [{ destination: { host: 'shop' } }] }]);
    const found = { ...other, metadata: { name: 'web', namespace: 'prod' }, spec: { ...raw(other).spec, ...spec } };
    expect(istio.unkept?.(canary, [found]).map((one) => one.isRefused)).toEqual([isRefused]);
    expect(istio.unkept?.(aCanary(), [{ ...found, spec: { ...found.spec, gateways: ['mesh'] } }]).map((one) => one.isRefused)).toEqual([
      spec.hosts.includes('shop.prod.svc.cluster.local'),
    ]);
  });
});

describe('I17: a VirtualService of the user’s that answers requests which Serin’s would take', () => {
  const exposed = { hosts: ['shop.example.org'], gateways: ['edge/public'] };
  const beta = { iterations: 2, match: [{ headers: { 'x-user': { exact: 'insider' } } }] };
  const elsewhere = (http: object[], spec: object = {}, at: object = {}): KubeObject => ({
    ...virtualService([]),
    metadata: { name: 'web', namespace: 'prod', creationTimestamp: '2026-01-01T00:00:00Z', ...at },
    spec: { ...exposed, http: http.map((one) => ({ route: [{ destination: { host: 'web' } }], ...one })), ...spec },
  });
  const said = (canary: ReturnType<typeof aCanary>, ...objects: KubeObject[]) =>
    istio.unkept?.(canary, objects).map(({ on, isRefused }) => [on.metadata.name, isRefused]);

  // A gateway moves catch-all rules to the end of all rules of a host, of which the oldest VirtualService has the first (Istio, SortVHostRoutes).
  it.each<{
    what: string;
    service?: object;
    analysis?: object;
    http?: object[];
    spec?: object;
    at?: object;
    is: 'kept' | 'taken' | 'named';
  }>([
    { what: 'all requests, for a route that comes later', is: 'kept' },
    { what: 'all requests, for an A/B condition', analysis: beta, is: 'taken' },
    { what: 'all requests, for a path', service: { match: [{ uri: { prefix: '/api' } }] }, is: 'taken' },
    { what: 'a prefix of all, for an A/B condition', http: [{ match: [{ uri: { prefix: '/' } }] }], analysis: beta, is: 'taken' },
    { what: 'a path, for an A/B condition', http: [{ match: [{ uri: { prefix: '/static' } }] }], analysis: beta, is: 'kept' },
    { what: 'one method, for an A/B condition', http: [{ match: [{ method: { exact: 'GET' } }] }], analysis: beta, is: 'kept' },
    { what: 'another host', spec: { hosts: ['other.example.org'] }, analysis: beta, is: 'kept' },
    { what: 'a wider host', spec: { hosts: ['*.example.org'] }, is: 'named' },
    { what: 'another gateway', spec: { gateways: ['edge/private'] }, analysis: beta, is: 'kept' },
    {
      what: 'clients of the mesh, which read the oldest alone',
      service: { hosts: [], gateways: ['mesh'] },
      spec: { hosts: ['shop'], gateways: undefined },
      analysis: beta,
      is: 'kept',
    },
    { what: 'the same host in another namespace', at: { namespace: 'web' }, analysis: beta, is: 'taken' },
  ])('$what: it is $is', ({ service, analysis, http = [{}], spec, at, is }) => {
    const canary = aCanary({ service: { ...exposed, ...service }, ...(analysis && { analysis }) });
    expect(said(canary, elsewhere(http, spec, at))).toEqual(is === 'kept' ? [] : [['web', is === 'taken']]);
  });

  it('copies of a rule for all requests take those of an older one', () => {
    const own = (creationTimestamp: string) =>
      elsewhere([{ route: [{ destination: { host: 'shop' } }] }], {}, { name: 'shop', creationTimestamp });
    const canary = aCanary({ service: exposed, analysis: beta });
    expect(said(canary, own('2026-06-01T00:00:00Z'), elsewhere([{}]))).toEqual([['web', true]]);
    expect(said(canary, own('2025-01-01T00:00:00Z'), elsewhere([{}]))).toEqual([]);
  });
});
