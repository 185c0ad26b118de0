import { describe, expect, it } from 'vitest';
import { aCanary, anApex, asMade } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import type { Apex } from '../router.ts';
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
const to = (primary: number, canary: number) => [
  { group: '', kind: 'Service', name: 'shop-primary', port: 8080, weight: primary },
  { group: '', kind: 'Service', name: 'shop-canary', port: 8080, weight: canary },
];
const cookie = (value: string) => [{ headers: [{ type: 'RegularExpression', name: 'Cookie', value }] }];
const setCookie = (value: string) => ({ type: 'ResponseHeaderModifier', responseHeaderModifier: { add: [{ name: 'Set-Cookie', value }] } });
const mirror = (rest: object = {}) => ({
  type: 'RequestMirror',
  requestMirror: { backendRef: { name: 'shop-canary', port: 8080 }, ...rest },
});
const stickyCanary = { matches: cookie('.*sh-canary.*QwErTyUiOp.*'), backendRefs: to(0, 100) };
const stickyPrimary = { matches: cookie('.*sh-primary.*AsDfGhJkLz.*'), backendRefs: to(100, 0) };
const affinity = { sessionAffinity: { cookieName: 'sh-canary', primaryCookieName: 'sh-primary' } };

describe("Flagger's routes", () => {
  const root = [{ path: { type: 'PathPrefix', value: '/' } }];
  const segment = [{ path: { type: 'PathPrefix', value: '/' }, headers: [{ name: 'x', value: 'y' }] }];
  const onlyPrimary = [{ name: 'shop-primary', port: 8080, weight: 100 }];
  it.each([
    { what: 'weights', rules: [{ matches: root, backendRefs: to(70, 30) }], routes: { kind: 'weighted', canary: 30 } },
    {
      what: 'a mirror',
      rules: [{ matches: root, filters: [mirror()], backendRefs: to(100, 0) }],
      routes: { kind: 'mirrored', share: 100 },
    },
    {
      what: 'a mirror by fraction',
      rules: [{ filters: [mirror({ fraction: { numerator: 1, denominator: 4 } })], backendRefs: to(100, 0) }],
      routes: { kind: 'mirrored', share: 25 },
    },
    {
      what: 'A/B',
      rules: [
        { matches: segment, backendRefs: to(0, 100) },
        { matches: root, backendRefs: onlyPrimary },
      ],
      routes: { kind: 'matched', match: [{ headers: { x: { exact: 'y' } } }] },
    },
    {
      what: 'both cookies',
      rules: [stickyCanary, stickyPrimary, { matches: root, backendRefs: to(70, 30) }],
      routes: { kind: 'weighted', canary: 30, affinity: { canary: 'sh-canary=QwErTyUiOp', primary: 'sh-primary=AsDfGhJkLz' } },
    },
    {
      what: 'a cookie to delete',
      rules: [
        { ...stickyCanary, filters: [setCookie('sh-canary=QwErTyUiOp; Max-Age=-1')], backendRefs: to(100, 0) },
        { matches: root, backendRefs: to(100, 0) },
      ],
      routes: { kind: 'weighted', canary: 0, affinity: { previous: 'sh-canary=QwErTyUiOp' } },
    },
    {
      what: 'a duplicate where no cookie is to delete',
      rules: [
        { matches: root, backendRefs: to(100, 0) },
        { matches: root, backendRefs: to(100, 0) },
      ],
      routes: { kind: 'weighted', canary: 0 },
    },
  ])('$what can be read', ({ rules, routes }) => {
    expect(v1.readRoutes(canaryWith({}, affinity), [httpRoute(rules)])).toEqual(routes);
  });

  it.each([
    { what: 'no backend', rules: [{}] },
    { what: 'weights that do not sum to 100', rules: [{ backendRefs: to(50, 30) }] },
    { what: 'weights that were left out', rules: [{ backendRefs: to(0, 0).map(({ weight: _, ...rest }) => rest) }] },
    { what: 'a third backend', rules: [{ backendRefs: [...to(50, 50), { name: 'other', port: 1, weight: 20 }] }] },
    { what: 'Services of another namespace', rules: [{ backendRefs: to(50, 50).map((ref) => ({ ...ref, namespace: 'test' })) }] },
    { what: 'a catch-all that claims to be A/B', rules: [{ backendRefs: to(0, 100) }, { backendRefs: onlyPrimary }] },
    { what: 'a mirror beside a weight', rules: [{ filters: [mirror()], backendRefs: to(90, 10) }] },
    { what: 'a foreign rule', rules: [{ ...stickyCanary, matches: segment }, { backendRefs: to(90, 10) }] },
  ])('$what is unreadable, never a guess', ({ rules }) => {
    expect(v1.readRoutes(canaryWith(), [httpRoute(rules)])).toHaveProperty('unreadable');
  });
});

