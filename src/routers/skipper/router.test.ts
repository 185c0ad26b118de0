import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../api/routes.ts';
import { splitPredicates } from './predicates.ts';
import { skipper } from './router.ts';

const canary = aCanary({ ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'web' } });
const share = (percent: number): Routes => ({ kind: 'weighted', canary: weight(percent) });
const beta: HttpMatch[] = [{ headers: { 'x-user': { exact: 'insider' } } }];

function anIngress(name: string, services: readonly string[], annotations?: Labels): KubeObject {
  const paths = services.map((service) => ({
    path: '/',
    pathType: 'Prefix',
    backend: { service: { name: service, port: { number: 80 } } },
  }));
  const metadata = { name, namespace: 'prod', ...(annotations && { annotations }) };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata,
    spec: { rules: [{ host: 'shop.example.org', http: { paths } }] },
  };
}
const sourceWith = (predicate: string) => anIngress('web', ['shop'], { 'zalando.org/skipper-predicate': predicate });
const copyWith = (weights: object | string, predicate: string) =>
  anIngress('web-canary', ['shop-primary', 'shop-canary'], {
    'zalando.org/backend-weights': typeof weights === 'string' ? weights : JSON.stringify(weights),
    'zalando.org/skipper-predicate': predicate,
  });
const predicateOf = (routes: Routes, source: KubeObject) =>
  skipper.render(canary, anApex, routes, [source]).write[0]?.metadata.annotations?.['zalando.org/skipper-predicate'];

describe('predicates', () => {
  it('30 and then 0 on an Ingress with Host(/x/)', () => {
    expect(predicateOf(share(30), sourceWith('Host(/x/)'))).toBe('Weight(100) && Host(/x/)');
    expect(predicateOf(share(0), sourceWith('Host(/x/)'))).toBe('False() && Host(/x/)');
  });

  it('Weight(100) on the Ingress of the user occurs once, first', () => {
    expect(predicateOf(share(30), sourceWith('Weight(100) && Host(/x/)'))).toBe('Weight(100) && Host(/x/)');
  });

  it.each([
    { text: 'A() && B("a && b")', parts: ['A()', 'B("a && b")'] },
    { text: 'Path("/x") && Host(/a\\/&&b/)&&C(`"&&`)', parts: ['Path("/x")', 'Host(/a\\/&&b/)', 'C(`"&&`)'] },
    { text: 'A("\\"&&")', parts: ['A("\\"&&")'] },
    { text: ' ', parts: [] },
  ])('$text is split into $parts', ({ text, parts }) => expect(splitPredicates(text)).toEqual(parts));
});

describe('conditions that Skipper refuses', () => {
  const rejection = (match: HttpMatch[]) => skipper.refuses?.(aCanary({ ...canary.spec, analysis: { iterations: 5, match } }))?.message;
  it.each([
    { why: 'either of two entries', match: [...beta, { headers: { a: { exact: 'b' } } }], says: 'more than one entry' },
    { why: 'labels of the client', match: [{ ...beta[0], sourceLabels: { app: 'x' } }], says: 'analysis.match[0].sourceLabels' },
    {
      why: 'a look ahead, which RE2 has not',
      match: [{ headers: { a: { regex: '(?!b)' } } }],
      says: 'headers.a.regex cannot be compiled as RE2',
    },
    {
      why: 'a look behind in a query',
      match: [{ queryParams: { a: { regex: '(?<=b)' } } }],
      says: 'queryParams.a.regex cannot be compiled as RE2',
    },
    { why: 'nothing', match: [{ headers: {} }], says: 'every request' },
  ])('$why', ({ match, says }) => expect(rejection(match)).toContain(says));

  it('a path that is shared with another Service, while the canary has a share', () => {
    const shared = anIngress('web', ['shop', 'other']);
    expect(() => skipper.render(canary, anApex, share(10), [shared])).toThrow('shares path /');
    expect(skipper.render(canary, anApex, allToPrimary, [shared]).write).toHaveLength(1);
  });
});

describe('reading routes', () => {
  it.each([
    { weights: { 'shop-canary': 30, 'shop-primary': 70 }, predicate: 'Weight(100)', routes: share(30) },
    { weights: { 'shop-canary': 0, 'shop-primary': 100 }, predicate: 'False()', routes: allToPrimary },
    { weights: { 'shop-canary': 0, 'shop-primary': 100 }, predicate: 'Weight(100)', routes: allToPrimary },
    {
      weights: { 'shop-canary': 100, 'shop-primary': 0 },
      predicate: 'Weight(100) && Header("x-user", "insider")',
      routes: { kind: 'matched', match: beta },
    },
  ])('$weights with $predicate', ({ weights, predicate, routes }) =>
    expect(skipper.readRoutes(canary, [copyWith(weights, predicate)])).toEqual(routes),
  );

  it.each([
    { why: 'no name of the primary', copy: copyWith({ 'shop-canary': 30 }, 'Weight(100)') },
    { why: 'no JSON', copy: copyWith('half', 'Weight(100)') },
    { why: 'a fraction', copy: copyWith({ 'shop-canary': 0.3, 'shop-primary': 99.7 }, 'Weight(100)') },
    { why: 'another sum', copy: copyWith({ 'shop-canary': 30, 'shop-primary': 30 }, 'Weight(100)') },
    { why: 'a share that is taken out', copy: copyWith({ 'shop-canary': 30, 'shop-primary': 70 }, 'False()') },
    { why: 'a foreign predicate', copy: copyWith({ 'shop-canary': 30, 'shop-primary': 70 }, 'Weight(100) && Between(1, 2)') },
    { why: 'no path to the canary', copy: { ...anIngress('web-canary', ['shop-primary'], copyWith({}, '').metadata.annotations) } },
  ])('$why is unreadable', ({ copy }) =>
    expect(skipper.readRoutes(canary, [copy])).toEqual({ unreadable: expect.stringContaining('web-canary') }),
  );
});

describe('nothing crashes', () => {
  it('on an Ingress without annotations, rules or http, or without ingressRef', () => {
    const bare = anIngress('web', []);
    for (const spec of [undefined, {}, { rules: [{ host: 'a' }] }, { rules: [{ http: {} }] }])
      expect(() => skipper.render(canary, anApex, share(10), [{ ...bare, spec }])).toThrow('no path of Ingress web leads to Service shop');
    expect(skipper.watches(aCanary())).toEqual([]);
    expect(skipper.finalize(aCanary(), [])).toEqual({ write: [], remove: [] });
  });

  it('the copy goes back though the Ingress of the user is gone, with its paths', () => {
    const copy = copyWith({ 'shop-canary': 30, 'shop-primary': 70 }, 'Weight(100)');
    const [written] = skipper.render(canary, anApex, allToPrimary, [copy]).write;
    expect(written?.spec).toEqual(copy.spec);
    expect(written?.metadata.annotations).toMatchObject({ 'zalando.org/skipper-predicate': 'False()' });
  });
});
