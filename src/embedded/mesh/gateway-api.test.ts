import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { routeByGatewayApi } from './gateway-api.ts';
import { laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { type MeshRequest, parseHost } from './request.ts';

const object = (apiVersion: string, kind: string, name: string, spec: object, rest: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'prod', creationTimestamp: '2026-01-01T00:00:00Z', ...rest },
  spec,
});
const V1 = 'gateway.networking.k8s.io/v1';
const all = { namespaces: { from: 'All' } };
const edge = object(V1, 'Gateway', 'edge', { listeners: [{ name: 'http', port: 80, allowedRoutes: all }] }, { namespace: 'infra' });
const service = (name: string, namespace = 'prod') => object('v1', 'Service', name, { ports: [{ port: 80 }] }, { namespace });
const ours = [service('a'), service('b'), service('c')];
const parentRefs = [{ name: 'edge', namespace: 'infra' }];
const route = (name: string, rules: object[], spec: object = {}, rest: object = {}) =>
  object(V1, 'HTTPRoute', name, { parentRefs, rules, ...spec }, rest);
const to = (name: string, weight?: number) => ({ name, port: 80, ...(weight === undefined ? {} : { weight }) });

function viewOf(...objects: KubeObject[]) {
  const view = laggedView(() => 0);
  for (const one of [edge, ...ours, ...objects]) view.hear(one.kind === 'Gateway' ? 'GatewayApiGateway' : one.kind, { next: one });
  return view;
}
const request = (url = '/', headers: Record<string, string> = {}, rest: Partial<MeshRequest> = {}): MeshRequest => ({
  method: 'GET',
  url,
  headers,
  host: parseHost('shop.example.org', 'default'),
  gateway: 'infra/edge',
  sourceLabels: {},
  ...rest,
});
const ask = (objects: KubeObject[], asked = request(), seed = 1) => routeByGatewayApi(viewOf(...objects), asked)?.(seededRandom(seed));
const nameOf = (objects: KubeObject[], asked = request()) => {
  const found = ask(objects, asked);
  return found && 'destination' in found ? found.destination.name : found?.status;
};

describe('which rule a request takes', () => {
  const path = (value: string, type = 'PathPrefix') => ({ path: { type, value } });
  const header = (name: string) => ({ headers: [{ name, value: '1' }] });
  it.each<{ what: string; less: object; more: object; asked: MeshRequest }>([
    { what: 'a longer prefix', less: path('/a'), more: path('/a/b'), asked: request('/a/b/c') },
    { what: 'an exact path before any prefix', less: path('/a/b'), more: path('/a/b', 'Exact'), asked: request('/a/b') },
    { what: 'a method', less: path('/a'), more: { ...path('/a'), method: 'GET' }, asked: request('/a') },
    {
      what: 'a longer path before headers',
      less: { ...path('/'), ...header('x'), method: 'GET' },
      more: path('/a'),
      asked: request('/a', { x: '1' }),
    },
    { what: 'a method before headers', less: header('x'), more: { method: 'GET' }, asked: request('/', { x: '1' }) },
    {
      what: 'more headers',
      less: header('x'),
      more: { headers: [...header('x').headers, ...header('y').headers] },
      asked: request('/', { x: '1', y: '1' }),
    },
    {
      what: 'headers before query parameters',
      less: { queryParams: ['p', 'q'].map((name) => ({ name, value: '1' })) },
      more: header('x'),
      asked: request('/?p=1&q=1', { x: '1' }),
    },
    { what: 'a query parameter', less: {}, more: { queryParams: [{ name: 'p', value: '1' }] }, asked: request('/?p=1') },
  ])('$what wins, in whichever order and object', ({ less, more, asked }) => {
    const rules = [
      { matches: [less], backendRefs: [to('a')] },
      { matches: [more], backendRefs: [to('b')] },
    ];
    expect(nameOf([route('one', rules)], asked)).toBe('b');
    expect(nameOf([route('one', rules.toReversed())], asked)).toBe('b');
    expect(
      nameOf([route('one', rules.slice(0, 1)), route('two', rules.slice(1), {}, { creationTimestamp: '2026-02-01T00:00:00Z' })], asked),
    ).toBe('b');
  });

  it('of equal ones the oldest route, then the first by name, then the first rule', () => {
    const rule = (name: string) => [{ backendRefs: [to(name)] }];
    const later = { creationTimestamp: '2026-02-01T00:00:00Z' };
    expect(nameOf([route('a', rule('a'), {}, later), route('b', rule('b'))])).toBe('b');
    expect(nameOf([route('z', rule('a')), route('y', rule('b'))])).toBe('b');
    expect(nameOf([route('one', [...rule('b'), ...rule('a')])])).toBe('b');
  });

  it('prefixes match whole elements, and a header is compared whole', () => {
    const one = route('one', [{ matches: [path('/cart/')], backendRefs: [to('a')] }]);
    expect(['/cart', '/cart/', '/cart/1', '/carts'].map((url) => nameOf([one], request(url)))).toEqual(['a', 'a', 'a', 404]);
    const by = route('one', [
      { matches: [{ headers: [{ type: 'RegularExpression', name: 'X-User', value: 'in|out' }] }], backendRefs: [to('a')] },
    ]);
    expect(['in', 'out', 'inside'].map((user) => nameOf([by], request('/', { 'x-user': user })))).toEqual(['a', 'a', 404]);
  });
});