describe('specs that no route can express', () => {
  const fine = { match: [{ uri: { prefix: '/api' } }] };
  it.each<{ what: string; service?: object; analysis?: object; says: RegExp }>([
    { what: 'no parent', service: { gatewayRefs: [] }, says: /service.gatewayRefs/ },
    { what: 'one parent twice', service: { gatewayRefs: [{ name: 'edge' }, { name: 'edge', port: 80 }] }, says: /gatewayRefs\[1\]/ },
    {
      what: 'a Service as the parent without its group, which is the core group',
      service: { gatewayRefs: [{ kind: 'Service', name: 'shop' }] },
      says: /gatewayRefs\[0\]\.group .+ kind Service: .+ group: ""/,
    },
    {
      what: 'a Gateway of the core group',
      service: { gatewayRefs: [{ group: '', name: 'edge' }] },
      says: /gatewayRefs\[0\]\.group .+ kind Gateway/,
    },
    { what: 'a host with a port', service: { hosts: ['shop.example.org:80'] }, says: /service.hosts/ },
    { what: 'an address', service: { hosts: ['10.0.0.1'] }, says: /service.hosts/ },
    { what: 'a time below a millisecond', service: { timeout: '10us' }, says: /service.timeout/ },
    { what: 'a time of more hours than five digits', service: { timeout: '100000h' }, says: /service.timeout/ },
    { what: 'a millisecond more than that', service: { timeout: '99999.0h1ms' }, says: /service.timeout/ },
    { what: 'a longer time for the backend', service: { timeout: '1s', backendTimeout: '2s' }, says: /backendTimeout/ },
    {
      what: 'ReplacePrefixMatch with two alternatives',
      service: { rewrite: { uri: '/', type: 'ReplacePrefixMatch' }, match: [{ uri: { prefix: '/a' } }, { uri: { prefix: '/b' } }] },
      says: /ReplacePrefixMatch/,
    },
    {
      what: 'the same, by two alternatives of the analysis',
      service: { ...fine, rewrite: { uri: '/', type: 'ReplacePrefixMatch' } },
      analysis: { iterations: 1, match: [insider, { headers: { b: { exact: 'c' } } }] },
      says: /ReplacePrefixMatch/,
    },
    { what: 'a path that is not plain', service: { match: [{ uri: { exact: '/a//b' } }] }, says: /match\[0\].uri/ },
    { what: 'a header by prefix', service: { match: [{ headers: { a: { prefix: 'b' } } }] }, says: /match\[0\].headers\[a\]/ },
    { what: 'a condition that it does not know', service: { match: [{ authority: { exact: 'a' } }] }, says: /authority.+istio/ },
    {
      what: 'an A/B header by suffix',
      analysis: { match: [{ headers: { a: { suffix: 'b' } } }] },
      says: /analysis.match\[0\].headers/,
    },
    { what: 'A/B by source labels', analysis: { match: [{ sourceLabels: { a: 'b' } }] }, says: /sourceLabels.+istio/ },
    { what: 'an empty condition', analysis: { match: [insider, {}] }, says: /match\[1\].+every request/ },
    {
      what: 'two conditions on one header, whatever its spelling',
      service: { match: [{ headers: { 'X-User': { exact: 'a' } } }] },
      analysis: { match: [insider] },
      says: /x-user/,
    },
    {
      what: 'a condition on Cookie beside session affinity',
      analysis: { iterations: 1, match: [{ headers: { cookie: { regex: 'a=b' } } }], ...affinity },
      says: /sessionAffinity.+Cookie/,
    },
    {
      what: 'a mirror that always copies to the canary',
      service: { mirror: [{ backendRef: { name: 'shop-canary', port: 1 } }] },
      says: /mirror\[0\]/,
    },
    { what: 'an origin by pattern', service: { corsPolicy: { allowOrigins: [{ regex: '.*' }] } }, says: /allowOrigins\[0\]/ },
    { what: 'a CORS method of its own', service: { corsPolicy: { allowMethods: ['LOOK'] } }, says: /allowMethods/ },
    { what: 'an empty header', service: { headers: { request: { set: { a: '' } } } }, says: /headers.request.set/ },
    { what: 'a host with a port for the backend', service: { rewrite: { authority: 'a:80' } }, says: /rewrite.authority/ },
    {
      what: 'more alternatives than a rule takes',
      service: { match: Array.from({ length: 33 }, (_, index) => ({ uri: { exact: `/${index}` } })) },
      analysis: { iterations: 1, match: [insider, { headers: { b: { exact: 'c' } } }] },
      says: /alternatives/,
    },
    {
      what: 'gRPC: a path that does not name a method',
      service: { appProtocol: 'grpc', match: [{ uri: { prefix: '/a' } }] },
      says: /package.Service/,
    },
    {
      what: 'gRPC: a query',
      service: { appProtocol: 'grpc' },
      analysis: { match: [{ queryParams: { a: { exact: 'b' } } }] },
      says: /queryParams/,
    },
    { what: 'gRPC: a rewrite', service: { appProtocol: 'grpc', rewrite: { uri: '/' } }, says: /service.rewrite/ },
  ])('$what is refused with the field named', ({ service = {}, analysis = {}, says }) => {
    expect(v1.refuses?.(canaryWith(service, analysis))?.message).toMatch(says);
  });

  it('mirroring a part needs v1, and is refused by the older version', () => {
    const canary = canaryWith({}, { mirror: true, mirrorWeight: 10 });
    expect(v1.refuses?.(canary)).toBeUndefined();
    expect(gatewayApi('v1beta1').refuses?.(canary)?.message).toMatch(/mirrorWeight 10 needs gatewayapi:v1/);
  });
});

