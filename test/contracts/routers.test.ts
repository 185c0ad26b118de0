import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Canary, type Provider, providers } from '../../src/api/canary.ts';
import { groupOf, type KubeObject, refKey, refOf } from '../../src/api/kube-object.ts';
import { names } from '../../src/api/names.ts';
import { factsOf } from '../../src/api/providers.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../src/api/routes.ts';
import type { CanaryService } from '../../src/api/service-spec.ts';
import { RoutingError, routerFor, routers, routesPastApex } from '../../src/routers/index.ts';
import { localGroups, meshGroups } from '../../src/routers/mesh-kinds.ts';
import type { Router } from '../../src/routers/router.ts';
import { raw } from '../fakes/raw.ts';
import { routerCases } from './routers/index.ts';
import type { RouterCase } from './routers/router-case.ts';
import { aCanary, anApex, asMade, deepFreeze } from './routers-cases.ts';

const implemented = Object.entries(routers).map(([provider, router]) => ({ provider, router: router as Router }));
const withObjects = implemented.filter(({ router }) => router.supports.weights);

const caseOf = (provider: string): RouterCase => {
  const found = routerCases[provider as Provider];
  if (!found) throw new Error(`${provider} has a router, but no case in test/contracts/routers`);
  return found;
};
const inPlace = (provider: string): KubeObject[] => [...(caseOf(provider).inPlace ?? [])];

/** Objects of the cluster after the write: a rendered object can be a part of an existing object. */
const held = (provider: string, write: readonly KubeObject[]): KubeObject[] => {
  const objects = write.map((object) => {
    const found = inPlace(provider).find((one) => refKey(refOf(one)) === refKey(refOf(object)));
    if (!found) return asMade(object);
    return { ...found, metadata: { ...found.metadata, ...object.metadata }, spec: { ...raw(found).spec, ...raw(object).spec } };
  });
  const written = objects.map((object) => refKey(refOf(object)));
  return [...inPlace(provider).filter((one) => !written.includes(refKey(refOf(one)))), ...objects];
};

const beta: HttpMatch[] = [{ headers: { 'x-user': { exact: 'insider' } } }];
const matched: Routes = { kind: 'matched', match: beta };
const mirrored: Routes = { kind: 'mirrored', share: weight(100) };
const sticky: Routes = { kind: 'weighted', canary: weight(20), affinity: { canary: 'c=abcdefghij' } };

const aName = fc.stringMatching(/^[a-z][a-z-]{0,6}$/);
const aText = fc.stringMatching(/^[a-zA-Z0-9.*+()$^|;= -]{1,8}$/);
const aWord = fc.stringMatching(/^[A-Za-z]{10}$/);
const textForms = {
  exact: aText.map((exact) => ({ exact })),
  prefix: aText.map((prefix) => ({ prefix })),
  suffix: aText.map((suffix) => ({ suffix })),
  regex: fc.constantFrom('beta.*', '^beta.*$', '[a-z]+', 'a|b', '(.*; ?)?x=y(;.*)?').map((regex) => ({ regex })),
};
const headersOf = ({ forms = ['exact', 'prefix', 'suffix', 'regex'], conditions = {} }: RouterCase) =>
  fc.dictionary(aName, fc.oneof(...forms.map((form) => textForms[form])), {
    minKeys: 1,
    maxKeys: conditions.mostHeaders ?? 3,
    noNullPrototype: true,
  });
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