describe('which route a request is for', () => {
  const rules = (name: string) => [{ backendRefs: [to(name)] }];
  it('the host name decides first, the exact one before the wildcard before none', () => {
    const any = route('one', [{ matches: [{ path: { value: '/deep' } }], backendRefs: [to('a')] }]);
    const wild = route('two', rules('b'), { hostnames: ['*.example.org'] });
    const exact = route('three', rules('c'), { hostnames: ['shop.example.org'] });
    expect(nameOf([any, wild, exact], request('/deep'))).toBe('c');
    expect(nameOf([any, wild], request('/deep'))).toBe('b');
    expect(nameOf([route('four', rules('a'), { hostnames: ['other.example.org'] })])).toBe(404);
  });

  it('a Gateway serves what its listeners take, and nothing where nothing is attached', () => {
    const inner = object(V1, 'Gateway', 'inner', { listeners: [{ name: 'http', hostname: '*.example.net' }] });
    const refs = { parentRefs: [{ name: 'inner' }] };
    expect(nameOf([inner, route('one', rules('a'), refs)], request('/', {}, { gateway: 'prod/inner' }))).toBe(404);
    const net = request('/', {}, { gateway: 'prod/inner', host: parseHost('shop.example.net', 'default') });
    expect(nameOf([inner, route('one', rules('a'), refs)], net)).toBe('a');
    expect(nameOf([inner, route('one', rules('a'), { parentRefs: [{ name: 'inner', sectionName: 'https' }] })], net)).toBe(404);
    expect(
      nameOf([inner, route('one', rules('a'), { parentRefs: [{ name: 'inner', namespace: 'prod' }] }, { namespace: 'test' })], net),
    ).toBe(404);
    expect(ask([], request('/', {}, { gateway: 'no/such' }))).toBeUndefined();
  });

  it('a Service as parent is for the traffic of the mesh to it, with any host names', () => {
    const inside = request('/', {}, { gateway: 'mesh', host: parseHost('a.prod', 'default') });
    for (const group of ['', 'core']) {
      const one = route('one', rules('b'), {
        parentRefs: [{ group, kind: 'Service', name: 'a', port: 80 }],
        hostnames: ['shop.example.org'],
      });
      expect(nameOf([one], inside)).toBe('b');
      expect(nameOf([one])).toBe(404);
    }
    expect(ask([route('one', rules('b'))], inside)).toBeUndefined();
  });

  it('of an HTTPRoute and a GRPCRoute for one host the older one serves', () => {
    const grpc = object(V1, 'GRPCRoute', 'g', { parentRefs, rules: rules('b') }, { creationTimestamp: '2026-02-01T00:00:00Z' });
    expect(nameOf([grpc, route('one', rules('a'))])).toBe('a');
    expect(nameOf([grpc])).toBe('b');
  });
});

