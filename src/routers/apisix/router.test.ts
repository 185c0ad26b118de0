import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../api/routes.ts';
import { apisix } from './router.ts';
import type { RawRule } from './rules.ts';

const canary = aCanary({ routeRef: { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name: 'web' } });
const share = (percent: number): Routes => ({ kind: 'weighted', canary: weight(percent) });
const beta: HttpMatch[] = [{ headers: { 'x-user': { exact: 'insider' } } }];
const matched: Routes = { kind: 'matched', match: beta };

const aRoute = (name: string, http: unknown): KubeObject => ({
  apiVersion: 'apisix.apache.org/v2',
  kind: 'ApisixRoute',
  metadata: { name, namespace: 'prod' },
  spec: { http },
});
const rule = (...backends: [string, number?][]): RawRule => ({
  name: 'main',
  match: { paths: ['/*'] },
  backends: backends.map(([serviceName, share]) => ({ serviceName, servicePort: 80, ...(share === undefined ? {} : { weight: share }) })),
});
const source = aRoute('web', [rule(['shop'])]);
const copyOf = (...rules: RawRule[]) => aRoute('web-shop-canary', rules);
const copy = copyOf(rule(['shop-primary', 70], ['shop-canary', 30]));

it('name, priority and both backends', () => {
  const [written] = apisix.render(canary, anApex, share(30), [source]).write;
  expect(written?.metadata.name).toBe('web-shop-canary');
  expect(raw(written)?.spec.http).toMatchObject([{ name: 'main', priority: 10000, backends: [{ weight: 70 }, { weight: 30 }] }]);
});

it('the name of the second route can have as many characters as Kubernetes takes, and no more', () => {
  const named = (length: number) => apisix.refuses?.(aCanary({ routeRef: { ...canary.spec.routeRef, name: 'w'.repeat(length) } }))?.message;
  const added = '-shop-canary'.length;
  expect(named(253 - added)).toBeUndefined();
  expect(named(254 - added)).toContain('are too long together');
});

describe('conditions that APISIX refuses', () => {
  const rejection = (match: HttpMatch[]) => apisix.refuses?.(aCanary({ ...canary.spec, analysis: { iterations: 5, match } }))?.message;
  it.each([
    { why: 'labels of the client', match: [{ ...beta[0], sourceLabels: { app: 'x' } }], says: 'sourceLabels' },
    { why: 'an entry that says nothing', match: [...beta, {}], says: 'match[1]' },
    {
      why: 'a regex that cannot be compiled',
      match: [{ headers: { a: { regex: '[b' } } }],
      says: 'headers.a.regex cannot be compiled as PCRE',
    },
  ])('$why', ({ match, says }) => expect(rejection(match)).toContain(says));

  it('a rule that the application shares with others, while the canary has a share', () => {
    const shared = aRoute('web', [rule(['shop']), { ...rule(['shop'], ['other']), name: 'both' }]);
    expect(() => apisix.render(canary, anApex, share(10), [shared])).toThrow('rule both');
    expect(raw(apisix.render(canary, anApex, allToPrimary, [shared]).write[0])?.spec.http).toHaveLength(1);
    const external = aRoute('web', [{ ...rule(['shop']), upstreams: [{ name: 'outside' }] }]);
    expect(() => apisix.render(canary, anApex, share(10), [external])).toThrow('as its only backend');
  });
});

describe('reading routes', () => {
  it('both weights, of every rule', () => {
    expect(apisix.readRoutes(canary, [source, copy])).toEqual(share(30));
    const two = copyOf(rule(['shop-primary', 70], ['shop-canary', 30]), {
      ...rule(['shop-primary', 70], ['shop-canary', 30]),
      name: 'api',
    });
    expect(apisix.readRoutes(canary, [source, two])).toEqual(share(30));
  });

  const odd = rule(['shop-primary', 0], ['shop-canary', 100]);
  it.each([
    { why: 'no rule', copy: copyOf() },
    { why: 'one backend', copy: copyOf(rule(['shop-primary', 70])) },
    { why: 'a third backend', copy: copyOf(rule(['shop-primary', 70], ['shop-canary', 30], ['other', 1])) },
    { why: 'no weights, which counts as 100 each', copy: copyOf(rule(['shop-primary'], ['shop-canary'])) },
    { why: 'a negative weight', copy: copyOf(rule(['shop-primary', -50], ['shop-canary', 150])) },
    { why: 'rules that differ', copy: copyOf(rule(['shop-primary', 70], ['shop-canary', 30]), { ...odd, name: 'api' }) },
    {
      why: 'a condition that no entry can say',
      copy: copyOf({ ...odd, match: { paths: ['/*'], exprs: [{ subject: { scope: 'Header', name: 'a' }, op: 'NotEqual', value: 'b' }] } }),
    },
    {
      why: 'a condition on one rule of two',
      copy: copyOf(
        { ...odd, name: 'main-ab-0' },
        { ...odd, name: 'main-ab-1', match: { exprs: [{ subject: { scope: 'Header', name: 'a' }, op: 'Equal', value: 'b' }] } },
      ),
    },
  ])('$why is unreadable', ({ copy }) =>
    expect(apisix.readRoutes(canary, [source, copy])).toEqual({ unreadable: expect.stringContaining('web-shop-canary') }),
  );
});

