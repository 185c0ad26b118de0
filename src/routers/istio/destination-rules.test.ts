import { describe, expect, it } from 'vitest';
import { aCanary, anApex, deepFreeze } from '../../../test/contracts/routers-cases.ts';
import type { Raw } from '../../../test/fakes/raw.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { carriedAnnotation } from '../../api/names.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { istio } from './router.ts';

const tls = { tls: { mode: 'SIMPLE', sni: 'shop.example.org' } };
const ejecting = { outlierDetection: { consecutive5xxErrors: 3 } };
const full = {
  ...tls,
  ...ejecting,
  connectionPool: { tcp: { maxConnections: 5 } },
  portLevelSettings: [{ port: { number: 8080 }, ...tls }],
};

function rule(host: string, { namespace = 'prod', name = 'theirs', at = '2026-01-01T00:00:00Z', ...spec }: Raw = {}): KubeObject {
  return {
    apiVersion: 'networking.istio.io/v1beta1',
    kind: 'DestinationRule',
    metadata: { name, namespace, creationTimestamp: at },
    spec: { host, trafficPolicy: tls, ...spec },
  };
}

function rendered(current: KubeObject[], canary: Canary = aCanary(), routes: Routes = allToPrimary): Record<'canary' | 'primary', Raw> {
  const { write } = istio.render(deepFreeze(canary), anApex, routes, deepFreeze(current));
  const of = (name: string): Raw => write.find(({ kind, metadata }) => kind === 'DestinationRule' && metadata.name === name);
  return { canary: of('shop-canary'), primary: of('shop-primary') };
}

const policiesOf = (current: KubeObject[], canary?: Canary): unknown[] =>
  Object.values(rendered(current, canary)).map(({ spec }) => spec.trafficPolicy);
const both = (policy: unknown) => [policy, policy];

describe('I17: the DestinationRule of the apex holds for both sides', () => {
  it('with all that it says', () => {
    const { primary, canary } = rendered([rule('shop', { trafficPolicy: full })]);
    expect(primary.spec).toEqual({ host: 'shop-primary', trafficPolicy: full });
    expect(canary.spec).toEqual({ host: 'shop-canary', trafficPolicy: full });
  });
  it.each([
    'shop',
    'shop.prod.svc.cluster.local',
    'shop.prod.svc.example.org',
    '*.prod.svc.cluster.local',
    '*.svc.example.org',
    '*.cluster.local',
    '*.local',
    '*',
  ])('by the host %s', (host) => {
    expect(policiesOf([rule(host)])).toEqual(both(tls));
  });
  it.each([
    'cart',
    'shop.prod',
    'shop.test.svc.cluster.local',
    'shop.example.org',
    '*.test.svc.cluster.local',
    '*.example.org',
    'shop-primary-x',
  ])('and not by the host %s', (host) => {
    expect(policiesOf([rule(host)])).toEqual(both(undefined));
  });
  it('the most specific host counts, and of those of one host the oldest that says something', () => {
    const wide = rule('*.local', { name: 'a', trafficPolicy: full });
    const narrow = rule('*.prod.svc.cluster.local', { name: 'b', trafficPolicy: ejecting });
    expect(policiesOf([wide, narrow])).toEqual(both(ejecting));
    const silent = rule('shop', { name: 'c', at: '2025-01-01T00:00:00Z', trafficPolicy: undefined, subsets: [{ name: 'v1' }] });
    expect(policiesOf([wide, silent])).toEqual(both(undefined));
    const young = rule('shop', { name: 'd', at: '2026-03-01T00:00:00Z', trafficPolicy: full });
    const old = rule('shop.prod.svc.cluster.local', { name: 'e', at: '2026-02-01T00:00:00Z', trafficPolicy: tls });
    expect(policiesOf([wide, silent, young, old])).toEqual(both(tls));
  });
  it('a rule of the root namespace counts if the namespace has none, and is seen there', () => {
    const root = { namespace: 'istio-system' };
    expect(policiesOf([rule('*.local', root)])).toEqual(both(tls));
    expect(policiesOf([rule('shop.prod.svc.cluster.local', { ...root, exportTo: ['prod'] })])).toEqual(both(tls));
    expect(policiesOf([rule('*.local', { ...root, exportTo: ['.'] })])).toEqual(both(undefined));
    expect(policiesOf([rule('*.local', { ...root, exportTo: ['test'] })])).toEqual(both(undefined));
    expect(policiesOf([rule('shop', root)])).toEqual(both(undefined));
    expect(policiesOf([rule('*.local', root), rule('shop', { trafficPolicy: ejecting })])).toEqual(both(ejecting));
  });
  it('a rule of another namespace is for the clients there', () => {
    expect(policiesOf([rule('shop.prod.svc.cluster.local', { namespace: 'web' })])).toEqual(both(undefined));
  });
  it('clients that do not see the rule of the apex do not see those of its sides', () => {
    expect(rendered([rule('shop', { exportTo: ['.'] })]).primary.spec).toEqual({
      host: 'shop-primary',
      exportTo: ['.'],
      trafficPolicy: tls,
    });
    expect(rendered([rule('shop', { exportTo: ['web'] })]).primary.spec.exportTo).toEqual(['web']);
  });
  it('a rule for only some clients is for none of the sides', () => {
    expect(policiesOf([rule('shop', { workloadSelector: { matchLabels: { app: 'web' } } })])).toEqual(both(undefined));
  });
  it('spec.service.trafficPolicy wins, as a whole', () => {
    const canary = aCanary({ service: { trafficPolicy: ejecting } });
    const { primary } = rendered([rule('shop', { exportTo: ['.'] })], canary);
    expect(primary.spec).toEqual({ host: 'shop-primary', trafficPolicy: ejecting });
    expect(primary.metadata).not.toHaveProperty('annotations');
  });
  it('a side that has a rule of the user’s keeps it', () => {
    const own = rule('shop-primary', { name: 'for-primary', trafficPolicy: ejecting });
    const { primary, canary } = rendered([rule('shop'), own]);
    expect([primary.spec, canary.spec.trafficPolicy]).toEqual([{ host: 'shop-primary' }, tls]);
  });
  it('nothing of it is left on the sides when it is gone, also if it went while Serin was down', () => {
    const before = rendered([rule('shop')]).primary;
    expect(before.metadata.annotations[carriedAnnotation]).toMatch(/^prod\/theirs /);
    const inner = rendered([rule('shop', { trafficPolicy: { tls: { mode: 'SIMPLE' } } })]).primary;
    expect(inner.metadata.annotations[carriedAnnotation]).not.toBe(before.metadata.annotations[carriedAnnotation]);
    const after = rendered([before]).primary;
    expect([after.spec, after.metadata.annotations[carriedAnnotation]]).toEqual([{ host: 'shop-primary' }, '']);
    expect(rendered([]).primary.metadata).not.toHaveProperty('annotations');
  });
  it('routes are rendered with any content of a rule', () => {
    for (const spec of [
      undefined,
      null,
      {},
      { host: 7 },
      { host: 'shop', trafficPolicy: 'x' },
      { host: 'shop', exportTo: 'x', trafficPolicy: tls },
    ])
      expect(() => rendered([{ ...rule('shop'), spec } as KubeObject])).not.toThrow();
  });
});

