import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../api/routes.ts';
import { RoutingError } from '../routing-error.ts';
import { gloo } from './router.ts';

const table = (routes: object[]): KubeObject => ({
  apiVersion: 'gateway.solo.io/v1',
  kind: 'RouteTable',
  metadata: { name: 'shop', namespace: 'prod' },
  spec: { routes },
});
const upstream = (name: string, spec: object, namespace = 'prod'): KubeObject => ({
  apiVersion: 'gloo.solo.io/v1',
  kind: 'Upstream',
  metadata: { name, namespace },
  spec,
});
const to = (side: string, share: number | undefined) => ({
  ...(share === undefined ? {} : { weight: share }),
  destination: { upstream: { name: `prod-shop-${side}upstream-8080`, namespace: 'prod' } },
});
const sides = (primary: number | undefined, share: number | undefined, more: object = {}) => ({
  inheritablePathMatchers: true,
  routeAction: { multi: { destinations: [to('primary', primary), to('canary', share)] } },
  ...more,
});
const read = (routes: object[], canary = aCanary()) => gloo.readRoutes(canary, [table(routes)]);
const render = (routes: Routes, canary = aCanary(), current: readonly KubeObject[] = []) =>
  gloo.render(canary, anApex, routes, current).write;
const header = (name: string, value?: string, regex?: boolean) => ({
  name,
  ...(value === undefined ? {} : { value }),
  ...(regex ? { regex } : {}),
});

describe('objects of Flagger', () => {
  it.each([
    { what: 'a zero that is left out', routes: [sides(100, undefined)], expected: allToPrimary },
    { what: 'a share', routes: [sides(70, 30)], expected: { kind: 'weighted', canary: 30 } },
    {
      what: 'A/B, which has no route for all other requests',
      routes: [
        sides(undefined, 100, {
          matchers: [{ headers: [header('x-user', 'insider'), header('b', 'a+', true), header('c')], methods: undefined }],
        }),
      ],
      expected: {
        kind: 'matched',
        match: [{ headers: { 'x-user': { exact: 'insider' }, b: { regex: 'a+' }, c: { prefix: '' } } }],
      },
    },
    {
      what: 'A/B, idle',
      routes: [sides(100, undefined, { matchers: [{ headers: [header('x-user', 'insider')] }] })],
      expected: allToPrimary,
    },
  ])('reads $what', ({ routes, expected }) => expect(read(JSON.parse(JSON.stringify(routes)))).toEqual(expected));

  it.each([
    { what: 'no weight at all', routes: [sides(undefined, undefined)] },
    { what: 'a sum of 110', routes: [sides(70, 40)] },
    { what: 'a foreign Upstream', routes: [{ routeAction: { multi: { destinations: [to('primary', 90), to('other', 10)] } } }] },
    { what: 'only the primary', routes: [{ routeAction: { multi: { destinations: [to('primary', 100)] } } }] },
    {
      what: 'a condition that matches every request',
      routes: [sides(0, 100), { routeAction: { multi: { destinations: [to('primary', 100)] } } }],
    },
    {
      what: 'a method, which A/B does not know',
      routes: [sides(0, 100, { matchers: [{ headers: [header('a', 'b')], methods: ['GET'] }] })],
    },
    { what: 'a foreign route before ours', routes: [sides(100, 0, { matchers: [{ headers: [header('a')] }] }), sides(70, 30)] },
    { what: 'copies sent elsewhere', routes: [sides(100, 0, { options: { shadowing: { upstream: { name: 'other' }, percentage: 5 } } })] },
    { what: 'no action', routes: [{}] },
    { what: 'no routes', routes: [] },
  ])('never invents routes from $what', ({ routes }) =>
    expect(read(routes)).toEqual({ unreadable: expect.stringContaining('RouteTable shop') }),
  );
});

it("has Flagger's names", () => {
  expect(render(allToPrimary).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Upstream prod-shop-primaryupstream-8080',
    'Upstream prod-shop-canaryupstream-8080',
    'RouteTable shop',
  ]);
});

