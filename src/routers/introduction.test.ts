import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../test/contracts/routers-cases.ts';
import { type Raw, raw } from '../../test/fakes/raw.ts';
import type { Provider } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { allToPrimary } from '../api/routes.ts';
import { routerFor } from './index.ts';

const metadata = { name: 'shop', namespace: 'prod' };
const proxy = (...routes: object[]): KubeObject => ({ apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata, spec: { routes } });
const route = (kind: string, ...rules: object[]): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind,
  metadata,
  spec: { parentRefs: [{ name: 'edge' }], rules },
});
const to = (name: string, weight?: number) => ({ name, port: 80, ...(weight === undefined ? {} : { weight }) });
const sides = [to('shop-primary', 100), to('shop-canary', 0)];

function introduction(provider: Provider, next: KubeObject, ...current: KubeObject[]): KubeObject | undefined {
  const router = routerFor(provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  return router.introduction?.(aCanary(), next, current);
}

/** Services and ports of each rule. */
const destinations = (of: KubeObject | undefined): string[][] | undefined =>
  of &&
  (raw(of).spec.rules ?? raw(of).spec.routes).map(({ backendRefs, services = backendRefs }: Raw) =>
    services.map(({ name, port }: Raw) => `${name}:${port}`),
  );

describe('DF650: Services that proxies learn of by routes', () => {
  it.each([
    { what: 'without a weight', services: [to('shop')] },
    { what: 'with weights of 0, which are even', services: [to('shop', 0), to('other', 0)] },
  ])('an HTTPProxy in place, $what, names the sides in a route for no request', ({ services }) => {
    const next = proxy({ conditions: [{ prefix: '/' }], services: sides });
    expect(introduction('contour', next, proxy({ services }))?.spec).toEqual({
      routes: [
        { services },
        { conditions: [{ header: { name: 'x-serin-introduction', exact: 'shop' } }, { prefix: '/' }], services: sides },
      ],
    });
  });

  it("an HTTPRoute in place does, with Serin's other fields", () => {
    const rule = { backendRefs: [to('shop')] };
    expect(introduction('gatewayapi:v1', route('HTTPRoute', { backendRefs: sides }), route('HTTPRoute', rule))?.spec).toEqual({
      parentRefs: [{ name: 'edge' }],
      rules: [
        rule,
        {
          matches: [
            { path: { type: 'PathPrefix', value: '/' }, headers: [{ type: 'Exact', name: 'x-serin-introduction', value: 'shop' }] },
          ],
          backendRefs: sides,
        },
      ],
    });
  });

  it.each([
    {
      what: 'an HTTPProxy',
      router: 'contour' as const,
      make: proxy,
      sent: 'services',
      header: { conditions: [{ header: { name: 'x-serin-introduction', exact: 'legacy' } }] },
    },
    {
      ...{
        what: 'an HTTPRoute',
        router: 'gatewayapi:v1' as const,
        make: (...rules: object[]) => route('HTTPRoute', ...rules),
        sent: 'backendRefs',
      },
      header: { matches: [{ headers: [{ name: 'x-serin-introduction', value: 'legacy' }] }] },
    },
  ])('in $what that Canaries share each removes only its own', ({ router: provider, make, sent, header }) => {
    const foreign = { ...header, [sent]: [to('legacy-primary', 100)] };
    const own = JSON.parse(JSON.stringify(foreign).replaceAll('legacy', 'shop'));
    const former = JSON.parse(JSON.stringify(foreign).replaceAll('"legacy"', '"true"'));
    const router = routerFor(provider);
    if ('unsupported' in router) throw new Error(router.unsupported);
    const [written] = router.render(aCanary({ service: { gatewayRefs: [{ name: 'edge' }] } }), anApex, allToPrimary, [
      make({ [sent]: [to('shop')] }, foreign, own, former),
    ]).write;
    expect(raw(written).spec.rules ?? raw(written).spec.routes).toEqual([{ [sent]: expect.any(Array) }, foreign]);
  });

  it('a GRPCRoute does so without a path, which it cannot have', () => {
    const found = route('GRPCRoute', { backendRefs: [to('shop')] });
    expect(introduction('gatewayapi:v1', route('GRPCRoute', { backendRefs: sides }), found)?.spec).toMatchObject({
      rules: [{}, { matches: [{ headers: [{ name: 'x-serin-introduction' }] }] }],
    });
  });

  it('once they are named traffic moves, and the old Service is named until the end', () => {
    const next = proxy({ services: sides });
    const first = introduction('contour', next, proxy({ services: [to('shop')] }));
    const second = first && introduction('contour', next, first);
    expect(second?.spec).toEqual({
      routes: [{ services: sides }, { conditions: [{ header: { name: 'x-serin-introduction', exact: 'shop' } }], services: [to('shop')] }],
    });
    expect(second && introduction('contour', next, second)).toBeUndefined();
  });

  it('the way back also names the sides first', () => {
    expect(introduction('contour', proxy({ services: [to('shop')] }), proxy({ services: sides }))?.spec).toMatchObject({
      routes: [{ services: sides }, { services: [to('shop')] }],
    });
  });

  const rules = {
    HTTPProxy: (...sent: ReturnType<typeof to>[][]) => proxy(...sent.map((services) => ({ services }))),
    HTTPRoute: (...sent: ReturnType<typeof to>[][]) => route('HTTPRoute', ...sent.map((backendRefs) => ({ backendRefs }))),
  };
  const admin = (name: string, weight?: number) => ({ ...to(name, weight), port: 9090 });
  it.each([
    { provider: 'contour', kind: 'HTTPProxy' },
    { provider: 'gatewayapi:v1', kind: 'HTTPRoute' },
  ] as const)('$kind: beside a rule that leads elsewhere, and goes on, Services are introduced, too', ({ provider, kind }) => {
    const found = rules[kind]([to('static')], [to('shop', 3), to('legacy', 1)], [to('shop')]);
    const next = rules[kind]([to('static')], [to('shop-primary', 300), to('shop-canary', 0), to('legacy', 100)], sides);
    const first = introduction(provider, next, found);
    expect(destinations(first)).toEqual([
      ['static:80'],
      ['shop:80', 'legacy:80'],
      ['shop:80'],
      ['shop-primary:80', 'shop-canary:80', 'legacy:80'],
    ]);
    const second = first && introduction(provider, next, first);
    expect(destinations(second)?.slice(-1)).toEqual([['shop:80', 'legacy:80']]);
    expect(destinations(second)?.slice(0, -1)).toEqual(destinations(next));
    expect(second && introduction(provider, next, second)).toBeUndefined();
    // The way back.
    expect(destinations(introduction(provider, found, next))?.slice(-1)).toEqual([['shop:80', 'legacy:80']]);
  });

  it.each([
    { provider: 'contour', kind: 'HTTPProxy' },
    { provider: 'gatewayapi:v1', kind: 'HTTPRoute' },
  ] as const)('$kind: proxies learn of each port by itself', ({ provider, kind }) => {
    const next = rules[kind]([admin('shop-primary', 100), admin('shop-canary', 0)], sides, sides);
    const first = introduction(provider, next, rules[kind]([admin('shop')], [to('shop')], [to('shop')]));
    expect(destinations(first)?.slice(3)).toEqual([
      ['shop-primary:9090', 'shop-canary:9090'],
      ['shop-primary:80', 'shop-canary:80'],
    ]);
    const half = rules[kind]([admin('shop')], sides, sides);
    expect(destinations(introduction(provider, next, half))?.slice(3)).toEqual([['shop-primary:9090', 'shop-canary:9090']]);
  });

  it('policies of an HTTPProxy make another cluster of a Service', () => {
    const policy = { loadBalancerPolicy: { strategy: 'Cookie' } };
    const next = proxy({ services: sides }, { ...policy, services: sides });
    const first = introduction('contour', next, proxy({ services: [to('shop')] }, { ...policy, services: [to('shop')] }));
    expect(raw(first)?.spec.routes.slice(2)).toMatchObject([{ services: sides }, { ...policy, services: sides }]);
  });

  it.each([
    { what: 'that is not there', current: [] },
    { what: 'whose traffic stays with one of them', current: [proxy({ services: [to('shop-primary')] })] },
    { what: 'without traffic', current: [proxy({ requestRedirectPolicy: { hostname: 'else.example.org' } })] },
  ])('none is needed at a route $what', ({ current }) => {
    expect(introduction('contour', proxy({ services: sides }), ...current)).toBeUndefined();
  });

  it('an HTTPRoute with the largest number of rules goes without', () => {
    const rules = Array.from({ length: 16 }, () => ({ backendRefs: [to('shop')] }));
    expect(introduction('gatewayapi:v1', route('HTTPRoute', { backendRefs: sides }), route('HTTPRoute', ...rules))).toBeUndefined();
  });
});

describe('DF650: Upstreams that proxies learn of later than of the routes to them', () => {
  const table = (...routes: object[]): KubeObject => ({ apiVersion: 'gateway.solo.io/v1', kind: 'RouteTable', metadata, spec: { routes } });
  const upstream: KubeObject = { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', metadata: { ...metadata, name: 'prod-shop-primary' } };
  const ref = (name: string) => ({ destination: { upstream: { name, namespace: 'prod' } } });
  const ours = { routeAction: { multi: { destinations: [ref('prod-shop-primary'), ref('prod-shop-canary')] } } };
  const toApex = { routeAction: { single: { kube: { ref: { name: 'shop', namespace: 'prod' }, port: 80 } } } };

  it('a RouteTable in place keeps its routes meanwhile', () => {
    expect(introduction('gloo', table(ours), table(toApex), upstream)).toEqual(table(toApex));
  });

  it.each([
    { what: 'is new', current: [] },
    { what: 'has no routes', current: [table()] },
    { what: 'names one of them', current: [table(toApex, ours), upstream] },
  ])('a RouteTable that $what is written at once', ({ current }) => {
    expect(introduction('gloo', table(ours), ...current)).toBeUndefined();
  });
});
