import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../api/routes.ts';
import { routerFor } from '../index.ts';
import { defaultAnnotationsPrefix, nginx } from './router.ts';

const ref = { ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'web' } };
const router = nginx();
const share = (canary: number): Routes => ({ kind: 'weighted', canary: weight(canary) });

function anIngress(name: string, service: string, annotations?: Labels): KubeObject {
  const backend = { service: { name: service, port: { number: 8080 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'prod', ...(annotations && { annotations }) },
    spec: { rules: [{ host: 'shop.example.org', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
  };
}
const source = anIngress('web', 'shop');
const copyWith = (rules: Labels) =>
  anIngress(
    'web-canary',
    'shop-canary',
    Object.fromEntries(Object.entries(rules).map(([k, v]) => [`${defaultAnnotationsPrefix}/${k}`, v])),
  );
const annotationsOf = (routes: Routes, prefix?: string, current = [source]) => {
  const [copy] = nginx(prefix).render(aCanary(ref), anApex, routes, current).write;
  return Object.entries(copy?.metadata.annotations ?? {}).filter(([key]) => key.includes('/canary'));
};
const rejection = (match: HttpMatch[], analysis: object = { iterations: 5 }) =>
  router.refuses?.(aCanary({ ...ref, analysis: { ...analysis, match } }))?.message;

describe('written annotations', () => {
  it('a custom prefix; 50 and then 0 of 100', () => {
    const prefix = 'custom.ingress.kubernetes.io';
    expect(annotationsOf(share(50), prefix)).toEqual([
      [`${prefix}/canary`, 'true'],
      [`${prefix}/canary-weight`, '50'],
    ]);
    expect(annotationsOf(share(0), prefix)).toEqual([
      [`${prefix}/canary`, 'true'],
      [`${prefix}/canary-weight`, '0'],
    ]);
    const found = routerFor('nginx', { ingressAnnotationsPrefix: prefix });
    if ('unsupported' in found) throw new Error(found.unsupported);
    expect(JSON.stringify(found.render(aCanary(ref), anApex, share(50), [source]).write)).toContain(`"${prefix}/canary-weight":"50"`);
  });

  it.each([
    { match: { 'x-user': { exact: 'insider' } }, rules: { 'canary-by-header': 'x-user', 'canary-by-header-value': 'insider' } },
    { match: { 'x-user': { regex: 'in.*' } }, rules: { 'canary-by-header': 'x-user', 'canary-by-header-pattern': 'in.*' } },
    { match: { cookie: { exact: 'canary' } }, rules: { 'canary-by-cookie': 'canary' } },
    { match: { Cookie: { exact: 'canary' } }, rules: { 'canary-by-cookie': 'canary' } },
  ])('$match is written as $rules', ({ match, rules }) => {
    const written = Object.fromEntries(annotationsOf({ kind: 'matched', match: [{ headers: match }] }));
    const expected = { canary: 'true', 'canary-weight': '0', ...rules };
    expect(written).toEqual(
      Object.fromEntries(Object.entries(expected).map(([key, value]) => [`${defaultAnnotationsPrefix}/${key}`, value])),
    );
  });

  it('a condition that is over leaves nothing that ingress-nginx reads', () => {
    const before = copyWith({ canary: 'true', 'canary-weight': '0', 'canary-by-header': 'x', 'canary-by-header-value': 'y' });
    const [copy] = router.render(aCanary(ref), anApex, share(20), [source, before]).write;
    if (!copy) throw new Error('nothing is written');
    expect(copy.metadata.annotations).toMatchObject({ [`${defaultAnnotationsPrefix}/canary-by-header`]: '' });
    expect(router.readRoutes(aCanary(ref), [copy])).toEqual(share(20));
  });
});

describe('refused conditions', () => {
  it.each([
    { why: 'two headers together', match: [{ headers: { a: { exact: 'x' }, b: { exact: 'y' } } }], says: 'match[0] has 2 headers' },
    { why: 'a query parameter', match: [{ headers: { a: { exact: 'x' } }, queryParams: { q: { exact: '1' } } }], says: 'queryParams' },
    {
      why: 'a header and a cookie together, of which ingress-nginx would take either',
      match: [{ headers: { a: { exact: 'x' }, cookie: { exact: 'c' } } }],
      says: 'match[0] has 2 headers',
    },
    { why: 'an entry that says nothing beside another', match: [{ headers: { a: { exact: 'x' } } }, {}], says: 'match[1] names no header' },
    { why: 'labels of the client', match: [{ sourceLabels: { app: 'x' } }], says: 'sourceLabels' },
    { why: 'a value that the annotation parser drops', match: [{ headers: { a: { exact: 'x;y' } } }], says: 'headers.a' },
    {
      why: 'a pattern that cannot be compiled',
      match: [{ headers: { a: { regex: '(x' } } }],
      says: 'headers.a.regex cannot be compiled as PCRE',
    },
    { why: 'a cookie with a value', match: [{ headers: { cookie: { exact: 'canary=always' } } }], says: 'headers.cookie.exact' },
  ])('$why', ({ match, says }) => expect(rejection(match)).toContain(says));

  it('a share of matching requests, since ingress-nginx adds the share of all others to them', () => {
    const match = [{ headers: { a: { exact: 'x' } } }];
    expect(rejection(match, { stepWeight: 10 })).toContain('analysis.iterations');
    expect(() => router.render(aCanary(ref), anApex, { kind: 'weighted', canary: weight(10), match }, [source])).toThrow('share');
    expect(rejection(match)).toBeUndefined();
  });
});

describe('alternatives beyond one header and one cookie', () => {
  const a = { headers: { a: { exact: 'x' } } };
  const b = { headers: { b: { regex: '^y' } } };
  const both = { headers: { a: { exact: 'x' }, b: { exact: 'y' } } };
  const cookie = { headers: { cookie: { exact: 'c' } } };
  const cookieRegex = { headers: { cookie: { regex: 'c=1' } } };
  const byA = { 'canary-by-header': 'a', 'canary-by-header-value': 'x' };
  const byB = { 'canary-by-header': 'b', 'canary-by-header-pattern': '^y' };
  const byC = { 'canary-by-cookie': 'c' };

  it.each<{ what: string; match: HttpMatch[]; rules: Labels; idle: Record<string, RegExp> }>([
    { what: 'nothing is left out', match: [a, cookie], rules: { ...byA, ...byC }, idle: {} },
    { what: 'the last header counts', match: [a, b], rules: byB, idle: { 'match[0]': /one header, and analysis\.match\[1\] is written/ } },
    { what: 'the last header counts', match: [b, a, cookie], rules: { ...byA, ...byC }, idle: { 'match[0]': /one header/ } },
    {
      what: 'the last cookie counts',
      match: [{ headers: { cookie: { exact: 'd' } } }, cookie],
      rules: byC,
      idle: { 'match[0]': /one cookie/ },
    },
    {
      what: 'a header counts before a pattern of Cookie',
      match: [a, cookieRegex],
      rules: byA,
      idle: { 'match[1]': /match\[0\] is written/ },
    },
    { what: 'headers together are left out whole', match: [both, b], rules: byB, idle: { 'match[0]': /2 headers/ } },
    { what: 'headers together are left out whole', match: [cookie, both], rules: byC, idle: { 'match[1]': /2 headers/ } },
    {
      what: 'a query parameter is left out whole',
      match: [{ ...a, queryParams: { q: { exact: '1' } } }, cookie],
      rules: byC,
      idle: { 'match[0]': /queryParams/ },
    },
  ])('DF88: $what: $match', ({ match, rules, idle }) => {
    const canary = aCanary({ ...ref, analysis: { iterations: 5, match } });
    expect(router.refuses?.(canary)).toBeUndefined();
    const written = annotationsOf({ kind: 'matched', match });
    const expected = Object.entries({ canary: 'true', 'canary-weight': '0', ...rules });
    expect(Object.fromEntries(written)).toEqual(
      Object.fromEntries(expected.map(([key, value]) => [`${defaultAnnotationsPrefix}/${key}`, value])),
    );
    const found = router.ignores?.(canary) ?? [];
    expect(found.map(({ path }) => path)).toEqual(Object.keys(idle).map((path) => `spec.analysis.${path}`));
    for (const [index, why] of Object.values(idle).entries())
      expect(found[index]).toMatchObject({ isIgnored: true, message: expect.stringMatching(why) });
    const [copy] = router.render(canary, anApex, { kind: 'matched', match }, [source]).write;
    expect(copy && router.readRoutes(canary, [copy])).toEqual({ kind: 'matched', match });
  });

  it('DF88: the users of any match are users that it requires', () => {
    const conditions: HttpMatch[] = [a, b, both, cookie, cookieRegex, {}, { queryParams: { q: { exact: '1' } } }];
    const matches = conditions.flatMap((one) => [[one], ...conditions.flatMap((two) => conditions.map((three) => [one, two, three]))]);
    for (const match of matches) {
      const canary = aCanary({ ...ref, analysis: { iterations: 5, match } });
      if (router.refuses?.(canary) !== undefined) continue;
      const written = Object.fromEntries(annotationsOf({ kind: 'matched', match }));
      const by = (name: string) => written[`${defaultAnnotationsPrefix}/canary-by-${name}`];
      const asked = match.filter(({ queryParams }) => queryParams === undefined);
      const isAskedAlone = (name: string) => asked.some(({ headers = {} }) => Object.keys(headers).join() === name);
      expect(
        [by('header'), by('cookie') && 'cookie'].every((name) => name === undefined || isAskedAlone(name)),
        JSON.stringify(match),
      ).toBe(true);
      expect(by('header') ?? by('cookie'), JSON.stringify(match)).toBeDefined();
    }
  });
});

describe('reading routes', () => {
  it.each([
    { rules: { canary: 'true' }, routes: allToPrimary },
    { rules: { canary: 'true', 'canary-weight': '300', 'canary-weight-total': '1000' }, routes: share(30) },
    { rules: { canary: 'true', 'canary-by-header': 'x' }, routes: { kind: 'matched', match: [{ headers: { x: { exact: 'always' } } }] } },
    {
      rules: { canary: 'true', 'canary-weight': '0', 'canary-by-header': 'x', 'canary-by-header-pattern': '^a', 'canary-by-cookie': 'c' },
      routes: { kind: 'matched', match: [{ headers: { x: { regex: '^a' } } }, { headers: { cookie: { exact: 'c' } } }] },
    },
  ])('$rules', ({ rules, routes }) => expect(router.readRoutes(aCanary(ref), [copyWith(rules)])).toEqual(routes));

  it.each([
    { why: 'no mark', rules: { 'canary-weight': '30' } },
    { why: 'a weight that is not a number', rules: { canary: 'true', 'canary-weight': 'half' } },
    { why: 'a weight beyond all', rules: { canary: 'true', 'canary-weight': '120' } },
    { why: 'a part of a percent', rules: { canary: 'true', 'canary-weight': '5', 'canary-weight-total': '1000' } },
    { why: 'a share and a condition', rules: { canary: 'true', 'canary-weight': '5', 'canary-by-cookie': 'c' } },
  ])('$why is unreadable', ({ rules }) =>
    expect(router.readRoutes(aCanary(ref), [copyWith(rules)])).toEqual({ unreadable: expect.stringContaining('web-canary') }),
  );
});

describe('nothing crashes', () => {
  it('on an Ingress without rules, annotations or http', () => {
    const bare: KubeObject = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web', namespace: 'prod' } };
    for (const spec of [undefined, {}, { rules: [{ host: 'a' }] }, { rules: [{ http: {} }] }])
      expect(() => router.render(aCanary(ref), anApex, share(10), [{ ...bare, spec }])).toThrow(
        'no path of Ingress web leads to Service shop',
      );
  });

  it('without ingressRef', () => {
    const canary = aCanary();
    expect(router.watches(canary)).toEqual([]);
    expect(router.readRoutes(canary, [])).toBeUndefined();
    expect(router.finalize(canary, [])).toEqual({ write: [], remove: [] });
    expect(() => router.render(canary, anApex, share(10), [])).toThrow('spec.ingressRef');
  });

  it('a release is rolled back although the Ingress and its copy are gone, and a first initialization names the missing object', () => {
    const begun = aCanary(ref);
    begun.status = { phase: 'Progressing', failedChecks: 0, canaryWeight: 0, iterations: 0 };
    expect(router.render(begun, anApex, allToPrimary, [])).toEqual({ write: [], remove: [] });
    expect(() => router.render(begun, anApex, share(10), [])).toThrow('Ingress web is not found');
    expect(() => router.render(aCanary(ref), anApex, allToPrimary, [])).toThrow('Ingress web is not found');
  });
  it('E96: a copy gets no more traffic once no path of the Ingress leads to the apex, and is set back to 0', () => {
    const current = [anIngress('web', 'elsewhere'), anIngress('web-canary', 'shop-canary')];
    expect(() => router.render(aCanary(ref), anApex, share(50), current)).toThrow('no path of Ingress web leads to Service');
    expect(router.render(aCanary(ref), anApex, allToPrimary, current).write).toHaveLength(1);
  });
});