describe('A/B', () => {
  const match: HttpMatch[] = [
    { headers: { a: { exact: 'x' }, b: { prefix: 'y.' }, c: { suffix: 'z' } }, queryParams: { q: { regex: 'v+' } } },
    { headers: { d: { exact: '' } } },
  ];

  it('all other requests go to the primary, by a route that comes last', () => {
    const routes = raw(render({ kind: 'matched', match }).at(-1))?.spec.routes;
    expect(routes).toHaveLength(2);
    expect(routes[0].matchers).toHaveLength(2);
    expect(routes[1]).toEqual({ inheritablePathMatchers: true, routeAction: { multi: { destinations: [to('primary', 100)] } } });
  });

  it('reads its own condition after the spec has moved on', () => {
    const moved = aCanary({ analysis: { match: [{ headers: { other: { exact: 'x' } } }] } });
    expect(read(raw(render({ kind: 'matched', match }).at(-1))?.spec.routes, moved)).toEqual({ kind: 'matched', match });
  });

  it('the order of headers in the spec makes no difference', () => {
    const [one, other] = [
      { a: { exact: 'x' }, b: { exact: 'y' } },
      { b: { exact: 'y' }, a: { exact: 'x' } },
    ].map((headers) => render({ kind: 'matched', match: [{ headers }] }));
    expect(one).toEqual(other);
  });

  it.each([
    { match: [{ sourceLabels: { app: 'x' } }], says: 'analysis.match[0].sourceLabels' },
    { match: [{ headers: { a: { exact: 'x' } } }, { headers: {} }], says: 'analysis.match[1] names no header' },
    { match: [{ headers: { a: { regex: '(?=x)' } } }], says: 'analysis.match[0].headers["a"].regex looks ahead' },
  ])('$says is refused before anything moves', ({ match: bad, says }) => {
    const canary = aCanary({ analysis: { match: bad } });
    expect(gloo.refuses?.(canary)?.message).toContain(says);
    expect(render(allToPrimary, canary)).toHaveLength(3);
  });
});

describe('Upstreams', () => {
  const upstreamRef = { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name: 'settings' };
  const [canary, elsewhere] = [aCanary({ upstreamRef }), aCanary({ upstreamRef: { ...upstreamRef, namespace: 'shared' } })];

  it('follow every setting of upstreamRef, also a removed one', () => {
    const [before] = render(allToPrimary, canary, [upstream('settings', { useHttp2: true, sslConfig: { sni: 'a' }, static: {} })]);
    expect(before?.spec).toMatchObject({ useHttp2: true, sslConfig: { sni: 'a' } });
    expect(before?.spec).not.toHaveProperty('static');
    const [after] = render(allToPrimary, canary, [...(before ? [before] : []), upstream('settings', { useHttp2: false })]);
    expect(after?.spec).toEqual({ useHttp2: false, kube: raw(before)?.spec.kube });
  });

  it('look for it in their own namespace unless it names another, and watch that one', () => {
    expect(gloo.watches(canary)).toContainEqual(expect.objectContaining({ name: 'settings', namespace: 'prod' }));
    expect(gloo.watches(elsewhere)).toContainEqual(expect.objectContaining({ name: 'settings', namespace: 'shared' }));
    expect(raw(render(allToPrimary, elsewhere, [upstream('settings', { useHttp2: true }, 'shared')])[0])?.spec.useHttp2).toBe(true);
  });

  it('say which Upstream is missing at the start, and are not held up by it later', () => {
    expect(() => render(allToPrimary, elsewhere)).toThrow(RoutingError);
    expect(() => render(allToPrimary, elsewhere)).toThrow('Upstream settings not found in shared');
    const ours = render(allToPrimary, elsewhere, [upstream('settings', { useHttp2: true }, 'shared')]);
    expect(render(allToPrimary, elsewhere, ours)).toEqual(ours);
  });

  it('leave the choice of pods to a Service that is the target itself', () => {
    const [primary] = render(allToPrimary, aCanary({ targetRef: { apiVersion: 'v1', kind: 'Service', name: 'shop' } }));
    expect(raw(primary)?.spec.kube).toEqual({ serviceName: 'shop-primary', serviceNamespace: 'prod', servicePort: 8080 });
  });
});

describe('deletion', () => {
  it('leaves the RouteTable to the apex Service without our Upstreams, and restores adopted objects', () => {
    const left = gloo.finalize(aCanary(), render({ kind: 'weighted', canary: weight(40) }));
    expect(left.remove).toEqual([]);
    expect(raw(left.write[0])?.spec.routes[0].routeAction).toEqual({
      single: { kube: { ref: { name: 'shop', namespace: 'prod' }, port: 8080 } },
    });
    const original = table([{ matchers: [{ prefix: '/' }], routeAction: { single: { upstream: { name: 'own' } } } }]);
    expect(gloo.finalize(aCanary(), render(allToPrimary, aCanary(), [original])).write[0]?.spec).toEqual(original.spec);
  });
});