describe('routing to the primary', () => {
  const edits = [
    { what: 'a path', service: { match: [{ uri: { exact: 'no-path' } }] } },
    { what: 'a host', service: { hosts: ['NO HOST'] } },
    { what: 'its parents', service: { gatewayRefs: [] } },
    { what: 'a header', service: { headers: { response: { add: { 'no name': 'a' } } } } },
  ];
  const live = (routes: Routes) => v1.render(canaryWith({}, { match: [insider] }), anApex, routes, []).write.map(asMade);

  it.each(edits)('an invalid $what does not block it: the route keeps its fields, with other weights', ({ service }) => {
    for (const routes of [matched, { kind: 'mirrored', share: weight(50) }, { kind: 'weighted', canary: weight(40) }] as Routes[]) {
      const current = live(routes);
      expect(() => v1.render(canaryWith(service), anApex, { kind: 'weighted', canary: weight(50) }, current)).toThrow(/service/);
      const [restored] = v1.render(canaryWith(service), anApex, allToPrimary, current).write;
      expect(raw(restored)?.spec.parentRefs).toEqual(raw(current[0])?.spec.parentRefs);
      const refs = raw(restored)?.spec.rules.flatMap((rule: { backendRefs: unknown[] }) => rule.backendRefs);
      expect(refs.every(({ name, weight: share }: { name: string; weight: number }) => share === (name === 'shop-primary' ? 100 : 0))).toBe(
        true,
      );
      expect(JSON.stringify(restored)).not.toContain('RequestMirror');
    }
  });

  it('a condition of the analysis that is refused does not bar it either', () => {
    expect(v1.render(canaryWith({}, { match: [{}] }), anApex, allToPrimary, []).write).toHaveLength(1);
  });

  it.each(edits)('$what does not block deletion', ({ service }) => {
    const [left] = v1.finalize(canaryWith(service), live(matched)).write;
    expect(raw(left)?.spec.rules).toHaveLength(1);
    expect(raw(left)?.spec.rules[0].backendRefs).toEqual([{ group: '', kind: 'Service', name: 'shop', port: 8080, weight: 100 }]);
  });
});

