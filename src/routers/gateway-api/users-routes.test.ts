import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { originalConfig } from '../original-spec.ts';
import { gatewayApi } from './router.ts';

const v1 = gatewayApi('v1');
const gatewayRefs = [{ name: 'edge' }];
const canaryWith = (service: object = {}, analysis: object = {}): Canary => aCanary({ service: { gatewayRefs, ...service }, analysis });
const insider = { headers: { 'x-user': { exact: 'insider' } } };
const matched: Routes = { kind: 'matched', match: [insider] };

const httpRoute = (rules: object[], rest: object = {}): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'shop', namespace: 'prod', generation: 3, annotations: { [ownerAnnotation]: 'c-1' } },
  spec: { parentRefs: [{ name: 'edge' }], rules },
  ...rest,
});
/** Without marks of Serin's. */
const users = (route: KubeObject): KubeObject => ({ ...route, metadata: { name: 'shop', namespace: 'prod', generation: 3 } });
const to = (primary: number, canary: number) => [
  { group: '', kind: 'Service', name: 'shop-primary', port: 8080, weight: primary },
  { group: '', kind: 'Service', name: 'shop-canary', port: 8080, weight: canary },
];

describe('I17: an HTTPRoute of the user’s', () => {
  const filter = { type: 'ExtensionRef', extensionRef: { group: 'example.org', kind: 'Auth', name: 'staff' } };
  const others = [
    { matches: [{ path: { type: 'PathPrefix', value: '/static' } }], backendRefs: [{ name: 'static', port: 80 }] },
    { matches: [{ path: { type: 'PathPrefix', value: '/admin' } }], filters: [filter], backendRefs: [{ name: 'admin', port: 80 }] },
  ];
  const app = { name: 'app', filters: [filter], timeouts: { request: '3s' }, backendRefs: [{ name: 'shop', port: 8080, weight: 1 }] };
  const own = users(httpRoute([...others, app]));
  const split = (primary: number, canary: number) => [
    { name: 'shop-primary', port: 8080, weight: primary },
    { name: 'shop-canary', port: 8080, weight: canary },
    { name: 'shop', port: 8080, weight: 0 },
  ];

  it('keeps its rules, filters, parents and metadata: only backends that name the application are written', () => {
    const { write, remove } = v1.render(canaryWith(), anApex, { kind: 'weighted', canary: weight(10) }, [own]);
    expect(remove).toEqual([]);
    expect(write).toEqual([
      {
        ...{ apiVersion: own.apiVersion, kind: own.kind, metadata: { name: 'shop', namespace: 'prod' } },
        spec: { rules: [...others, { ...app, backendRefs: split(90, 10) }] },
      },
    ]);
    expect(v1.readRoutes(canaryWith(), [{ ...own, spec: { ...raw(own)?.spec, ...raw(write[0])?.spec } }])).toEqual({
      kind: 'weighted',
      canary: 10,
    });
  });

  it("deletion joins the split rules, with the user's changes of the meantime", () => {
    const edited = users(httpRoute([{ ...app, timeouts: { request: '9s' }, backendRefs: split(90, 10) }]));
    expect(v1.finalize(canaryWith(), [edited]).write[0]?.spec).toEqual({ rules: [{ ...app, timeouts: { request: '9s' } }] });
    expect(v1.finalize(canaryWith(), [own])).toEqual({ write: [], remove: [] });
  });

  it('an A/B condition that would win requests of another rule is refused, with the rule', () => {
    const tenant = { headers: [{ type: 'Exact', name: 'x-tenant', value: 'a' }] };
    const tenants = { matches: [tenant], backendRefs: [{ name: 'tenants', port: 80 }] };
    const two: Routes = { kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' }, 'x-beta': { exact: '1' } } }] };
    const split = (routes: Routes) => () => v1.render(canaryWith(), anApex, routes, [users(httpRoute([tenants, app]))]);
    expect(split(two)).toThrow(/rule for .*x-tenant.* leads elsewhere/);
    // With equally many headers the first rule decides, which is the user's.
    expect(split(matched)).not.toThrow();
    const other: Routes = { kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' }, 'x-tenant': { exact: 'b' } } }] };
    expect(split(other)).not.toThrow();
  });

  it.each([
    ['legacy', 'shop'],
    ['shop', 'legacy'],
  ])('of two Canaries with session affinity that share it, %s first, none takes the copies of %s for its own', (...order) => {
    const beta = { matches: [{ headers: [{ type: 'Exact', name: 'x-beta', value: '1' }] }], backendRefs: [{ name: 'shop', port: 8080 }] };
    const old = { matches: [{ path: { type: 'PathPrefix', value: '/old' } }], backendRefs: [{ name: 'legacy', port: 8080 }] };
    const both = {
      backendRefs: [
        { name: 'shop', port: 8080, weight: 1 },
        { name: 'legacy', port: 8080, weight: 2 },
      ],
    };
    const rendered = (name: string, found: KubeObject): KubeObject => {
      const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
      const routeRefs = name === 'legacy' ? [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: 'shop' }] : undefined;
      const canary = aCanary({
        targetRef,
        ...(routeRefs && { routeRefs }),
        service: { gatewayRefs },
        analysis: { sessionAffinity: { cookieName: `${name}-side` } },
      });
      const named: Canary = { ...canary, metadata: { ...canary.metadata, name } };
      const routes: Routes = { kind: 'weighted', canary: weight(50), affinity: { canary: `${name}-side=1` } };
      const part = v1.render(named, anApex, routes, [found]).write.find((one) => one.metadata.name === 'shop');
      return { ...found, spec: { ...raw(found).spec, ...raw(part)?.spec } };
    };
    const once = order.reduce((found, name) => rendered(name, found), users(httpRoute([beta, old, both])));
    expect(raw(once).spec.rules.length).toBe(7);
    expect(order.reduce((found, name) => rendered(name, found), once)).toEqual(once);
  });

  it('a remedy is what helps, and no part of the problem', () => {
    const said = (analysis: object) => v1.unkept?.(canaryWith({}, analysis), [own])?.map(({ detail, remedy }) => [detail, remedy]);
    const correct = 'correct that field of the Canary, or let the route say it otherwise';
    expect(said({ iterations: 2, match: [{ headers: {} }] })).toEqual([
      ['cannot be split: analysis.match[0] names no header or query parameter: it would match every request', correct],
    ]);
    expect(said({ iterations: 2, match: [{ headers: { 'x-user': { prefix: 'in' } } }] })).toEqual([
      ['cannot be split: analysis.match[0].headers[x-user] is a prefix or suffix, which Gateway API does not know', 'use exact or regex'],
    ]);
  });

  it('a policy that is attached to one of its rules would not hold for the copies of that rule, and refuses a Canary that needs some', () => {
    const policy = (sectionName: string): KubeObject => ({
      ...{ apiVersion: 'gateway.envoyproxy.io/v1alpha1', kind: 'SecurityPolicy', metadata: { name: 'jwt', namespace: 'prod' } },
      spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'shop', sectionName }] },
    });
    const named = users(httpRoute([{ ...others[0], name: 'static' }, app]));
    const asking = { iterations: 2, match: [insider] };
    const said = (analysis: object, ...objects: KubeObject[]) =>
      v1
        .unkept?.(canaryWith({}, analysis), [named, ...objects])
        .map(({ on, isPolicy, isRefused, field }) => [on.kind, isPolicy, isRefused, field]);
    expect(said(asking, policy('app'))).toEqual([['SecurityPolicy', true, true, 'spec.targetRefs']]);
    expect([said({}, policy('app')), said(asking, policy('static')), said(asking)]).toEqual([[], [], []]);
  });

  it('a route that does not lead to the application is named, and not written', () => {
    const live = [users(httpRoute(others))];
    expect(() => v1.render(canaryWith(), anApex, { kind: 'weighted', canary: weight(10) }, live)).toThrow(
      /HTTPRoute shop is yours .*Service shop/,
    );
    expect(v1.render(canaryWith(), anApex, allToPrimary, live).write).toEqual([]);
    expect(v1.missing?.(canaryWith(), live)?.message).toMatch(/HTTPRoute shop is yours .*Service shop/);
  });

  it('a report on a route that was taken over whole earlier lists its losses, and the remedy', () => {
    const made = httpRoute([{ matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: split(100, 0) }]);
    const kept = (spec: object): KubeObject => ({
      ...made,
      metadata: { ...made.metadata, annotations: { ...made.metadata.annotations, [originalConfig]: JSON.stringify(spec) } },
    });
    const said = (spec: object) =>
      v1.unkept?.(canaryWith(), [kept(spec)]).map(({ isRefused, detail, remedy }) => [isRefused, detail, remedy]);
    expect(said({ parentRefs: [{ name: 'edge' }], hostnames: ['shop.example.org'], rules: [...others, app] })).toEqual([
      [
        false,
        'has been taken over whole, and has lost hostnames, filters, timeouts and requests for Service admin, static',
        'annotate it with serin.dev/split: "true": it is yours again, with the application split in it',
      ],
    ]);
    expect(said({ parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'shop', port: 8080 }] }] })).toEqual([]);
  });

  it('a route that was taken over whole earlier stays so, and deletion puts its spec back', () => {
    const kept = JSON.stringify(users(httpRoute([app])).spec);
    const taken = httpRoute([{ backendRefs: to(100, 0) }], {
      metadata: { name: 'shop', namespace: 'prod', generation: 3, annotations: { [originalConfig]: kept } },
    });
    const [next] = v1.render(canaryWith(), anApex, { kind: 'weighted', canary: weight(10) }, [taken]).write;
    expect(next?.metadata.annotations?.[originalConfig]).toBe(kept);
    expect(v1.finalize(canaryWith(), [taken]).write[0]?.spec).toEqual(JSON.parse(kept));
  });
});