describe('nothing crashes, and traffic can still be routed to the primary', () => {
  it('on a route without rules, backends or weights, or without routeRef', () => {
    for (const http of [undefined, [], [{ name: 'main' }], [{ name: 'main', backends: [] }]])
      expect(() => apisix.render(canary, anApex, share(10), [aRoute('web', http)])).toThrow('no rule of ApisixRoute web');
    expect(apisix.watches(aCanary())).toEqual([]);
    expect(apisix.readRoutes(aCanary(), [])).toBeUndefined();
    expect(apisix.finalize(aCanary(), [])).toEqual({ write: [], remove: [] });
    expect(() => apisix.render(aCanary(), anApex, share(10), [])).toThrow('spec.routeRef');
  });

  it('the copy is written back without the route of the user, and a release goes back without either', () => {
    expect(raw(apisix.render(canary, anApex, allToPrimary, [copy]).write[0])?.spec.http[0].backends).toMatchObject([
      { weight: 100 },
      { weight: 0 },
    ]);
    const begun = aCanary(canary.spec);
    begun.status = { phase: 'Progressing', failedChecks: 0, canaryWeight: 0, iterations: 0 };
    expect(apisix.render(begun, anApex, allToPrimary, [])).toEqual({ write: [], remove: [] });
    expect(() => apisix.render(canary, anApex, allToPrimary, [])).toThrow('ApisixRoute web is not found');
  });

  it('a copy without a condition never gets all users because the route of the user is gone', () => {
    expect(() => apisix.render(canary, anApex, matched, [copy])).toThrow('ApisixRoute web is not found');
    const conditioned = apisix.render(canary, anApex, matched, [source]).write;
    expect(apisix.render(canary, anApex, matched, conditioned).write[0]?.spec).toEqual(conditioned[0]?.spec);
  });
});

describe('I17: rules of the user’s that go before one of the application', () => {
  const testers = (priority: number, ...backends: [string][]): RawRule => ({
    ...rule(...backends),
    name: 'testers',
    priority,
    match: { paths: ['/*'], exprs: [{ subject: { scope: 'Header', name: 'x-test' }, op: 'Equal', value: 'yes' }] },
  });
  const prioritiesOf = (source: KubeObject, current: KubeObject[] = [], of = canary) =>
    raw(apisix.render(of, anApex, share(0), [source, ...current]).write[0])?.spec.http.map(({ priority }: RawRule) => priority);

  it('the copy goes before its rule, and not before rules that lead elsewhere', () => {
    expect(prioritiesOf(aRoute('web', [rule(['shop']), testers(10, ['beta'])]))).toEqual([1]);
    expect(prioritiesOf(aRoute('web', [{ ...rule(['shop']), priority: 7 }, testers(10, ['beta'])]))).toEqual([8]);
    expect(prioritiesOf(aRoute('web', [{ ...rule(['shop']), priority: 20 }, testers(10, ['beta'])]))).toEqual([10_020]);
    expect(prioritiesOf(aRoute('web', [rule(['shop']), testers(10, ['shop'])]))).toEqual([10_000, 10_010]);
  });

  it('where nothing fits between them the Canary is refused', () => {
    const [unkept, ...more] = apisix.unkept?.(canary, [aRoute('web', [rule(['shop']), testers(1, ['beta'])])]) ?? [];
    expect([unkept?.isRefused, unkept?.field, more]).toEqual([true, 'spec.http', []]);
    expect(unkept?.detail).toContain('rule testers');
    expect(apisix.unkept?.(canary, [aRoute('web', [rule(['shop']), testers(2, ['beta'])])])).toEqual([]);
  });

  it('I8: a copy of an earlier Serin stays unmodified until the next release', () => {
    const before = copyOf({ ...rule(['shop-primary', 100], ['shop-canary', 0]), priority: 10_000 });
    const resting = { ...canary, status: { ...canary.status, release: { step: 'resting' } } } as typeof canary;
    const both = aRoute('web', [rule(['shop']), testers(10, ['beta'])]);
    expect(prioritiesOf(both, [before], resting)).toEqual([10_000]);
    expect(prioritiesOf(both, [before])).toEqual([1]);
  });
});