describe('conditions set by the parents', () => {
  const parent = (conditions: object[], parentRef: object = { name: 'edge' }) => ({ parentRef, controllerName: 'c', conditions });
  const says = (type: string, status: string, observedGeneration?: number) => ({
    ...{ type, status },
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  });
  const good = [says('Accepted', 'True', 3), says('ResolvedRefs', 'True', 3)];
  it.each([
    { what: 'nothing yet', parents: [], inForce: true },
    { what: 'it was taken over', parents: [parent(good)], inForce: true },
    { what: 'an older generation was taken over', parents: [parent([says('Accepted', 'True', 2)])], inForce: false },
    { what: 'it was not accepted', parents: [parent([says('Accepted', 'False', 3)])], inForce: false },
    { what: 'a backend was not found', parents: [parent([says('Accepted', 'True', 3), says('ResolvedRefs', 'False', 3)])], inForce: false },
    { what: 'one of two parents lags', parents: [parent(good), parent([says('Accepted', 'True', 1)])], inForce: false },
    {
      what: 'a parent that is none of ours refused',
      parents: [parent([says('Accepted', 'False', 3)], { name: 'x' })],
      inForce: true,
    },
    { what: 'a rejection of unknown age', parents: [parent([says('Accepted', 'False')])], inForce: true },
    {
      what: 'the parent is named in full',
      parents: [parent([says('Accepted', 'False', 3)], { kind: 'Gateway', namespace: 'prod', name: 'edge' })],
      inForce: false,
    },
  ])('$what: in force is $inForce', ({ parents, inForce }) => {
    const route = httpRoute([{ backendRefs: to(90, 10) }], { status: { parents } });
    expect(v1.isInForce?.(canaryWith(), [route])).toBe(inForce);
  });
});

describe('gRPC', () => {
  const grpc = canaryWith({ appProtocol: 'grpc' });
  const routes: Routes = { kind: 'weighted', canary: weight(20) };

  it('service.appProtocol grpc requires a GRPCRoute, but only of v1', () => {
    expect(v1.render(grpc, anApex, routes, []).write.map(({ kind }) => kind)).toEqual(['GRPCRoute']);
    expect(
      gatewayApi('v1beta1')
        .render(grpc, anApex, routes, [])
        .write.map(({ kind }) => kind),
    ).toEqual(['HTTPRoute']);
    expect(v1.render(canaryWith({ appProtocol: 'kubernetes.io/h2c' }), anApex, routes, []).write[0]?.kind).toBe('HTTPRoute');
  });

  it('an HTTPRoute that serves already goes on, since a listener would take only the older of the two', () => {
    const [serving] = v1.render(canaryWith(), anApex, routes, []).write.map(asMade);
    if (!serving) throw new Error('nothing is written');
    expect(v1.readRoutes(grpc, [serving])).toEqual(routes);
    expect(v1.render(grpc, anApex, allToPrimary, [serving]).write.map(({ kind }) => kind)).toEqual(['HTTPRoute']);
    const [left] = v1.finalize(grpc, [serving]).write;
    expect(left?.kind).toBe('HTTPRoute');
    expect(v1.render(grpc, anApex, routes, left ? [asMade(left)] : []).write.map(({ kind }) => kind)).toEqual(['GRPCRoute']);
  });

  it('is read back, with a condition and cookies', () => {
    const canary = canaryWith({ appProtocol: 'grpc', match: [{ uri: { prefix: '/shop.v1.Cart/' } }] }, { match: [insider], ...affinity });
    for (const one of [
      matched,
      { ...routes, affinity: { canary: 'sh-canary=QwErTyUiOp' } },
      { kind: 'mirrored', share: weight(30) },
    ] as Routes[])
      expect(v1.readRoutes(canary, v1.render(canary, anApex, one, []).write.map(asMade))).toEqual(one);
  });
});