function routesOf(router: Router, known: RouterCase): fc.Arbitrary<Routes> {
  const { mirroring, headerMatch, sessionAffinity } = router.supports;
  const { queryParams, sourceLabels, mostEntries = 3 } = known.conditions ?? {};
  const headers = headersOf(known);
  const anEntry: fc.Arbitrary<HttpMatch> = fc.record(
    {
      headers,
      ...(queryParams ? { queryParams: headers } : {}),
      ...(sourceLabels ? { sourceLabels: fc.dictionary(aName, aText, { minKeys: 1, maxKeys: 2, noNullPrototype: true }) } : {}),
    },
    { requiredKeys: ['headers'] },
  );
  const match = fc.array(anEntry, { minLength: 1, maxLength: mostEntries });
  const affinity = sessionAffinity ? fc.option(anAffinity, { nil: undefined }) : fc.constant(undefined);
  const some = <T extends object>(value: T | undefined, name: string) => (value ? { [name]: value } : {});
  const any = fc.oneof(
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
  return any.filter((routes) => known.refuses?.(routes) !== true);
}

const aService: fc.Arbitrary<Partial<CanaryService>> = fc.record(
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

function canaryFor(provider: string, routes: Routes, service: object = {}): Canary {
  const match = routes.kind === 'mirrored' ? undefined : routes.match;
  const known = caseOf(provider);
  return aCanary({
    ...known.spec,
    service: { ...known.service, ...service },
    analysis: { ...(match ? { match } : {}), sessionAffinity: { cookieName: 'sh-canary', primaryCookieName: 'sh-primary' } },
  });
}

describe('the registry', () => {
  it('names every provider of the API, with a router', () => {
    expect(Object.keys(routers).sort()).toEqual([...providers].sort());
    for (const provider of providers) expect(routerFor(provider)).toHaveProperty('render');
  });

  it.each(['gatewayapi', 'smi:v1alpha9', 'appmesh:v1beta1', 'istioo', 'toString', ''])(
    '%j is refused and never becomes another provider',
    (provider) => {
      expect(routerFor(provider)).toEqual({ unsupported: expect.stringContaining('known are apisix') });
    },
  );

  it.each(implemented)("validation knows the features of $provider's router", ({ provider, router }) =>
    expect(factsOf(provider as Provider).can).toEqual(router.supports),
  );
  it.each(withObjects)('$provider: whether its objects may lie in another cluster is known of every kind', ({ provider, router }) => {
    const groups: readonly string[] = [...meshGroups, ...localGroups];
    const watched = router.watches(canaryFor(provider, allToPrimary)).map(({ apiVersion }) => groupOf(apiVersion));
    expect(groups).toEqual(expect.arrayContaining(watched));
  });
  it.each(implemented)('$provider lacks exactly the listed features', ({ provider, router }) => {
    const missing = Object.entries(router.supports).flatMap(([kind, has]) => (has ? [] : [kind]));
    expect(missing.sort()).toEqual(Object.keys(caseOf(provider).lacks).sort());
  });
});

describe.each(implemented)('router contract of $provider', ({ provider, router }) => {
  const render = (routes: Routes, current: readonly KubeObject[] = inPlace(provider), canary = canaryFor(provider, routes)) =>
    router.render(canary, anApex, routes, current);

  it.each([
    { kind: 'headerMatch' as const, routes: matched },
    { kind: 'mirroring' as const, routes: mirrored },
  ])('renders $kind exactly when it supports it, and otherwise refuses', ({ kind, routes }) => {
    if (router.supports[kind]) expect(render(routes).write.length).toBeGreaterThan(0);
    else expect(() => render(routes)).toThrow(RoutingError);
  });

  it('I17: says which sides requests reach without passing the apex Service', () => {
    const { primaryService, canaryService } = names(canaryFor(provider, allToPrimary));
    const written = render({ kind: 'weighted', canary: weight(provider === 'kubernetes' || provider === 'none' ? 0 : 20) }).write;
    // Knative revisions are not Services, even with the same names.
    const specs = written.filter(({ apiVersion }) => !apiVersion.startsWith('serving.knative.dev')).map(({ spec }) => JSON.stringify(spec));
    const leadsTo = (name: string) => specs.some((spec) => new RegExp(`"(prod/)?${name}["._]`).test(spec));
    expect(routesPastApex(provider as Provider)).toEqual([
      ...(leadsTo(primaryService) ? ['primary'] : []),
      ...(leadsTo(canaryService) ? ['canary'] : []),
    ]);
  });

  it('sets cookies exactly when it supports session affinity', () => {
    expect(JSON.stringify(render(sticky).write).includes('Set-Cookie')).toBe(router.supports.sessionAffinity);
  });

  it('readRoutes is the reverse of render, and render leaves its own output unmodified', () => {
    const routesAndService = router.supports.weights
      ? fc.tuple(
          routesOf(router, caseOf(provider)),
          aService.filter((service) => caseOf(provider).refusesService?.(service) !== true),
        )
      : fc.constant([allToPrimary, {}] as [Routes, object]);
    fc.assert(
      fc.property(routesAndService, ([routes, service]) => {
        const canary = deepFreeze(canaryFor(provider, routes, service));
        const first = router.render(canary, deepFreeze(anApex), deepFreeze(routes), deepFreeze(inPlace(provider)));
        const written = deepFreeze(held(provider, first.write));
        expect(router.readRoutes(canary, written)).toEqual(routes);
        expect(router.render(canary, anApex, routes, written)).toEqual(first);
      }),
      { numRuns: 300 },
    );
  });

  it('a spec.service that it cannot express is refused before anything is written', () => {
    const { refusesService, spec, service: needed } = caseOf(provider);
    if (!refusesService) return;
    fc.assert(
      fc.property(aService.filter(refusesService), (service) => {
        expect(router.refuses?.(aCanary({ ...spec, service: { ...needed, ...service } }))?.message).toMatch(/service/);
      }),
    );
  });

  it('I1: weights are whole and sum to 100, on every rule', () => {
    fc.assert(
      fc.property(routesOf(router, caseOf(provider)), (routes) => {
        if (!router.supports.weights) return;
        const { sums, total = 100 } = caseOf(provider);
        const all = render(routes).write.flatMap((object) => sums(object));
        expect(all.length).toBeGreaterThan(0);
        expect(all.every((sum) => sum === total)).toBe(true);
      }),
    );
  });

  it('writes only objects that it watches, under the names of the Canary, without owner references', () => {
    const { spec, service, ownNames = [] } = caseOf(provider);
    const canary = aCanary({ ...spec, service: { ...service, name: 'storefront' }, analysis: { match: beta } });
    const watched = router.watches(canary).map(refKey);
    const routes = router.supports.headerMatch ? matched : allToPrimary;
    const { apexService, primaryService, canaryService } = names(canary);
    const known = [apexService, primaryService, canaryService, ...ownNames];
    for (const object of router.render(canary, anApex, routes, inPlace(provider)).write) {
      expect(watched).toContain(refKey(refOf(object)));
      expect(known).toContain(object.metadata.name);
      expect(object.metadata.namespace).toBe(caseOf(provider).isClusterScoped ? undefined : 'prod');
      expect(object.metadata.ownerReferences).toBeUndefined();
    }
  });

  it('a condition that says nothing is refused and never matches every request', () => {
    for (const empty of [{}, { headers: {} }, { queryParams: {} }])
      expect(() => render({ kind: 'matched', match: [...beta, empty] })).toThrow(RoutingError);
  });

  it('finalize tolerates absent objects and is the same a second time', () => {
    const canary = canaryFor(provider, allToPrimary);
    expect(router.finalize(canary, [])).toEqual({ write: [], remove: [] });
    const current = deepFreeze(render(allToPrimary).write.map(asMade));
    const once = router.finalize(canary, current);
    const gone = [...once.remove, ...once.write.map(refOf)].map(refKey);
    const after = current.filter((object) => !gone.includes(refKey(refOf(object)))).concat(once.write.map(asMade));
    expect(router.finalize(canary, deepFreeze(after))).toEqual({ write: [], remove: [] });
    expect(JSON.stringify(once.write)).not.toMatch(/shop-(primary|canary)/);
  });
});

describe.each(
  implemented.flatMap(({ provider, router }) =>
    (routerCases[provider as Provider]?.afterDeletion ?? []).map((each) => ({
      ...each,
      provider,
      router,
      what: [provider, each.of ?? ''].join(' ').trim(),
    })),
  ),
)('I7: $what, when its Canary is deleted', ({ provider, router, service, stays }) => {
  const canary = canaryFor(provider, allToPrimary, service);
  const routesNow = router.supports.mirroring ? mirrored : allToPrimary;
  const made = router
    .render(canary, anApex, routesNow, inPlace(provider))
    .write.filter((object) => !inPlace(provider).some((one) => refKey(refOf(one)) === refKey(refOf(object))))
    .map(asMade);
  const left = made.filter((object) => router.afterDeletion(canary, object) === 'stays');

  it('leaves the routes that serve an edge, and no others', () => {
    expect(left.map(({ kind }) => kind)).toEqual(stays);
    expect(made.filter((object) => !left.includes(object)).every((object) => router.afterDeletion(canary, object) === 'goes')).toBe(true);
  });

  it('objects that it leaves lead to the apex Service, and are written and not removed', () => {
    const { write, remove } = router.finalize(canary, [...inPlace(provider), ...made]);
    const written = write.filter((object) => left.some((one) => refKey(refOf(one)) === refKey(refOf(object))));
    expect(written).toHaveLength(left.length);
    expect(written.every((object) => router.afterDeletion(canary, object) === 'stays')).toBe(true);
    expect(left.map((object) => refKey(refOf(object))).filter((key) => remove.map(refKey).includes(key))).toEqual([]);
  });

  it('a spec of any shape does not hold it up', () => {
    for (const spec of [undefined, {}, { gateways: 'x', hosts: 7, parentRefs: null }, { parentRefs: [null] }])
      for (const object of made) expect(() => router.afterDeletion(canary, { ...object, spec } as KubeObject)).not.toThrow();
  });
});

describe.each(withObjects)('routers with objects: $provider', ({ provider, router }) => {
  it('reads nothing from nothing, and reports the defect of a foreign object', () => {
    const canary = canaryFor(provider, allToPrimary);
    expect(router.readRoutes(canary, [])).toBeUndefined();
    const { foreignSpec, foreignMetadata, holdsRoutes } = caseOf(provider);
    const all = held(provider, router.render(canary, anApex, allToPrimary, inPlace(provider)).write);
    const own = holdsRoutes ? all.find(holdsRoutes) : all.at(-1);
    const rest = all.filter((object) => object !== own);
    if (!own) throw new Error('nothing is written');
    const foreign = { ...own, metadata: { ...own.metadata, ...foreignMetadata }, ...(foreignSpec && { spec: foreignSpec }) };
    expect(router.readRoutes(canary, [...rest, foreign])).toEqual({ unreadable: expect.stringContaining('shop') });
  });

  it('a foreign label or annotation changes neither the written nor the read routes', () => {
    const canary = canaryFor(provider, sticky);
    const routes: Routes = { kind: 'weighted', canary: weight(35) };
    const clean = router.render(canary, anApex, routes, inPlace(provider));
    const written = clean.write.map((object) => refKey(refOf(object)));
    const touch = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, labels: { argocd: 'x' }, annotations: { ...object.metadata.annotations, foreign: 'y' } },
    });
    // Copied objects follow the user's; written ones are not touched by others.
    const touched = held(provider, clean.write).map((object) => (written.includes(refKey(refOf(object))) ? touch(object) : object));
    expect(router.render(canary, anApex, routes, touched)).toEqual(clean);
    expect(router.readRoutes(canary, touched)).toEqual(routes);
  });

  it('an A/B condition is part of every rule that can reach the canary', () => {
    if (!router.supports.headerMatch) return;
    const isConditioned = caseOf(provider).isConditioned;
    if (!isConditioned) throw new Error('its case lacks isConditioned');
    const { write } = router.render(canaryFor(provider, matched), anApex, matched, inPlace(provider));
    expect(isConditioned(write)).toBe(true);
  });
});