describe('I17: parts of DestinationRules that cannot be kept are named', () => {
  const said = (canary: Canary, rules: KubeObject[]) =>
    (istio.unkept?.(canary, rules) ?? []).map(
      ({ on: { metadata }, field, detail, remedy }) => `${metadata.namespace}/${metadata.name}: ${field} ${detail}; ${remedy}`,
    );
  it('parts that spec.service.trafficPolicy replaces', () => {
    const canary = aCanary({ service: { trafficPolicy: ejecting } });
    expect(said(canary, [rule('shop', { trafficPolicy: full })])).toEqual([
      expect.stringMatching(/^prod\/theirs: spec.trafficPolicy .*connectionPool, portLevelSettings, tls, .*spec.service.trafficPolicy/),
    ]);
  });
  it('rules of clients in other namespaces, and of some clients', () => {
    const rules = [
      rule('shop.prod.svc.cluster.local', { namespace: 'web' }),
      rule('*.local', { namespace: 'web', name: 'wide' }),
      rule('shop', { name: 'some', workloadSelector: { matchLabels: { app: 'web' } } }),
    ];
    expect(said(aCanary(), rules)).toEqual([expect.stringContaining('web/theirs'), expect.stringContaining('prod/some')]);
  });
  it('nothing where the user has written rules for both sides beside them', () => {
    const some = (host: string) => rule(host, { name: `some-${host}`, workloadSelector: { matchLabels: { app: 'web' } } });
    expect(said(aCanary(), [some('shop'), some('shop-primary')])).toHaveLength(1);
    expect(said(aCanary(), [some('shop'), some('shop-primary'), some('shop-canary')])).toEqual([]);
  });
  it('nothing of rules that are carried', () => {
    expect(said(aCanary(), [rule('shop'), rule('cart')])).toEqual([]);
  });
});

describe('I17: subsets', () => {
  const route = (host: string, subset?: string): KubeObject => ({
    apiVersion: 'networking.istio.io/v1beta1',
    kind: 'VirtualService',
    metadata: { name: 'shop', namespace: 'prod' },
    spec: { hosts: ['shop'], http: [{ route: [{ destination: { host, ...(subset && { subset }) } }] }] },
  });
  const unkept = (...objects: KubeObject[]) =>
    istio.unkept?.(aCanary(), objects).map(({ on, isRefused, detail }) => [on.kind, isRefused, detail]);
  it('a route found in place that leads to a subset of the apex would be lost, and is refused', () => {
    for (const host of ['shop', 'shop.prod.svc.cluster.local'])
      expect(unkept(route(host, 'v1'))).toEqual([['VirtualService', true, expect.stringContaining('leads to subset v1 of shop')]]);
    expect(unkept(route('shop'))).toEqual([]);
    const elsewhere = { ...route('shop', 'v1'), metadata: { name: 'shop', namespace: 'web' } };
    expect(unkept(elsewhere)).toEqual([]);
  });
  it('is not the user’s to accept, since the sides have no subsets', () => {
    expect(istio.unkept?.(aCanary(), [route('shop', 'v1')])).toMatchObject([
      { isFirm: true, remedy: expect.stringContaining('without subset') },
    ]);
  });
  it('gets no share after an edit in a release, and is left whole when all requests go to the primary', () => {
    const routes: Routes = { kind: 'weighted', canary: weight(10) };
    expect(() => istio.render(aCanary(), anApex, routes, [route('shop', 'v1')])).toThrow('leads to subset v1 of shop');
    const { write } = istio.render(aCanary(), anApex, allToPrimary, [route('shop', 'v1')]);
    expect(write.filter(({ kind }) => kind === 'VirtualService')).toEqual([]);
    const [half] = istio.render(aCanary(), anApex, routes, [route('shop')]).write.slice(-1);
    const edited = structuredClone(half) as Raw;
    edited.spec.http.push(...(route('shop', 'v1') as Raw).spec.http);
    const [home] = istio.render(aCanary(), anApex, allToPrimary, [edited]).write.slice(-1);
    expect((home as Raw).spec.http.map(({ route }: Raw) => route.map(({ destination }: Raw) => destination))).toEqual([
      [{ host: 'shop' }],
      [{ host: 'shop', subset: 'v1' }],
    ]);
  });
});
