import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { contour } from '../contour/router.ts';
import { gatewayApi } from '../gateway-api/router.ts';
import { istio } from '../istio/router.ts';
import type { Router } from '../router.ts';

interface RouteCase {
  router: Router;
  /** Each list of destinations is a rule with a path of its own. */
  route(...rules: Raw[][]): KubeObject;
  /** The destinations of each rule. */
  sentBy(route: KubeObject | undefined): Raw[][];
}

const metadata = { name: 'shop', namespace: 'prod' };
const paths = ['/', '/a', '/b'];
const kinds: Readonly<Record<string, RouteCase>> = {
  HTTPProxy: {
    router: contour(),
    route: (...rules) => ({
      ...{ apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata },
      spec: { routes: rules.map((services, index) => ({ conditions: [{ prefix: paths[index] }], services })) },
    }),
    sentBy: (route) => raw(route)?.spec.routes.map(({ services }: Raw) => services),
  },
  HTTPRoute: {
    router: gatewayApi('v1'),
    route: (...rules) => ({
      ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata },
      spec: {
        parentRefs: [{ name: 'edge' }],
        rules: rules.map((backendRefs, index) => ({
          matches: [{ path: { type: 'PathPrefix', value: paths[index] } }],
          backendRefs,
        })),
      },
    }),
    sentBy: (route) => raw(route)?.spec.rules.map(({ backendRefs }: Raw) => backendRefs),
  },
};

const canary = aCanary({ service: { gatewayRefs: [{ name: 'edge' }] } });
const at = (percent: number): Routes => ({ kind: 'weighted', canary: weight(percent) });
const to = (name: string, weight: number, port = 80): Raw => ({ name, port, weight });
const merged = (found: KubeObject, [part]: readonly KubeObject[]): KubeObject => ({
  ...found,
  spec: { ...raw(found).spec, ...raw(part)?.spec },
});

describe.each(Object.entries(kinds))('DF867: proxies do not forget the apex of a %s that is split', (_, { router, route, sentBy }) => {
  const written = (routes: Routes, found: KubeObject) => router.render(canary, anApex, routes, [found]).write;
  const left = (found: KubeObject) => merged(found, router.finalize(canary, [found]).write);

  it('each destination that is split is followed by itself, without weight, until the Canary is deleted', () => {
    const users = route([to('shop', 3), to('web', 1)], [to('web', 1)], [to('shop', 1), to('shop', 2, 9090)]);
    const live = merged(users, written(at(20), users));
    expect(sentBy(live)).toEqual([
      [to('shop-primary', 240), to('shop-canary', 60), to('shop', 0), to('web', 100)],
      [to('web', 1)],
      [
        ...[to('shop-primary', 80), to('shop-canary', 20), to('shop', 0)],
        ...[to('shop-primary', 160, 9090), to('shop-canary', 40, 9090), to('shop', 0, 9090)],
      ],
    ]);
    expect(router.readRoutes(canary, [live])).toEqual(at(20));
    expect(merged(live, written(at(20), live))).toEqual(live);
    expect(left(live)).toEqual(users);
  });

  it('a destination to which the user gives no weight stays the user’s', () => {
    const users = route([to('shop', 1), to('shop', 0, 9090), to('web', 1)]);
    const live = merged(users, written(at(20), users));
    expect(router.readRoutes(canary, [live])).toEqual(at(20));
    expect(left(live)).toEqual(users);
  });

  it('I8: a route that an earlier version has split gets it with the next weight', () => {
    const earlier = route([to('shop-primary', 100), to('shop-canary', 0)]);
    expect(merged(earlier, written(allToPrimary, earlier))).toEqual(earlier);
    expect(sentBy(merged(earlier, written(at(20), earlier)))).toEqual([[to('shop-primary', 80), to('shop-canary', 20), to('shop', 0)]]);
  });

  it.each([
    { what: 'a part', primary: 80, apex: 5, read: at(20) },
    { what: 'all', primary: 0, apex: 100, read: undefined },
  ])('a weight by which another writer gives it $what of the requests is taken from it', ({ primary, apex, read }) => {
    const users = route([to('shop', 1), to('web', 1)]);
    const canaryShare = primary === 0 ? 0 : 20;
    const sent = [to('shop-primary', primary), to('shop-canary', canaryShare), to('shop', apex), to('web', 100)];
    const changed = route(sent);
    expect(router.readRoutes(canary, [changed])).toEqual(read);
    expect(merged(changed, written(at(20), changed))).toEqual(merged(users, written(at(20), users)));
    expect(left(changed)).toEqual(users);
  });

  it('copies of a rule need it not', () => {
    const users = route([to('shop', 1)]);
    const live = merged(users, written({ kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' } } }] }, users));
    expect(sentBy(live).map((sent) => sent.some(({ name }) => name === 'shop'))).toEqual(
      router === kinds.HTTPProxy?.router ? [false, true] : [true, false],
    );
    expect(left(live)).toEqual(users);
  });
});

it('DF867: a rule of an HTTPRoute that would have more than 16 backends goes without', () => {
  const { router, route, sentBy } = kinds.HTTPRoute as RouteCase;
  const more = Array.from({ length: 13 }, (_, index) => to(`web-${index}`, 1));
  const sent = [1, 0].map((without) => {
    const users = route([to('shop', 1), ...more.slice(without), to('last', 1)]);
    return sentBy(merged(users, router.render(canary, anApex, at(20), [users]).write))[0]?.map(({ name }) => name);
  });
  expect(sent.map((names) => [names?.length, names?.includes('shop')])).toEqual([
    [16, true],
    [16, false],
  ]);
});

it('DF867: Istio knows all Services, and a VirtualService names only the Services that it needs', () => {
  const users: KubeObject = {
    ...{ apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', metadata },
    spec: { hosts: ['shop'], http: [{ route: [{ destination: { host: 'shop' } }] }] },
  };
  const [written] = istio.render(canary, anApex, at(20), [users]).write.filter(({ kind }) => kind === users.kind);
  expect(raw(written).spec.http[0].route.map(({ destination }: Raw) => destination.host)).toEqual(['shop-primary', 'shop-canary']);
});
