import { describe, expect, it } from 'vitest';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { laggedView } from './lagged-view.ts';
import { routeByNginx } from './nginx-ingress.ts';
import { seededRandom } from './random.ts';
import { parseHost } from './request.ts';
import { trafficMetrics } from './traffic-metrics.ts';

const never = () => 0.999;
const rule = (annotations: Labels) =>
  Object.fromEntries(Object.entries(annotations).map(([k, v]) => [`nginx.ingress.kubernetes.io/${k}`, v]));

function anIngress(
  name: string,
  paths: Record<string, string>,
  { annotations = {}, host = 'shop.example.org', created = '1' } = {},
): KubeObject {
  const entries = Object.entries(paths).map(([path, service]) => ({
    path,
    pathType: 'Prefix',
    backend: { service: { name: service, port: { number: 80 } } },
  }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'prod', annotations: rule(annotations), creationTimestamp: created },
    spec: { rules: [{ host, http: { paths: entries } }, { host: 'no-http.example.org' }] },
  };
}
const servedBy = (service: string): KubeObject[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { name: service, namespace: 'prod' } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: service, namespace: 'prod', labels: { 'kubernetes.io/service-name': service } },
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
  },
];
const main = anIngress('shop', { '/': 'shop', '/cart': 'cart' });
const canary = (annotations: Labels, options = {}) =>
  anIngress('shop-canary', { '/': 'shop-canary' }, { annotations: { canary: 'true', ...annotations }, ...options });

function answer(objects: KubeObject[], { headers = {}, url = '/', host = 'shop.example.org', random = never } = {}) {
  const view = laggedView(() => 0);
  for (const next of objects) view.hear(next.kind, { next });
  const request = { method: 'GET', url, headers, host: parseHost(host, 'default'), gateway: 'mesh', sourceLabels: {} };
  return routeByNginx(view, request)?.(random);
}
const nameOf = (route: ReturnType<typeof answer>) => route && ('destination' in route ? route.destination.name : route.status);
const ask = (annotations: Labels, headers: Record<string, string> = {}, random = never) =>
  nameOf(answer([main, canary(annotations), ...servedBy('shop'), ...servedBy('shop-canary')], { headers, random }));

describe('which path', () => {
  it.each([
    { url: '/', name: 'shop' },
    { url: '/cart/1?x=y', name: 'cart' },
    { url: '/cartoon', name: 'shop' },
  ])('$url leads to $name', ({ url, name }) => expect(nameOf(answer([main], { url }))).toBe(name));

  it('a host without an Ingress is not its business, and a host without a fitting path is answered 404', () => {
    expect(answer([main], { host: 'other.example.org' })).toBeUndefined();
    expect(nameOf(answer([anIngress('shop', { '/api': 'shop' })], { url: '/x' }))).toBe(404);
  });

  it('the very host goes before a wildcard, and that before any host', () => {
    const others = [anIngress('any', { '/': 'any' }, { host: '' }), anIngress('wild', { '/': 'wild' }, { host: '*.example.org' })];
    const name = (host: string) => nameOf(answer([...others, main], { host }));
    expect([name('shop.example.org'), name('a.example.org'), name('a.b.example.org')]).toEqual(['shop', 'wild', 'any']);
  });
});

