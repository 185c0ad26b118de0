import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { type Routes, weight } from '../../api/routes.ts';
import { contour } from '../contour/router.ts';
import { gatewayApi } from '../gateway-api/router.ts';
import { istio } from '../istio/router.ts';
import type { Router } from '../router.ts';

/** A rule that leads to two applications, and to a third without a Canary. */
const kinds: Readonly<Record<string, { router: Router; route: KubeObject }>> = {
  HTTPRoute: {
    router: gatewayApi('v1'),
    route: {
      ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'both', namespace: 'prod' } },
      spec: {
        parentRefs: [{ name: 'edge' }],
        rules: ['shop', 'till'].flatMap((first) => [
          {
            matches: [{ path: { type: 'PathPrefix', value: `/${first}` } }],
            backendRefs: [
              { name: 'shop', port: 80, weight: 3 },
              { name: 'till', port: 80, weight: 1 },
              { name: 'web', port: 80, weight: 1 },
            ],
          },
        ]),
      },
    },
  },
  VirtualService: {
    router: istio,
    route: {
      ...{ apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', metadata: { name: 'both', namespace: 'prod' } },
      spec: {
        hosts: ['shop.example.org'],
        gateways: ['edge/public'],
        http: ['/shop', '/till'].map((prefix) => ({
          match: [{ uri: { prefix } }],
          route: ['shop', 'till', 'web'].map((host, index) => ({ destination: { host }, weight: [60, 20, 20][index] })),
        })),
      },
    },
  },
  HTTPProxy: {
    router: contour(),
    route: {
      ...{ apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', metadata: { name: 'both', namespace: 'prod' } },
      spec: {
        virtualhost: { fqdn: 'shop.example.org' },
        routes: ['/shop', '/till'].map((prefix) => ({
          conditions: [{ prefix }],
          services: ['shop', 'till', 'web'].map((name, index) => ({ name, port: 80, weight: [60, 20, 20][index] })),
        })),
      },
    },
  },
};

const canaryOf = (name: string, { apiVersion, kind }: KubeObject): Canary => {
  const analysis = kind === 'HTTPProxy' ? {} : { sessionAffinity: { cookieName: name } };
  const routeRefs = [{ apiVersion, kind, name: 'both' }];
  const made = aCanary({ service: { name }, analysis, routeRefs });
  return { ...made, metadata: { ...made.metadata, name, uid: `uid-${name}` } };
};
const by = (header: string): Routes => ({ kind: 'matched', match: [{ headers: { [header]: { exact: '1' } } }] });
const held = (cookie: string): Routes => ({ kind: 'weighted', canary: weight(25), affinity: { canary: `${cookie}=abcdefghij` } });

const merged = (found: KubeObject, parts: readonly KubeObject[]): KubeObject => {
  const part = parts.find(({ kind }) => kind === found.kind);
  return { ...found, spec: { ...raw(found).spec, ...raw(part)?.spec } };
};

/** The route after one reconciliation of a Canary. */
const pass = (router: Router, canary: Canary, routes: Routes, found: KubeObject): KubeObject =>
  merged(found, router.render(canary, anApex, routes, [found]).write);

/** Both in turn, until none of them changes it. */
function settled(router: Router, passes: readonly (readonly [Canary, Routes])[], found: KubeObject): KubeObject {
  let route = found;
  for (let turn = 0; turn < 6; turn += 1) {
    const next = passes.reduce((now, [canary, routes]) => pass(router, canary, routes, now), route);
    if (JSON.stringify(next) === JSON.stringify(route)) return route;
    route = next;
  }
  throw new Error(`they never agree: ${JSON.stringify(route.spec)}`);
}

describe.each(Object.entries(kinds))('I17: a rule of a %s that two Canaries split', (kind, { router, route }) => {
  const cohorts: (readonly [string, Routes, Routes])[] = [
    ['each for a group of users', by('x-user'), by('x-team')],
    ...(kind === 'HTTPProxy'
      ? []
      : ([
          ['one for a group, one by a cookie', by('x-user'), held('till')],
          ['each by a cookie', held('shop'), held('till')],
        ] as const)),
    ['one for a group, one by its weight', by('x-user'), { kind: 'weighted', canary: weight(25) }],
  ];

  it.each(cohorts)('%s: it comes to rest in either order of writers, and both read what they wrote', (_, forShop, forTill) => {
    const shop = canaryOf('shop', route);
    const till = canaryOf('till', route);
    for (const passes of [
      [[shop, forShop] as const, [till, forTill] as const],
      [[till, forTill] as const, [shop, forShop] as const],
    ]) {
      const live = settled(router, passes, route);
      const read = passes.map(([canary]) => router.readRoutes(canary, [live]));
      expect(read).toEqual(
        passes.map(([, routes]) => (routes.kind === 'weighted' ? expect.objectContaining({ kind: 'weighted', canary: 25 }) : routes)),
      );
      const idle: Routes = { kind: 'weighted', canary: weight(0) };
      let joined = live;
      for (const [canary] of passes) joined = pass(router, canary, idle, joined);
      for (const [canary] of passes.toReversed()) joined = merged(joined, router.finalize(canary, [joined]).write);
      expect(joined.spec).toEqual(route.spec);
    }
  });
});
