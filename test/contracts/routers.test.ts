import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Canary, type Provider, providers } from '../../src/api/canary.ts';
import { type KubeObject, refKey, refOf } from '../../src/api/kube-object.ts';
import { names } from '../../src/api/names.ts';
import { providerCapabilities } from '../../src/api/provider-capabilities.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../src/api/routes.ts';
import { RoutingError, routerFor, routers } from '../../src/routers/index.ts';
import type { Router } from '../../src/routers/router.ts';
import { aCanary, anApex, deepFreeze } from './routers-cases.ts';

type Kind = 'weights' | 'mirroring' | 'headerMatch' | 'sessionAffinity';

const implemented = Object.entries(routers).flatMap(([provider, router]) =>
  typeof router === 'string' ? [] : [{ provider, router: router as Router }],
);
const withObjects = implemented.filter(({ router }) => router.supports.weights);

/** Why a provider lacks what it lacks; a difference from `supports` fails. */
const lacks: Readonly<Record<string, Partial<Record<Kind, string>>>> = {
  istio: {},
  kubernetes: { weights: 'no proxy', mirroring: 'no proxy', headerMatch: 'no proxy', sessionAffinity: 'no proxy' },
  none: { weights: 'no proxy', mirroring: 'no proxy', headerMatch: 'no proxy', sessionAffinity: 'no proxy' },
  knative: { mirroring: 'no field', headerMatch: 'no field', sessionAffinity: 'no cookies' },
  linkerd: { mirroring: 'no field', headerMatch: 'v1alpha1 has no matches', sessionAffinity: 'no cookies' },
  osm: { mirroring: 'no field', headerMatch: 'v1alpha2 has no matches', sessionAffinity: 'no cookies' },
  'smi:v1alpha1': { mirroring: 'no field', headerMatch: 'v1alpha1 has no matches', sessionAffinity: 'no cookies' },
  'smi:v1alpha2': { mirroring: 'no field', headerMatch: 'v1alpha2 has no matches', sessionAffinity: 'no cookies' },
  'smi:v1alpha3': { mirroring: 'no field', sessionAffinity: 'no cookies' },
  'smi:v1alpha4': { mirroring: 'no field', sessionAffinity: 'no cookies' },
};

/** Providers whose routes are part of an object that is there already: it, and a state of it that says no routes of ours. */
const foundInPlace: Readonly<Record<string, { object: KubeObject; foreign: object }>> = {
  knative: {
    object: {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      metadata: { name: 'shop', namespace: 'prod', annotations: { 'flagger.app/primary-revision': 'shop-00001' } },
      spec: { template: { spec: {} }, traffic: [{ latestRevision: true, percent: 100 }] },
      status: { latestCreatedRevisionName: 'shop-00002' },
    },
    foreign: { traffic: ['a', 'b', 'c', 'd'].map((revisionName) => ({ revisionName, percent: 25 })) },
  },
};
const inPlace = (provider: string): KubeObject[] => (foundInPlace[provider] ? [foundInPlace[provider].object] : []);

/** What the cluster holds after the write: what is rendered may be a part of what is there. */
const held = (provider: string, write: readonly KubeObject[]): KubeObject[] =>
  write.map((object) => {
    const found = inPlace(provider).find((one) => refKey(refOf(one)) === refKey(refOf(object)));
    if (!found) return object;
    return { ...found, metadata: { ...found.metadata, ...object.metadata }, spec: { ...found.spec, ...object.spec } };
  });

const beta: HttpMatch[] = [{ headers: { 'x-user': { exact: 'insider' } } }];
const matched: Routes = { kind: 'matched', match: beta };
const mirrored: Routes = { kind: 'mirrored', share: weight(50) };
const sticky: Routes = { kind: 'weighted', canary: weight(20), affinity: { canary: 'c=abcdefghij' } };

