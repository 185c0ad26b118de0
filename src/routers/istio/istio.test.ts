import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, weight } from '../../api/routes.ts';
import { originalConfig } from '../original-spec.ts';
import { istio } from './istio.ts';

const virtualService = (http: object[], annotations?: Record<string, string>): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  metadata: { name: 'shop', namespace: 'prod', ...(annotations ? { annotations } : {}) },
  spec: { hosts: ['shop'], http },
});
const to = (primary: number, canary: number) => [
  { destination: { host: 'shop-primary' }, weight: primary },
  { destination: { host: 'shop-canary' }, weight: canary },
];
const cookie = (regex: string) => [{ headers: { Cookie: { regex } } }];
const stickyCanary = { match: cookie('.*sh-canary.*QwErTyUiOp.*'), route: to(0, 100) };
const stickyPrimary = { match: cookie('.*sh-primary.*AsDfGhJkLz.*'), route: to(100, 0) };
const affinity = { sessionAffinity: { cookieName: 'sh-canary', primaryCookieName: 'sh-primary' } };

describe('objects of the established controller', () => {
  it.each([
    { what: 'weights', http: [{ route: to(70, 30) }], routes: { kind: 'weighted', canary: 30 } },
    {
      what: 'qualified hosts',
      http: [{ route: to(90, 10).map((r) => ({ ...r, destination: { host: `${r.destination.host}.prod.svc.cluster.local` } })) }],
      routes: { kind: 'weighted', canary: 10 },
    },
    {
      what: 'a mirror',
      http: [{ route: to(100, 0), mirror: { host: 'shop-canary' }, mirrorPercentage: { value: 10 } }],
      routes: { kind: 'mirrored', share: 10 },
    },
    {
      what: 'A/B, whose second route has weight 0',
      http: [
        { match: [{ headers: { x: { exact: 'y' } } }], route: to(0, 100) },
        { route: [{ destination: { host: 'shop-primary' }, weight: 0 }] },
      ],
      routes: { kind: 'matched', match: [{ headers: { x: { exact: 'y' } } }] },
    },
    {
      what: 'A/B within a service match',
      http: [
        { match: ['a', 'b'].map((user) => ({ uri: { prefix: '/api' }, headers: { x: { exact: user } } })), route: to(0, 100) },
        { match: [{ uri: { prefix: '/api' } }], route: [{ destination: { host: 'shop-primary' } }] },
      ],
      routes: { kind: 'matched', match: ['a', 'b'].map((user) => ({ headers: { x: { exact: user } } })) },
    },
    {
      what: 'both cookies',
      http: [stickyCanary, stickyPrimary, { route: to(70, 30) }],
      routes: { kind: 'weighted', canary: 30, affinity: { canary: 'sh-canary=QwErTyUiOp', primary: 'sh-primary=AsDfGhJkLz' } },
    },
    {
      what: 'a cookie to delete',
      http: [
        { ...stickyCanary, headers: { response: { add: { 'Set-Cookie': 'sh-canary=QwErTyUiOp; Max-Age=-1' } } }, route: to(100, 0) },
        { route: to(100, 0) },
      ],
      routes: { kind: 'weighted', canary: 0, affinity: { previous: 'sh-canary=QwErTyUiOp' } },
    },
    {
      what: 'a duplicate where no cookie is to delete',
      http: [{ route: to(100, 0) }, { route: to(100, 0) }],
      routes: { kind: 'weighted', canary: 0 },
    },
  ])('$what can be read', ({ http, routes }) => {
    expect(istio.readRoutes(aCanary({ analysis: affinity }), [virtualService(http)])).toEqual(routes);
  });

  it.each([
    { what: 'weights that do not sum to 100', http: [{ route: to(50, 30) }] },
    { what: 'fractions', http: [{ route: to(99.5, 0.5) }] },
    { what: 'a third host', http: [{ route: [...to(50, 30), { destination: { host: 'other' }, weight: 20 }] }] },
    { what: 'no canary', http: [{ route: [{ destination: { host: 'shop-primary' } }] }] },
    { what: 'a catch-all that claims to be A/B', http: [{ route: to(0, 100) }, { route: [{ destination: { host: 'shop-primary' } }] }] },
  ])('R-T6: $what is unreadable, never a guess', ({ http }) => {
    expect(istio.readRoutes(aCanary(), [virtualService(http)])).toHaveProperty('unreadable');
  });
});

