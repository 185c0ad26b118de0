import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { routeByApisix } from './apisix-route.ts';
import { laggedView } from './lagged-view.ts';
import { seededRandom } from './random.ts';
import { parseHost } from './request.ts';
import { trafficMetrics } from './traffic-metrics.ts';

const rule = (name: string, backends: object, match: object = {}, more: object = {}) => ({
  name,
  match: { hosts: ['shop.example.org'], paths: ['/*'], ...match },
  backends: Object.entries(backends).map(([serviceName, weight]) => ({ serviceName, ...(weight === null ? {} : { weight }) })),
  ...more,
});
const aRoute = (name: string, ...http: object[]): KubeObject => ({
  apiVersion: 'apisix.apache.org/v2',
  kind: 'ApisixRoute',
  metadata: { name, namespace: 'prod' },
  spec: { http },
});
const main = aRoute('web', rule('main', { shop: null }));

function answer(
  objects: readonly KubeObject[],
  { headers = {}, url = '/', method = 'GET', host = 'shop.example.org', random = Math.random } = {},
) {
  const view = laggedView(() => 0);
  for (const next of objects) view.hear(next.kind, { next });
  return routeByApisix(view, { method, url, headers, host: parseHost(host, 'default'), gateway: 'mesh', sourceLabels: {} })?.(random);
}
const nameOf = (route: ReturnType<typeof answer>) => route && ('destination' in route ? route.destination.name : route.status);

describe('which rule', () => {
  it('the very host before others, a longer path before a shorter one, then the higher priority', () => {
    const any = aRoute('any', rule('any', { any: null }, { hosts: undefined }, { priority: 99 }));
    const cart = aRoute('cart', rule('cart', { cart: null }, { paths: ['/cart/*'] }));
    const first = aRoute('first', rule('first', { first: null }, {}, { priority: 1 }));
    expect(nameOf(answer([any, main]))).toBe('shop');
    expect(nameOf(answer([any, main], { host: 'other.example.org' }))).toBe('any');
    expect(nameOf(answer([main, first, cart]))).toBe('first');
    expect(nameOf(answer([main, first, cart], { url: '/cart/1?x=y' }))).toBe('cart');
    expect(nameOf(answer([main, aRoute('exact', rule('exact', { exact: null }, { paths: ['/a'] }))], { url: '/a' }))).toBe('exact');
  });

  it('a host without a rule is ignored, and a host without a fitting rule is answered 404', () => {
    expect(answer([main], { host: 'other.example.org' })).toBeUndefined();
    const posts = aRoute('web', rule('main', { shop: null }, { methods: ['POST'] }));
    expect(nameOf(answer([posts]))).toBe(404);
    expect(nameOf(answer([posts], { method: 'POST' }))).toBe('shop');
    expect(nameOf(answer([aRoute('web', rule('main', { shop: null }, { hosts: ['*.example.org'] }))]))).toBe('shop');
  });

  it.each([
    { expr: { subject: { scope: 'Header', name: 'X-A' }, op: 'Equal', value: 'b' }, asked: { headers: { 'x-a': 'b' } } },
    { expr: { subject: { scope: 'Query', name: 'a' }, op: 'RegexMatch', value: '^b' }, asked: { url: '/?a=bc' } },
    { expr: { subject: { scope: 'Cookie', name: 'a' }, op: 'In', set: ['x', 'b'] }, asked: { headers: { cookie: 'z=1; a=b' } } },
    { expr: { subject: { scope: 'Header', name: 'a' }, op: 'RegexMatchCaseInsensitive', value: '^B$' }, asked: { headers: { a: 'b' } } },
    { expr: { subject: { scope: 'Path' }, op: 'RegexMatch', value: '/x$' }, asked: { url: '/1/x' } },
  ])('a request for which $expr holds goes to its rule, others to the next', ({ expr, asked }) => {
    const conditioned = aRoute('copy', rule('main', { 'shop-canary': 100 }, { exprs: [expr] }, { priority: 10 }));
    expect(nameOf(answer([main, conditioned], asked))).toBe('shop-canary');
    expect(nameOf(answer([main, conditioned]))).toBe('shop');
  });
});

it('shares by weight; a backend without one has 100', () => {
  const count = (backends: object) => {
    const random = seededRandom(9);
    const names = Array.from({ length: 4000 }, () => nameOf(answer([aRoute('web', rule('main', backends))], { random })));
    return names.filter((name) => name === 'canary').length;
  };
  expect(Math.abs(count({ shop: 70, canary: 30 }) - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
  expect(Math.abs(count({ shop: null, canary: 100 }) - 2000)).toBeLessThan(4 * Math.sqrt(4000 * 0.25));
  expect([count({ shop: 100, canary: 0 }), count({ shop: 0, canary: 100 })]).toEqual([0, 4000]);
  expect(nameOf(answer([aRoute('web', rule('main', { shop: 0 }))]))).toBe(503);
});

it('counts under the names and labels of APISIX, only for routes with its plugin', () => {
  const counted = (config: object | undefined) => {
    const metrics = trafficMetrics({ apisix_http_latency: [100] });
    const plugins = config ? [{ name: 'prometheus', enable: true, config }] : [];
    const route = answer([aRoute('web-shop-canary', rule('main', { shop: 1 }, {}, { plugins }))]);
    if (!route || !('destination' in route)) throw new Error('no route');
    route.count?.(metrics, { destination: route.destination, status: 200, isProxyError: false, method: 'GET', path: '/', durationMs: 50 });
    return metrics.text();
  };
  const labels = 'route="prod_web-shop-canary_main",matched_host="shop.example.org",service="",consumer=""';
  expect(counted({ prefer_name: true })).toContain(`apisix_http_status{code="200",${labels}} 1\n`);
  expect(counted({ prefer_name: true })).toContain(`apisix_http_latency_bucket{type="request",${labels},le="100"} 1\n`);
  expect(counted({})).toMatch(/route="[0-9a-f]{8}"/);
  expect(counted(undefined)).toBe('\n');
});