it('the order of headers in the Canary changes nothing', () => {
  const entry = (names: string[]) => ({ headers: Object.fromEntries(names.map((name) => [name, { exact: 'a' }])) });
  const [one, other] = [
    ['b', 'a', 'c'],
    ['c', 'b', 'a'],
  ].map((order) => {
    const match = [entry(order)];
    return v1.render(canaryWith({ match }, { match: [insider] }), anApex, matched, []).write;
  });
  expect(one).toEqual(other);
});

it.each([
  { go: '5s', gateway: '5s' },
  { go: '1h2m3s4ms', gateway: '1h2m3s4ms' },
  { go: '0.5s', gateway: '500ms' },
  { go: '1.5h', gateway: '1h30m' },
  { go: '0', gateway: '0s' },
  { go: '100000s', gateway: '27h46m40s' },
  { go: '90s', gateway: '90s' },
  { go: '99999h', gateway: '99999h' },
  { go: '99999.0h', gateway: '99999h' },
])('a timeout of $go is written as $gateway', ({ go, gateway }) => {
  expect(raw(v1.render(canaryWith({ timeout: go }), anApex, allToPrimary, []).write[0])?.spec.rules[0].timeouts).toEqual({
    request: gateway,
  });
});

describe('alternatives of service.match', () => {
  const refusal = (count: number, analysis: object) => {
    const match = Array.from({ length: count }, (_, index) => ({ uri: { exact: `/${index}` } }));
    return v1.refuses?.(canaryWith({ match }, analysis))?.message;
  };
  it.each([
    { what: 'in a rule', most: 64, analysis: {} },
    { what: 'in a route with a rule for others', most: 64, analysis: { iterations: 1, match: [insider] } },
    { what: 'in a route with a rule for a cookie', most: 64, analysis: { sessionAffinity: { cookieName: 'c' } } },
    { what: 'in a route with rules for two cookies', most: 42, analysis: affinity },
  ])('$most are taken $what, and one more is refused', ({ most, analysis }) => {
    expect(refusal(most, analysis)).toBeUndefined();
    expect(refusal(most + 1, analysis)).toMatch(/^service.match, times analysis.match .* more alternatives than a route takes/);
  });
});

it.each([
  { timeout: '1ms', backendTimeout: '2ms' },
  { timeout: '5s', backendTimeout: '5.5s' },
])('a backend timeout of $backendTimeout is longer than the timeout of $timeout, and refused', (service) => {
  expect(() => v1.render(canaryWith(service), anApex, allToPrimary, [])).toThrow('service.backendTimeout is longer than service.timeout');
});

it.each([
  { timeout: '5s', backendTimeout: '5s' },
  { timeout: '0', backendTimeout: '5s' },
])('a backend timeout of $backendTimeout goes with a timeout of $timeout', (service) => {
  expect(() => v1.render(canaryWith(service), anApex, allToPrimary, [])).not.toThrow();
});