describe('I17: an HTTPRoute of the user’s that answers requests which Serin’s would take', () => {
  const host = 'shop.example.org';
  const path = (value: string, type = 'PathPrefix') => ({ type, value });
  const header = (name: string, value = '1') => ({ type: 'Exact', name, value });
  const elsewhere = (matches: object[], spec: object = {}, at: object = {}): KubeObject => ({
    ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' },
    metadata: { name: 'web', namespace: 'prod', creationTimestamp: '2026-01-01T00:00:00Z', ...at },
    spec: { parentRefs: [{ name: 'edge' }], hostnames: [host], rules: [{ matches, backendRefs: [{ name: 'web', port: 80 }] }], ...spec },
  });
  const said = (canary: Canary, ...objects: KubeObject[]) =>
    v1.unkept?.(canary, objects).map(({ on, isRefused }) => [on.metadata.name, isRefused]);
  const beta = { iterations: 2, match: [insider] };
  const uri = (value: string) => ({ match: [{ uri: { prefix: value } }] });

  it.each<{
    what: string;
    service?: object;
    analysis?: object;
    matches?: object[];
    spec?: object;
    at?: object;
    is: 'kept' | 'taken' | 'named';
  }>([
    { what: 'the same path, for a route that comes later', is: 'kept' },
    { what: 'the same path, for an A/B condition', analysis: beta, is: 'taken' },
    { what: 'the same path, for holders of a cookie', analysis: { sessionAffinity: { cookieName: 'side' } }, is: 'taken' },
    { what: 'a longer path', matches: [{ path: path('/static') }], analysis: beta, is: 'kept' },
    { what: 'a shorter path', service: uri('/api'), is: 'taken' },
    { what: 'a path that only begins alike', service: uri('/api'), matches: [{ path: path('/apis') }], is: 'kept' },
    { what: 'an exact path', service: uri('/api'), matches: [{ path: path('/api', 'Exact') }], is: 'kept' },
    { what: 'a pattern, whose place each gateway chooses', matches: [{ path: path('/s.*', 'RegularExpression') }], is: 'taken' },
    { what: 'another value of the header', matches: [{ headers: [header('x-user', 'other')] }], analysis: beta, is: 'kept' },
    { what: 'as many headers', matches: [{ headers: [header('x-tenant')] }], analysis: beta, is: 'kept' },
    { what: 'a method', matches: [{ method: 'POST' }], analysis: beta, is: 'kept' },
    { what: 'another host', spec: { hostnames: ['other.example.org'] }, analysis: beta, is: 'kept' },
    { what: 'one of two hosts', spec: { hostnames: ['other.example.org', host] }, analysis: beta, is: 'taken' },
    { what: 'a wider host, of which a route for one host takes all', spec: { hostnames: ['*.example.org'] }, is: 'named' },
    { what: 'no host, of which a route for one host takes all', spec: { hostnames: undefined }, is: 'named' },
    { what: 'a narrower host', service: { hosts: ['*.example.org'] }, analysis: beta, is: 'kept' },
    { what: 'another parent', spec: { parentRefs: [{ name: 'other' }] }, analysis: beta, is: 'kept' },
    {
      what: 'the same Service, by the other name of its group',
      service: { gatewayRefs: [{ group: 'core', kind: 'Service', name: 'shop' }] },
      spec: { parentRefs: [{ group: '', kind: 'Service', name: 'shop' }] },
      analysis: beta,
      is: 'taken',
    },
    {
      what: 'another listener',
      service: { gatewayRefs: [{ name: 'edge', sectionName: 'https' }] },
      spec: { parentRefs: [{ name: 'edge', sectionName: 'http' }] },
      analysis: beta,
      is: 'kept',
    },
    {
      what: 'the same host in another namespace',
      at: { namespace: 'web' },
      spec: { parentRefs: [{ name: 'edge', namespace: 'prod' }] },
      analysis: beta,
      is: 'taken',
    },
    { what: 'a Gateway of another namespace with the same name', at: { namespace: 'web' }, analysis: beta, is: 'kept' },
    { what: 'a Canary has made it', at: { annotations: { [ownerAnnotation]: 'c-2' } }, analysis: beta, is: 'kept' },
  ])('$what: it is $is', ({ service, analysis, matches = [{}], spec, at, is }) => {
    const canary = canaryWith({ hosts: [host], ...service }, analysis);
    expect(said(canary, elsewhere(matches, spec, at))).toEqual(is === 'kept' ? [] : [['web', is === 'taken']]);
  });

  it.each([
    { what: 'a service of which it makes one method', uri: '/shop.Cart/Add', method: { service: 'shop.Cart' }, isTaken: true },
    { what: 'one method of its service', uri: '/shop.Cart', method: { service: 'shop.Cart', method: 'Add' }, isTaken: false },
    { what: 'another service', uri: '/shop.Cart', method: { service: 'shop.Till' }, isTaken: false },
  ])('of calls, $what: taken is $isTaken', ({ uri, method, isTaken }) => {
    const form = /\/.*\//.test(uri) ? 'exact' : 'prefix';
    const canary = canaryWith({ hosts: [host], appProtocol: 'grpc', match: [{ uri: { [form]: form === 'exact' ? uri : `${uri}/` } }] });
    const found = { ...elsewhere([{ method }]), kind: 'GRPCRoute' };
    expect(said(canary, found)).toEqual(isTaken ? [['web', true]] : []);
  });

  it('a host that another route names is not answered by a wider one', () => {
    const wide = elsewhere([{}], { hostnames: ['*.example.org'] });
    expect(said(canaryWith({ hosts: [host] }), wide, elsewhere([{}], {}, { name: 'exact' }))).toEqual([]);
  });

  it('the message names the requests, and the remedy', () => {
    const [first] = v1.unkept?.(canaryWith({ hosts: [host] }, beta), [elsewhere([{}])]) ?? [];
    expect([first?.field, first?.detail, first?.remedy]).toEqual([
      'spec.rules',
      'answers shop.example.org/ with header x-user, which the route that Serin makes for this Canary would take from it',
      'make a route of your own that leads to Service shop by a path or a host of its own, and list it in spec.routeRefs; or name hosts in spec.service.hosts that no other route has',
    ]);
  });

  it('copies of a rule take no requests of an older route that its rule did not take', () => {
    const own = (creationTimestamp: string): KubeObject => ({
      ...elsewhere([{}], { rules: [{ backendRefs: [{ name: 'shop', port: 8080 }] }] }, { name: 'shop', creationTimestamp }),
    });
    const [older, younger] = [own('2025-01-01T00:00:00Z'), own('2026-06-01T00:00:00Z')];
    expect(said(canaryWith({}, beta), older, elsewhere([{}]))).toEqual([]);
    expect(said(canaryWith({}, beta), younger, elsewhere([{}]))).toEqual([['web', true]]);
    expect(said(canaryWith(), younger, elsewhere([{}]))).toEqual([]);
    // One header more than the rule, and fewer than the copy of it.
    const two = { iterations: 2, match: [{ headers: { 'x-user': { exact: 'insider' }, 'x-beta': { exact: '1' } } }] };
    expect(said(canaryWith({}, two), older, elsewhere([{ headers: [header('x-tenant')] }]))).toEqual([['web', true]]);
    // Split already, as when a release starts.
    const split = raw(v1.render(canaryWith({}, beta), anApex, matched, [younger]).write[0]).spec;
    expect(said(canaryWith({}, beta), { ...younger, spec: { ...raw(younger).spec, ...split } }, elsewhere([{}]))).toEqual([['web', true]]);
  });
});
