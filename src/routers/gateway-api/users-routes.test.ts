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

  it('deletion joins what was split, with what the user has changed meanwhile', () => {
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
    // As many headers: the first rule decides, which is the user's.
    expect(split(matched)).not.toThrow();
    const other: Routes = { kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' }, 'x-tenant': { exact: 'b' } } }] };
    expect(split(other)).not.toThrow();
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

  it('one that does not lead to the application is named, and not written', () => {
    const live = [users(httpRoute(others))];
    expect(() => v1.render(canaryWith(), anApex, { kind: 'weighted', canary: weight(10) }, live)).toThrow(
      /HTTPRoute shop is yours .*Service shop/,
    );
    expect(v1.render(canaryWith(), anApex, allToPrimary, live).write).toEqual([]);
    expect(v1.missing?.(canaryWith(), live)?.message).toMatch(/HTTPRoute shop is yours .*Service shop/);
  });

  it('of one that was taken over whole before it is said what it has lost, and how to have it back', () => {
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

  it('one that was taken over whole before stays so, and deletion puts its spec back', () => {
    const kept = JSON.stringify(users(httpRoute([app])).spec);
    const taken = httpRoute([{ backendRefs: to(100, 0) }], {
      metadata: { name: 'shop', namespace: 'prod', generation: 3, annotations: { [originalConfig]: kept } },
    });
    const [next] = v1.render(canaryWith(), anApex, { kind: 'weighted', canary: weight(10) }, [taken]).write;
    expect(next?.metadata.annotations?.[originalConfig]).toBe(kept);
    expect(v1.finalize(canaryWith(), [taken]).write[0]?.spec).toEqual(JSON.parse(kept));
  });
});