describe('I17: a parent that is the apex Service, with several ports', () => {
  const severalPorts = { ...anApex, ports: [...anApex.ports, { name: 'admin', port: 9090, targetPort: 9090, protocol: 'TCP' }] };
  const service = (fields: object = {}) => ({ group: 'core', kind: 'Service', name: 'shop', ...fields });
  const of = (...refs: object[]) => canaryWith({ gatewayRefs: refs });
  const parentsOf = (canary: Canary, apex: Apex = severalPorts, routes: Routes = allToPrimary, current: KubeObject[] = []) =>
    raw(v1.render(canary, apex, routes, current).write[0])?.spec.parentRefs;
  const half: Routes = { kind: 'weighted', canary: weight(50) };

  it('its other ports stay with the Service: the route is for the port of the Canary', () => {
    expect(parentsOf(of(service()))).toEqual([service({ port: 8080 })]);
    expect(parentsOf(of(service({ namespace: 'prod', group: '' })))).toEqual([service({ namespace: 'prod', group: '', port: 8080 })]);
    expect(parentsOf(of(service(), { name: 'edge' }))).toEqual([
      service({ port: 8080 }),
      { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' },
    ]);
    const grpc = canaryWith({ appProtocol: 'grpc', gatewayRefs: [service()] });
    expect(parentsOf(grpc)).toEqual([service({ port: 8080 })]);
  });

  it.each([
    { what: 'a port that the user names', ref: service({ port: 9090 }) },
    { what: 'a port that the user names by its name', ref: service({ sectionName: 'admin' }) },
    { what: 'another Service', ref: service({ name: 'front' }) },
    { what: 'a Service of another namespace', ref: service({ namespace: 'test' }) },
    { what: 'a Gateway', ref: { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'shop' } },
  ])('$what stays unmodified', ({ ref }) => {
    expect(parentsOf(of(ref))).toEqual([ref]);
  });

  it('a Service with one port has no other one', () => {
    expect(parentsOf(of(service()), anApex)).toEqual([service()]);
  });

  it('I8: a route of an earlier Serin stays unmodified until the next release, and deletion leaves its parents', () => {
    const canary = of(service());
    const resting = { ...canary, status: { ...canary.status, release: { step: 'resting' } } } as Canary;
    const before = v1.render(canary, anApex, allToPrimary, []).write.map(asMade);
    expect(parentsOf(resting, severalPorts, allToPrimary, before)).toEqual([service()]);
    const after = v1.render(canary, severalPorts, half, before).write.map(asMade);
    expect(raw(after[0])?.spec.parentRefs).toEqual([service({ port: 8080 })]);
    expect(parentsOf(resting, severalPorts, allToPrimary, after)).toEqual([service({ port: 8080 })]);
    expect(raw(v1.finalize(canary, after).write[0])?.spec.parentRefs).toEqual([service({ port: 8080 })]);
    expect(raw(v1.finalize(canary, before).write[0])?.spec.parentRefs).toEqual([service()]);
  });

  it('two of its ports can be parents of one route', () => {
    const refs = [service({ port: 8080 }), service({ port: 9090 })];
    expect(v1.refuses?.(of(...refs))).toBeUndefined();
    expect(parentsOf(of(...refs))).toEqual(refs);
    expect(v1.refuses?.(of(service({ port: 8080 }), service()))?.message).toMatch(/gatewayRefs\[1\].+a sectionName or port of its own/);
    expect(v1.refuses?.(of(service({ port: 8080 }), service({ port: 8080 })))?.message).toMatch(/gatewayRefs\[1\]/);
  });
});

it('TCP is refused: an HTTPRoute carries none of it', () => {
  expect(v1.refuses?.(canaryWith({ appProtocol: 'TCP' }))).toMatchObject({ field: 'spec.service.appProtocol' });
  expect(v1.refuses?.(canaryWith({ appProtocol: 'kubernetes.io/h2c' }))).toBeUndefined();
});