describe('where it goes', () => {
  const share = (backendRefs: object[]) => {
    const random = seededRandom(5);
    const view = viewOf(route('one', [{ backendRefs }]));
    const counts: Record<string, number> = {};
    for (let index = 0; index < 4000; index += 1) {
      const found = routeByGatewayApi(view, request())?.(random);
      const key = found && 'destination' in found ? found.destination.name : String(found?.status);
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  };

  it('by weight, within four standard deviations; 0 is nothing and a missing weight is 1', () => {
    expect(Math.abs((share([to('a', 70), to('b', 30)]).b ?? 0) - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
    expect(share([to('a', 100), to('b', 0)])).toEqual({ a: 4000 });
    expect(Math.abs((share([to('a'), to('b')]).b ?? 0) - 2000)).toBeLessThan(4 * Math.sqrt(4000 * 0.5 * 0.5));
  });

  it('the share of a backend that cannot be found fails, and none of it goes elsewhere', () => {
    const counts = share([to('a', 50), to('gone', 50)]);
    expect(Math.abs((counts['500'] ?? 0) - 2000)).toBeLessThan(4 * Math.sqrt(4000 * 0.5 * 0.5));
    expect(share([{ ...to('a'), port: 81 }])).toEqual({ 500: 4000 });
    expect(share([to('a', 0)])).toEqual({ 500: 4000 });
  });

  it('another namespace has to permit it', () => {
    const away = { ...to('d'), namespace: 'other' };
    const grant = object(
      'gateway.networking.k8s.io/v1beta1',
      'ReferenceGrant',
      'g',
      { from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'prod' }], to: [{ group: '', kind: 'Service' }] },
      { namespace: 'other' },
    );
    const objects = [service('d', 'other'), route('one', [{ backendRefs: [away] }])];
    expect(nameOf(objects)).toBe(500);
    expect(nameOf([...objects, grant])).toBe('d');
  });
});

describe('effects of filters', () => {
  const filtered = (filters: object[], match: object = {}, url = '/') =>
    ask([route('one', [{ matches: [match], filters, backendRefs: [to('a')] }])], request(url));
  it.each([
    { prefix: '/cart', replacement: '/v2', url: '/cart/1?x=1', becomes: '/v2/1?x=1' },
    { prefix: '/cart/', replacement: '/v2/', url: '/cart', becomes: '/v2' },
    { prefix: '/cart', replacement: '/', url: '/cart', becomes: '/' },
    { prefix: '/', replacement: '/v2', url: '/cart', becomes: '/v2/cart' },
  ])('replaces prefix $prefix of $url by $replacement', ({ prefix, replacement, url, becomes }) => {
    const rewrite = {
      type: 'URLRewrite',
      urlRewrite: { hostname: 'inner', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: replacement } },
    };
    expect(filtered([rewrite], { path: { type: 'PathPrefix', value: prefix } }, url)).toMatchObject({
      rewrite: { authority: 'inner', url: becomes },
    });
  });

  it('replaces the whole path, changes headers, and sends copies of the configured part', () => {
    const path = { type: 'ReplaceFullPath', replaceFullPath: '/all' };
    expect(filtered([{ type: 'URLRewrite', urlRewrite: { path } }], {}, '/x?y=1')).toMatchObject({ rewrite: { url: '/all?y=1' } });
    const modifier = {
      type: 'ResponseHeaderModifier',
      responseHeaderModifier: { add: [{ name: 'Set-Cookie', value: 'a=b' }], remove: ['x'] },
    };
    expect(filtered([modifier])).toMatchObject({ responseHeaders: [{ add: { 'Set-Cookie': 'a=b' }, remove: ['x'] }] });
    const mirror = (rest: object) => filtered([{ type: 'RequestMirror', requestMirror: { backendRef: to('b'), ...rest } }]);
    expect(mirror({})).toMatchObject({ mirrors: [{ name: 'b', namespace: 'prod' }] });
    expect(mirror({ percent: 0 })).toMatchObject({ mirrors: [] });
    expect(mirror({ fraction: { numerator: 0 } })).toMatchObject({ mirrors: [] });
  });

  it('filters of a backend act only on its requests, and an unknown one fails the request', () => {
    const mark = { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x', value: 'b' }] } };
    const rules = [{ backendRefs: [to('a', 0), { ...to('b', 1), filters: [mark] }] }];
    expect(ask([route('one', rules)])).toMatchObject({ requestHeaders: [{ set: { x: 'b' } }] });
    expect(filtered([{ type: 'ExtensionRef' }])).toMatchObject({ status: 500 });
  });

  it('timeouts bound the request and each try', () => {
    const one = route('one', [{ backendRefs: [to('a')], timeouts: { request: '5s', backendRequest: '0s' } }]);
    expect(ask([one])).toMatchObject({ timeoutMs: 5000, retries: { attempts: 0 } });
  });
});

it('a GRPCRoute takes calls by service and method, the more specific first', () => {
  const rules = [
    { backendRefs: [to('a')] },
    { matches: [{ method: { service: 'shop.v1.Cart' } }], backendRefs: [to('b')] },
    { matches: [{ method: { type: 'Exact', service: 'shop.v1.Cart', method: 'Put' } }], backendRefs: [to('c')] },
  ];
  const grpc = object(V1, 'GRPCRoute', 'g', { parentRefs, rules });
  const call = (url: string) => nameOf([grpc], request(url, { 'content-type': 'application/grpc' }, { method: 'POST' }));
  expect(['/shop.v1.Orders/Get', '/shop.v1.Cart/Get', '/shop.v1.Cart/Put'].map(call)).toEqual(['a', 'b', 'c']);
});

it('a gRPC call that no route takes is not implemented, and any other request is not found', () => {
  const grpc = object(V1, 'GRPCRoute', 'g', {
    parentRefs,
    rules: [{ matches: [{ method: { service: 'shop.v1.Cart' } }], backendRefs: [to('a')] }],
  });
  const call = request('/shop.v1.Orders/Get', { 'content-type': 'application/grpc' }, { method: 'POST' });
  expect(ask([grpc], call)).toMatchObject({ status: 200, headers: { 'grpc-status': '12' } });
  expect(ask([grpc], request('/shop.v1.Orders/Get'))).toMatchObject({ status: 404 });
});