describe('which side', () => {
  it('shares by weight, of a total when that is above 100', () => {
    const count = (annotations: Labels) => {
      const random = seededRandom(5);
      return Array.from({ length: 4000 }, () => ask(annotations, {}, random)).filter((name) => name === 'shop-canary').length;
    };
    expect(Math.abs(count({ 'canary-weight': '30' }) - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
    expect(Math.abs(count({ 'canary-weight': '300', 'canary-weight-total': '1000' }) - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
    expect([count({ 'canary-weight': '0' }), count({}), count({ 'canary-weight': '100' })]).toEqual([0, 0, 4000]);
  });

  it.each([
    { rules: { 'canary-by-header': 'X-A' }, headers: { 'x-a': 'always' }, name: 'shop-canary' },
    { rules: { 'canary-by-header': 'X-A', 'canary-weight': '100' }, headers: { 'x-a': 'never' }, name: 'shop' },
    { rules: { 'canary-by-header': 'X-A', 'canary-by-header-value': 'b' }, headers: { 'x-a': 'b' }, name: 'shop-canary' },
    { rules: { 'canary-by-header': 'X-A', 'canary-by-header-value': 'b' }, headers: { 'x-a': 'always' }, name: 'shop' },
    { rules: { 'canary-by-header': 'X-A', 'canary-by-header-pattern': '^b' }, headers: { 'x-a': 'bc' }, name: 'shop-canary' },
    {
      rules: { 'canary-by-header': 'X-A', 'canary-by-header-pattern': '(', 'canary-weight': '100' },
      headers: { 'x-a': 'b' },
      name: 'shop',
    },
    { rules: { 'canary-by-cookie': 'c' }, headers: { cookie: 'a=b; c=always' }, name: 'shop-canary' },
    { rules: { 'canary-by-cookie': 'c', 'canary-weight': '100' }, headers: { cookie: 'c=never' }, name: 'shop' },
    {
      rules: { 'canary-by-header': 'X-A', 'canary-by-header-value': 'b', 'canary-by-cookie': 'c' },
      headers: { 'x-a': 'other', cookie: 'c=always' },
      name: 'shop-canary',
    },
    { rules: { 'canary-by-header': '', 'canary-by-cookie': '' }, headers: { cookie: '=always' }, name: 'shop' },
  ])('header, then cookie, then weight: $rules, for $headers', ({ rules, headers, name }) => expect(ask(rules, headers)).toBe(name));

  it('a canary that is not marked is an Ingress like others, and the older one has the path', () => {
    const unmarked = { canary: 'false', 'canary-weight': '100' };
    expect(nameOf(answer([main, canary(unmarked, { created: '2' }), ...servedBy('shop'), ...servedBy('shop-canary')]))).toBe('shop');
    expect(nameOf(answer([main, canary(unmarked, { created: '0' }), ...servedBy('shop'), ...servedBy('shop-canary')]))).toBe('shop-canary');
  });

  it('only the first of two canaries counts, and a canary without endpoints, or of another path, leaves all to the main backend', () => {
    const all = { 'canary-weight': '100' };
    const second = { ...canary(all, { created: '3' }), metadata: { ...canary(all).metadata, name: 'second', creationTimestamp: '3' } };
    expect(
      nameOf(answer([main, canary({ 'canary-weight': '0' }, { created: '2' }), second, ...servedBy('shop'), ...servedBy('shop-canary')])),
    ).toBe('shop');
    expect(nameOf(answer([main, canary(all)]))).toBe('shop');
    expect(nameOf(answer([main, canary(all), ...servedBy('shop'), ...servedBy('shop-canary')], { url: '/cart' }))).toBe('cart');
  });
});

it('counts under the names and labels of ingress-nginx', () => {
  const metrics = trafficMetrics({ nginx_ingress_controller_response_duration_seconds: [0.1] });
  const route = answer([main, canary({ 'canary-weight': '100' }), ...servedBy('shop'), ...servedBy('shop-canary')]);
  if (!route || !('destination' in route)) throw new Error('no route');
  route.count?.(metrics, { destination: route.destination, status: 200, isProxyError: false, method: 'GET', path: '/', durationMs: 50 });
  const labels =
    'status="200",method="GET",path="/",namespace="prod",ingress="shop",service="shop",canary="prod-shop-canary-80",controller_class="k8s.io/ingress-nginx"';
  expect(metrics.text()).toContain(`nginx_ingress_controller_requests{${labels},host="shop.example.org"} 1\n`);
  expect(metrics.text()).toContain(`nginx_ingress_controller_response_duration_seconds_sum{${labels}} 0.05\n`);
});
