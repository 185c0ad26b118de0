import { describe, expect, it } from 'vitest';
import { aCanary, anApex, asMade } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../api/routes.ts';
import { RoutingError } from '../routing-error.ts';
import { expressibleConditions, serviceConditions } from './conditions.ts';
import { contour } from './router.ts';

const router = contour();
const proxy = (routes: object[]): KubeObject => ({
  apiVersion: 'projectcontour.io/v1',
  kind: 'HTTPProxy',
  metadata: { name: 'shop', namespace: 'prod', annotations: { [ownerAnnotation]: 'c-1' } },
  spec: { routes },
});
const to = (primary: number | undefined, share: number | undefined) => [
  { name: 'shop-primary', port: 8080, ...(primary === undefined ? {} : { weight: primary }) },
  { name: 'shop-canary', port: 8080, ...(share === undefined ? {} : { weight: share }) },
];
const read = (routes: object[], canary = aCanary()) => router.readRoutes(canary, [proxy(routes)]);
const render = (routes: Routes, canary = aCanary()) => raw(router.render(canary, anApex, routes, []).write[0])?.spec.routes;
const insider = { header: { name: 'x-user', exact: 'insider' } };
const matched = (...match: HttpMatch[]): Routes => ({ kind: 'matched', match });

describe('objects of Flagger', () => {
  it.each([
    { what: 'a zero that is left out', routes: [{ conditions: [{ prefix: '/' }], services: to(100, undefined) }], expected: allToPrimary },
    {
      what: 'all to the canary',
      routes: [{ conditions: [{ prefix: '/' }], services: to(undefined, 100) }],
      expected: { kind: 'weighted', canary: 100 },
    },
    { what: 'a share', routes: [{ services: to(70, 30) }], expected: { kind: 'weighted', canary: 30 } },
    {
      what: 'a share of the requests with a header, where there are no others',
      routes: [{ conditions: [insider], services: to(70, 30) }],
      expected: { kind: 'weighted', canary: 30 },
    },
    {
      what: 'A/B in progress, path and header in one condition',
      routes: [
        { conditions: [{ prefix: '/', header: { name: 'x-user', exact: 'insider' } }], services: to(undefined, 100) },
        { conditions: [{ prefix: '/' }], services: to(100, undefined) },
      ],
      expected: { kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' } } }] },
    },
    {
      what: 'A/B by a part of a header',
      routes: [
        { conditions: [{ prefix: '/', header: { name: 'cookie', contains: 'a.b' } }], services: to(50, 50) },
        { conditions: [{ prefix: '/' }], services: to(100, undefined) },
      ],
      expected: { kind: 'weighted', canary: 50, match: [{ headers: { cookie: { regex: '.*a\\.b.*' } } }] },
    },
    {
      what: 'A/B, idle',
      routes: [
        { conditions: [{ prefix: '/', header: { name: 'x-user', exact: 'insider' } }], services: to(100, undefined) },
        { conditions: [{ prefix: '/' }], services: to(100, undefined) },
      ],
      expected: allToPrimary,
    },
  ])('reads $what', ({ routes, expected }) => expect(read(routes)).toEqual(expected));

  it.each([
    { what: 'no weight at all, which Contour spreads evenly', routes: [{ services: to(undefined, undefined) }] },
    { what: 'a sum of 110', routes: [{ services: to(70, 40) }] },
    { what: 'a foreign service', routes: [{ services: [...to(70, 30), { name: 'other', weight: 10 }] }] },
    { what: 'an A/B condition without a header', routes: [{ services: to(0, 100) }, { services: to(100, 0) }] },
    {
      what: 'an A/B condition beside one that holds for every request',
      routes: [{ conditions: [insider], services: to(0, 100) }, { services: to(0, 100) }, { services: to(100, 0) }],
    },
    {
      what: 'an A/B condition beside one that cannot be read',
      routes: [
        { conditions: [insider], services: to(0, 100) },
        { conditions: [{ header: { name: 'a', notexact: 'b' } }], services: to(0, 100) },
        { services: to(100, 0) },
      ],
    },
    { what: 'two weights', routes: [{ services: to(70, 30) }, { services: to(60, 40) }] },
    { what: 'only the primary', routes: [{ services: to(100, 0).slice(0, 1) }] },
    { what: 'a mirror beside weight', routes: [{ services: [...to(70, 30), { name: 'shop-canary', mirror: true }] }] },
    { what: 'no services', routes: [{}] },
    { what: 'no routes', routes: [] },
  ])('never invents routes from $what', ({ routes }) =>
    expect(read(routes)).toEqual({ unreadable: expect.stringContaining('HTTPProxy shop') }),
  );

  it('a mirror of weight 0 is one of all requests, as for Contour', () => {
    const services = [
      { name: 'shop-primary', weight: 100 },
      { name: 'shop-canary', mirror: true },
    ];
    expect(read([{ services }])).toEqual({ kind: 'mirrored', share: 100 });
    expect(() => render({ kind: 'mirrored', share: weight(0) })).toThrow(RoutingError);
  });
});

describe('A/B', () => {
  it('reads its own condition after the spec has moved on', () => {
    const match: HttpMatch[] = [
      { headers: { a: { exact: 'x' }, b: { prefix: 'y.' } }, queryParams: { q: { suffix: 'z' } } },
      { headers: { c: { regex: 'v+' } } },
    ];
    for (const service of [{}, { match: [{ uri: { prefix: '/api' } }, { headers: { t: { exact: '1' } } }] }])
      expect(
        read(render(matched(...match), aCanary({ service })), aCanary({ analysis: { match: [{ headers: { other: { exact: '' } } }] } })),
      ).toEqual(matched(...match));
  });

  it('a block has one path, and one exact value a header', () => {
    const canary = aCanary({ service: { match: [{ uri: { exact: '/b' }, headers: { 'X-User': { exact: 'a' } } }] } });
    const [within] = render(matched({ headers: { 'x-user': { exact: 'a.b' } } }), canary);
    expect(within.conditions).toEqual([
      { header: { name: 'x-user', regex: 'a\\.b' } },
      { header: { name: 'X-User', exact: 'a' } },
      { exact: '/b' },
    ]);
  });

  it('the order of headers in the spec makes no difference', () => {
    const one = matched({ headers: { a: { exact: 'x' }, b: { exact: 'y' } } });
    const other = matched({ headers: { b: { exact: 'y' }, a: { exact: 'x' } } });
    expect(render(one)).toEqual(render(other));
  });

  it('a segment that is all of the service leaves no route of the same conditions for the others', () => {
    const canary = aCanary({ service: { match: [{ headers: { x: { exact: 'y' } } }] } });
    expect(render(matched({ headers: { x: { exact: 'y' } } }), canary)).toHaveLength(1);
  });
});

describe('specs that cannot be expressed', () => {
  it.each([
    { spec: { service: { match: [{ method: { exact: 'GET' } }] } }, says: 'service.match[0].method' },
    { spec: { service: { match: [{ uri: { suffix: '/x' } }] } }, says: 'service.match[0].uri.suffix' },
    { spec: { service: { match: [{ uri: { prefix: 'x' } }] } }, says: 'service.match[0].uri.prefix' },
    { spec: { service: { match: [{ headers: { a: { regex: '(?!x)' } } }] } }, says: 'service.match[0].headers["a"].regex looks ahead' },
    { spec: { service: { timeout: '1d' } }, says: 'service.timeout is 1d' },
    {
      spec: { service: { retries: { retryOn: '5xx,unheard' } } },
      says: 'service.retries.retryOn has unheard, which Contour does not know',
    },
    { spec: { analysis: { match: [{ sourceLabels: { app: 'x' } }] } }, says: 'analysis.match[0].sourceLabels' },
    { spec: { analysis: { match: [{ headers: { a: { regex: '(x)\\1' } } }] } }, says: 'refers back' },
    { spec: { analysis: { match: [{ headers: { a: { regex: '(' } } }] } }, says: 'is not a regular expression' },
    { spec: { analysis: { match: [{ headers: { a: { exact: 'x' } } }, {}] } }, says: 'analysis.match[1] names no header' },
  ])('$says is refused before anything moves, and traffic can still be routed to the primary', ({ spec, says }) => {
    const canary = aCanary(spec);
    expect(router.refuses?.(canary)?.message).toContain(says);
    expect(render(allToPrimary, canary)[0].services).toHaveLength(2);
    expect(router.refuses?.(aCanary())).toBeUndefined();
  });

  it.each([
    { attempts: -1, meaning: 'none', count: -1 },
    { attempts: 0, meaning: 'what Contour takes for one', count: 0 },
    { attempts: undefined, meaning: 'one', count: 1 },
  ])('retries.attempts $attempts means $meaning and is accepted', ({ attempts, count }) => {
    const canary = aCanary({ service: { retries: attempts === undefined ? {} : { attempts } } });
    expect(router.refuses?.(canary)).toBeUndefined();
    expect(render({ kind: 'weighted', canary: weight(30) }, canary)[0].retryPolicy).toEqual({ count });
  });

  it('fewer retries than none are refused before anything moves, and mean no retries when traffic is routed to the primary', () => {
    const canary = aCanary({ service: { retries: { attempts: -2 } } });
    expect(router.refuses?.(canary)?.message).toContain('service.retries.attempts is below -1');
    expect(render(allToPrimary, canary)[0].retryPolicy).toEqual({ count: -1 });
  });

  it('the expressible part is the same when traffic is routed to the primary', () => {
    const entries = [
      { uri: { regex: '/a+' }, headers: { A: { exact: '1' }, a: { exact: '2' }, b: { prefix: '' } }, queryParams: { q: { exact: '' } } },
      { headers: {} },
    ];
    expect(expressibleConditions(entries)).toEqual(serviceConditions(entries));
  });
});

it('--ingress-class is written to the HTTPProxy, also to the HTTPProxy that deletion leaves behind', () => {
  const own = contour('public');
  const [written] = own.render(aCanary(), anApex, allToPrimary, []).write;
  expect(raw(written)?.spec.ingressClassName).toBe('public');
  const [left] = own.finalize(aCanary(), written ? [asMade(written)] : []).write;
  expect(left?.spec).toMatchObject({ ingressClassName: 'public', routes: [{ services: [{ name: 'shop', weight: 100 }] }] });
});

describe("Contour's status of the HTTPProxy", () => {
  const said = (generation: number | undefined, status: object): KubeObject => ({
    ...proxy([]),
    metadata: { name: 'shop', namespace: 'prod', ...(generation === undefined ? {} : { generation }) },
    status,
  });
  const invalid = (observedGeneration?: number) => ({
    currentStatus: 'invalid',
    conditions: [
      { type: 'Valid', status: 'False', observedGeneration, errors: [{ reason: 'ServiceUnresolvedReference', message: 'no shop-canary' }] },
    ],
  });

  it('an invalid one is not in force, and the reason is reported', () => {
    expect(router.isInForce?.(aCanary(), [said(2, invalid(2))])).toBe(false);
    expect(router.rejection?.(aCanary(), [said(2, invalid(2))])).toMatchObject({
      object: { kind: 'HTTPProxy', name: 'shop' },
      detail: 'Contour says that HTTPProxy shop is invalid (ServiceUnresolvedReference: no shop-canary)',
    });
  });

  it.each([
    { what: 'an earlier version', found: said(3, invalid(2)) },
    { what: 'no version', found: said(3, invalid()) },
    { what: 'one that no root includes', found: said(2, { ...invalid(2), currentStatus: 'orphaned' }) },
    { what: 'a valid one', found: said(2, { currentStatus: 'valid' }) },
    { what: 'nothing', found: said(undefined, {}) },
  ])('of $what holds nothing up', ({ found }) => expect(router.isInForce?.(aCanary(), [found])).toBe(true));
});