const aName = fc.stringMatching(/^[a-z][a-z-]{0,6}$/);
const aText = fc.stringMatching(/^[a-zA-Z0-9.*+()$^|;= -]{1,8}$/);
const aWord = fc.stringMatching(/^[A-Za-z]{10}$/);
const aCondition = fc.oneof(
  aText.map((exact) => ({ exact })),
  aText.map((prefix) => ({ prefix })),
  aText.map((suffix) => ({ suffix })),
  fc.constantFrom('^beta.*$', '[a-z]+', 'a|b', '(.*; ?)?x=y(;.*)?').map((regex) => ({ regex })),
);
const headers = fc.dictionary(aName, aCondition, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
const aWeight = fc.integer({ min: 0, max: 100 }).map(weight);
const anAffinity = fc
  .record(
    {
      canary: aWord.map((w) => `sh-canary=${w}`),
      primary: aWord.map((w) => `sh-primary=${w}`),
      previous: aWord.map((w) => `sh-canary=${w}`),
    },
    { requiredKeys: [] },
  )
  .filter((affinity) => Object.keys(affinity).length > 0);

function routesOf(router: Router): fc.Arbitrary<Routes> {
  const { mirroring, headerMatch, sessionAffinity } = router.supports;
  const anEntry: fc.Arbitrary<HttpMatch> = sessionAffinity
    ? fc.record(
        { headers, queryParams: headers, sourceLabels: fc.dictionary(aName, aText, { minKeys: 1, maxKeys: 2, noNullPrototype: true }) },
        { requiredKeys: ['headers'] },
      )
    : fc.record({ headers });
  const match = fc.array(anEntry, { minLength: 1, maxLength: 3 });
  const affinity = sessionAffinity ? fc.option(anAffinity, { nil: undefined }) : fc.constant(undefined);
  const some = <T extends object>(value: T | undefined, name: string) => (value ? { [name]: value } : {});
  return fc.oneof(
    fc.tuple(aWeight, affinity).map(([canary, a]): Routes => ({ kind: 'weighted', canary, ...some(a, 'affinity') })),
    ...(headerMatch
      ? [
          fc.tuple(match, affinity).map(([m, a]): Routes => ({ kind: 'matched', match: m, ...some(a, 'affinity') })),
          // All of the matched segment to the canary is what `matched` says.
          fc
            .tuple(aWeight, match, affinity)
            .map(
              ([canary, m, a]): Routes => ({ kind: 'weighted', canary: weight(Math.min(canary, 99)), match: m, ...some(a, 'affinity') }),
            ),
        ]
      : []),
    ...(mirroring ? [aWeight.map((share): Routes => ({ kind: 'mirrored', share }))] : []),
  );
}

const aService = fc.record(
  {
    name: fc.constantFrom('storefront', 'shop'),
    hosts: fc.constantFrom(['*'], ['shop.example.org']),
    gateways: fc.constantFrom(['mesh'], ['a/b', 'mesh']),
    portDiscovery: fc.boolean(),
    match: fc.constantFrom(
      [],
      [{ uri: { prefix: '/api' } }],
      [{ headers: { 'x-user': { exact: 'a' }, Cookie: { prefix: 'b' } } }, { uri: { exact: '/b' } }],
    ),
    headers: fc.constantFrom({ request: { set: { a: 'b' } } }, { response: { add: { 'Set-Cookie': 'own=1' } } }),
    timeout: fc.constant('5s'),
  },
  { requiredKeys: [] },
);

function canaryFor(routes: Routes, service: object = {}): Canary {
  const match = routes.kind === 'mirrored' ? undefined : routes.match;
  return aCanary({
    service,
    analysis: { ...(match ? { match } : {}), sessionAffinity: { cookieName: 'sh-canary', primaryCookieName: 'sh-primary' } },
  });
}

function sumsOf(object: KubeObject): number[] {
  const lists: Array<Array<{ weight?: number | string }>> = [...(object.spec.http ?? []), ...(object.spec.tcp ?? [])].map(
    (rule: { route: [] }) => rule.route,
  );
  if (object.spec.backends) lists.push(object.spec.backends);
  return lists.map((list) => list.reduce((sum, side) => sum + Number(side.weight), 0));
}

describe('the registry', () => {
  it('names every provider of the API, with a router or the sentence that says why not', () => {
    expect(Object.keys(routers).sort()).toEqual([...providers].sort());
    for (const provider of providers) {
      const found = routerFor(provider);
      if ('unsupported' in found) expect(found.unsupported).toMatch(/later version/);
    }
  });

  it.each(['gatewayapi', 'smi:v1alpha9', 'appmesh:v1beta1', 'istioo', 'toString', ''])(
    'R-L7: %j is refused and never becomes another provider',
    (provider) => {
      expect(routerFor(provider)).toEqual({ unsupported: expect.stringContaining('known are apisix') });
    },
  );

  it.each(implemented)('R-T1: what validation believes of $provider is what its router supports', ({ provider, router }) =>
    expect(providerCapabilities[provider as Provider]).toEqual(router.supports),
  );
  it.each(implemented)('$provider lacks what the list says, and nothing else', ({ provider, router }) => {
    const missing = Object.entries(router.supports).flatMap(([kind, has]) => (has ? [] : [kind]));
    expect(missing.sort()).toEqual(Object.keys(lacks[provider as Provider] ?? {}).sort());
  });
});

describe.each(implemented)('router contract of $provider', ({ provider, router }) => {
  const render = (routes: Routes, current: readonly KubeObject[] = inPlace(provider), canary = canaryFor(routes)) =>
    router.render(canary, anApex, routes, current);

  it.each([
    { kind: 'headerMatch' as const, routes: matched },
    { kind: 'mirroring' as const, routes: mirrored },
  ])('R-T1: renders $kind exactly when it supports it, and otherwise refuses', ({ kind, routes }) => {
    if (router.supports[kind]) expect(render(routes).write.length).toBeGreaterThan(0);
    else expect(() => render(routes)).toThrow(RoutingError);
  });

  it('sets cookies exactly when it supports session affinity', () => {
    expect(JSON.stringify(render(sticky).write).includes('Set-Cookie')).toBe(router.supports.sessionAffinity);
  });

  it('readRoutes is the reverse of render, and render leaves its own output as it is', () => {
    const routesAndService = router.supports.weights
      ? fc.tuple(routesOf(router), aService)
      : fc.constant([allToPrimary, {}] as [Routes, object]);
    fc.assert(
      fc.property(routesAndService, ([routes, service]) => {
        const canary = deepFreeze(canaryFor(routes, service));
        const first = router.render(canary, deepFreeze(anApex), deepFreeze(routes), deepFreeze(inPlace(provider)));
        const written = deepFreeze(held(provider, first.write));
        expect(router.readRoutes(canary, written)).toEqual(routes);
        expect(router.render(canary, anApex, routes, written)).toEqual(first);
      }),
      { numRuns: 300 },
    );
  });

  it('I1: weights are whole and sum to 100, on every rule', () => {
    fc.assert(
      fc.property(routesOf(router), (routes) => {
        if (!router.supports.weights) return;
        expect(
          render(routes)
            .write.flatMap(sumsOf)
            .every((sum) => sum === 100),
        ).toBe(true);
      }),
    );
  });

  it('writes only what it watches, under the names of the Canary, without owner references', () => {
    const canary = aCanary({ service: { name: 'storefront' }, analysis: { match: beta } });
    const watched = router.watches(canary).map(refKey);
    const routes = router.supports.headerMatch ? matched : allToPrimary;
    const { apexService, primaryService, canaryService, target } = names(canary);
    const known = [apexService, primaryService, canaryService, ...(foundInPlace[provider] ? [target] : [])];
    for (const object of router.render(canary, anApex, routes, inPlace(provider)).write) {
      expect(watched).toContain(refKey(refOf(object)));
      expect(known).toContain(object.metadata.name);
      expect(object.metadata.namespace).toBe('prod');
      expect(object.metadata.ownerReferences).toBeUndefined();
    }
  });

  it('R-T2: a condition that says nothing is refused and never becomes everybody', () => {
    for (const empty of [{}, { headers: {} }, { queryParams: {} }])
      expect(() => render({ kind: 'matched', match: [...beta, empty] })).toThrow(RoutingError);
  });

  it('R-L2: finalize tolerates what is absent and is the same a second time', () => {
    const canary = canaryFor(allToPrimary);
    expect(router.finalize(canary, [])).toEqual({ write: [], remove: [] });
    const current = deepFreeze(render(allToPrimary).write);
    const once = router.finalize(canary, current);
    const gone = [...once.remove, ...once.write.map(refOf)].map(refKey);
    const after = current.filter((object) => !gone.includes(refKey(refOf(object)))).concat(once.write);
    expect(router.finalize(canary, deepFreeze(after))).toEqual({ write: [], remove: [] });
    expect(JSON.stringify(once.write)).not.toMatch(/shop-(primary|canary)/);
  });
});

describe.each(withObjects)('routers with objects: $provider', ({ provider, router }) => {
  it('reads nothing where there is nothing, and says what is wrong with an object of somebody else', () => {
    const canary = canaryFor(allToPrimary);
    expect(router.readRoutes(canary, [])).toBeUndefined();
    const own = held(provider, router.render(canary, anApex, allToPrimary, inPlace(provider)).write).at(-1);
    const foreign = { ...own, spec: foundInPlace[provider]?.foreign ?? {} } as KubeObject;
    expect(router.readRoutes(canary, [foreign])).toEqual({ unreadable: expect.stringContaining('shop') });
  });

  it('R-T4: a foreign label or annotation changes neither what is written nor what is read', () => {
    const canary = canaryFor(sticky);
    const routes: Routes = { kind: 'weighted', canary: weight(35) };
    const clean = router.render(canary, anApex, routes, inPlace(provider));
    const touched = held(provider, clean.write).map((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { argocd: 'x' }, annotations: { ...object.metadata.annotations, foreign: 'y' } },
    }));
    expect(router.render(canary, anApex, routes, touched)).toEqual(clean);
    expect(router.readRoutes(canary, touched)).toEqual(routes);
  });

  it('an A/B condition stands on every rule that can reach the canary', () => {
    if (!router.supports.headerMatch) return;
    const rendered = router.render(canaryFor(matched), anApex, matched, []).write;
    for (const rule of rendered.flatMap((object) => object.spec.http ?? [])) {
      if (JSON.stringify(rule.route).includes('shop-canary')) expect(JSON.stringify(rule.match)).toContain('insider');
    }
    const split = rendered.find((object) => object.kind === 'TrafficSplit');
    if (split) expect(split.spec.matches).toHaveLength(1);
  });
});
