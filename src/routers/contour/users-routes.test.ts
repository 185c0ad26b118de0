import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { originalConfig } from '../original-spec.ts';
import { contour } from './router.ts';

const router = contour();
const proxy = (routes: object[]): KubeObject => ({
  apiVersion: 'projectcontour.io/v1',
  kind: 'HTTPProxy',
  metadata: { name: 'shop', namespace: 'prod', annotations: { [ownerAnnotation]: 'c-1' } },
  spec: { routes },
});
const to = (primary: number, share: number) => [
  { name: 'shop-primary', port: 8080, weight: primary },
  { name: 'shop-canary', port: 8080, weight: share },
];

describe('I17: an HTTPProxy of the user’s', () => {
  const users = (routes: object[]): KubeObject => ({ ...proxy(routes), metadata: { name: 'shop', namespace: 'prod' } });
  const socket = { conditions: [{ prefix: '/socket' }], enableWebsockets: true, services: [{ name: 'socket', port: 80 }] };
  const app = { conditions: [{ prefix: '/' }], enableWebsockets: true, services: [{ name: 'shop', port: 8080 }] };

  it('keeps its routes and policies: only services that name the application are written', () => {
    const { write } = router.render(aCanary(), anApex, { kind: 'weighted', canary: weight(10) }, [users([socket, app])]);
    const split = [
      { name: 'shop-primary', port: 8080, weight: 90 },
      { name: 'shop-canary', port: 8080, weight: 10 },
    ];
    const metadata = { name: 'shop', namespace: 'prod' };
    expect(write).toEqual([
      { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata, spec: { routes: [socket, { ...app, services: split }] } },
    ]);
    const [left] = router.finalize(aCanary(), [users([socket, { ...app, services: split }])]).write;
    expect(left?.spec).toEqual({ routes: [socket, app] });
    expect(router.finalize(aCanary(), [users([socket, app])])).toEqual({ write: [], remove: [] });
  });

  it('a proxy that does not lead to the application is named, and not written', () => {
    const live = [users([socket])];
    expect(() => router.render(aCanary(), anApex, { kind: 'weighted', canary: weight(10) }, live)).toThrow(
      /HTTPProxy shop is yours .*Service shop/,
    );
    expect(router.render(aCanary(), anApex, allToPrimary, live).write).toEqual([]);
    expect(router.missing?.(aCanary(), live)?.message).toMatch(/HTTPProxy shop is yours .*Service shop/);
  });

  it('its tcpproxy is split as a route is, and joined again', () => {
    const tcpproxy = { services: [{ name: 'shop', port: 8443 }], healthCheckPolicy: { path: '/' } };
    const spec = { virtualhost: { fqdn: 'shop.example.org', tls: { passthrough: true } }, tcpproxy };
    const found = { ...users([]), spec };
    const routes: Routes = { kind: 'weighted', canary: weight(10) };
    expect(router.unkept?.(aCanary(), [found])).toEqual([]);
    const [written] = router.render(aCanary(), anApex, routes, [found]).write;
    const services = [
      { name: 'shop-primary', port: 8443, weight: 90 },
      { name: 'shop-canary', port: 8443, weight: 10 },
    ];
    expect(written?.spec).toEqual({ tcpproxy: { ...tcpproxy, services } });
    const live = { ...found, spec: { ...spec, tcpproxy: { ...tcpproxy, services } } };
    expect(router.readRoutes(aCanary(), [live])).toEqual(routes);
    expect(router.finalize(aCanary(), [live]).write[0]?.spec).toEqual({ tcpproxy });
    const matched: Routes = { kind: 'matched', match: [{ headers: { a: { exact: 'b' } } }] };
    expect(() => router.render(aCanary(), anApex, matched, [found])).toThrow(
      /^analysis.match needs HTTP, and your HTTPProxy has a tcpproxy/,
    );
  });

  it('a proxy that was taken over whole earlier is restored', () => {
    const spec = { virtualhost: { fqdn: 'shop.example.org' }, routes: [app] };
    const taken = { ...users([{ services: to(100, 0) }]) };
    taken.metadata = { ...taken.metadata, annotations: { [originalConfig]: JSON.stringify(spec) } };
    const [next] = router.render(aCanary(), anApex, allToPrimary, [taken]).write;
    expect(next?.metadata.annotations?.[originalConfig]).toBe(JSON.stringify(spec));
    expect(router.finalize(aCanary(), [taken]).write[0]?.spec).toEqual(spec);
  });
});

describe('I17: an HTTPProxy of the user’s that answers requests which Serin’s would take', () => {
  const root = (prefix: string, routes: object[], include: object[] = [{ prefix: '/' }]): KubeObject => ({
    ...{ apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata: { name: 'root', namespace: 'prod' } },
    spec: {
      virtualhost: { fqdn: 'shop.example.org' },
      includes: [{ name: 'shop', conditions: include }],
      routes: routes.map((rule) => ({ conditions: [{ prefix }], services: [{ name: 'web', port: 80 }], ...rule })),
    },
  });
  const beta = { iterations: 2, match: [{ headers: { 'x-user': { exact: 'insider' } } }] };
  const service = (prefix: string) => ({ match: [{ uri: { prefix } }] });
  const staff = [{ conditions: [{ prefix: '/' }, { header: { name: 'x-staff', exact: '1' } }] }];
  const two = { ...beta, match: [{ headers: { 'x-user': { exact: 'insider' }, 'x-beta': { exact: '1' } } }] };

  it.each([
    { what: 'a longer path', found: root('/static', [{}]), canary: aCanary({ analysis: beta }), isTaken: false },
    {
      what: 'a path above one of the Canary',
      found: root('/static', [{}]),
      canary: aCanary({ service: service('/static/shop') }),
      isTaken: true,
    },
    {
      what: 'a path above one of the Canary within an include',
      found: root('/a/b', [{}], [{ prefix: '/a' }]),
      canary: aCanary({ service: service('/b/c') }),
      isTaken: true,
    },
    {
      what: 'all that the include leaves',
      found: root('/', [{}], [{ prefix: '/shop' }]),
      canary: aCanary({ analysis: beta }),
      isTaken: false,
    },
    { what: 'a header, where the release asks for one', found: root('/', staff), canary: aCanary({ analysis: beta }), isTaken: false },
    { what: 'a header, where the release asks for two', found: root('/', staff), canary: aCanary({ analysis: two }), isTaken: true },
    {
      what: 'what includes another',
      found: { ...root('/static', [{}]), spec: { routes: [{ services: [] }] } },
      canary: aCanary({ service: service('/static/shop') }),
      isTaken: false,
    },
  ])('$what: taken is $isTaken', ({ found, canary, isTaken }) => {
    expect(router.unkept?.(canary, [found]).map(({ on, isRefused }) => [on.metadata.name, isRefused])).toEqual(
      isTaken ? [['root', true]] : [],
    );
  });
});