describe('a VirtualService found in place', () => {
  const own = virtualService([{ route: [{ destination: { host: 'shop' } }] }]);
  const first = istio.render(aCanary(), anApex, allToPrimary, [own]).write.at(-1) as KubeObject;

  it('R-D2: its spec is kept at the first write and repeated at the next', () => {
    expect(JSON.parse(first.metadata.annotations?.[originalConfig] ?? '')).toEqual(own.spec);
    const second = istio.render(aCanary(), anApex, { kind: 'weighted', canary: weight(10) }, [first]).write.at(-1);
    expect(second?.metadata.annotations?.[originalConfig]).toBe(first.metadata.annotations?.[originalConfig]);
  });

  it('R-D1, R-D2: deletion puts every field back; what the user applied last comes first', () => {
    expect(istio.finalize(aCanary(), [first]).write[0]?.spec).toEqual(own.spec);
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: { hosts: ['newer'] } }) };
    const both = { ...first, metadata: { ...first.metadata, annotations: { ...first.metadata.annotations, ...applied } } };
    expect(istio.finalize(aCanary(), [both]).write[0]?.spec).toEqual({ hosts: ['newer'] });
  });

  it('R-D2: what somebody makes of ours is not kept as an original that deletion would bring back', () => {
    const emptied = virtualService([], { 'serin.dev/canary-uid': 'c-1' });
    const annotations = istio.render(aCanary(), anApex, allToPrimary, [emptied]).write.at(-1)?.metadata.annotations;
    expect(annotations).not.toHaveProperty(originalConfig);
  });

  it('R-L2: once restored it is left alone', () => {
    const [restored] = istio.finalize(aCanary(), [first]).write;
    expect(istio.finalize(aCanary(), restored ? [restored] : [])).toEqual({ write: [], remove: [] });
  });

  it('R-L2: an unreadable backup sends everything to the apex Service instead of failing', () => {
    const broken = virtualService([{ route: to(100, 0) }], { [originalConfig]: '{' });
    expect(istio.finalize(aCanary(), [broken]).write[0]?.spec.http).toEqual([{ route: [{ destination: { host: 'shop' }, weight: 100 }] }]);
  });
});

describe('what Istio cannot route', () => {
  it.each([
    { what: 'V4: delegation with gateways', spec: { service: { delegation: true, gateways: ['a/b'] } }, says: /service.gateways/ },
    {
      what: 'R-T1: A/B over TCP',
      spec: { service: { appProtocol: 'tcp' }, analysis: { match: [{ headers: { a: { exact: 'b' } } }] } },
      says: /tcp/,
    },
    { what: 'R-T1: mirroring over TCP', spec: { service: { appProtocol: 'TCP' }, analysis: { mirror: true } }, says: /tcp/ },
    { what: 'R-T2: an empty condition', spec: { analysis: { match: [{}] } }, says: /match\[0\]/ },
    {
      what: 'R-T2: two conditions on one query parameter',
      spec: { service: { match: [{ queryParams: { a: { exact: 'b' } } }] }, analysis: { match: [{ queryParams: { a: { exact: 'c' } } }] } },
      says: /queryParams a/,
    },
  ])('$what is refused with the field named', ({ spec, says }) => {
    expect(istio.refuses?.(aCanary(spec))).toMatch(says);
  });

  it('a condition that is refused does not bar the way back to the primary', () => {
    const canary = aCanary({ analysis: { match: [{}] } });
    expect(istio.render(canary, anApex, allToPrimary, []).write).toHaveLength(3);
  });
});
